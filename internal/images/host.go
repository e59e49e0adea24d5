package images

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/01-control-loop/kubelet"
)

// host is a node's own network. Pods of hostNetwork have no other: its name,
// its address, and those of its ports that are still free. A hostPort of
// another Pod is one of the node's ports too.
type host struct {
	name    string
	address string // "": no Pod shares it

	mu    sync.Mutex
	ports map[int32]outlet
}

// outlet is where a port of a node leads: to a port of a container.
type outlet struct {
	target
	port int32
}

// SetAddress gives a node an address, "172.18.0.2". Without one, Pods of
// hostNetwork are as all others.
func (m *Machines) SetAddress(name, address string) {
	m.node(name).host.address = address
}

// shares reports whether a Pod has its node's network.
func (h *host) shares(pod *corev1.Pod) bool {
	return pod.Spec.HostNetwork && h.address != ""
}

// claim makes a port lead to an outlet. It reports whether it does: a port that
// leads elsewhere stays so.
func (h *host) claim(port int32, to outlet) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if taken, ok := h.ports[port]; ok && taken != to {
		return false
	}
	if h.ports == nil {
		h.ports = map[int32]outlet{}
	}
	h.ports[port] = to
	return true
}

// release gives back what leads to a container or, without a name, to a Pod.
func (h *host) release(pod types.UID, container string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for port, to := range h.ports {
		if to.pod == pod && (container == "" || to.container == container) {
			delete(h.ports, port)
		}
	}
}

// Sandbox implements kubelet.Runtime.
func (n *node) Sandbox(
	ctx context.Context, pod *corev1.Pod,
) (kubelet.Sandbox, error) {
	sandbox, err := n.Runtime.Sandbox(ctx, pod)
	if n.host.shares(pod) {
		sandbox.IP = n.host.address
		return sandbox, err
	}
	for _, c := range pod.Spec.Containers {
		for _, port := range c.Ports {
			if port.HostPort != 0 && err == nil { // the container that has it already keeps it
				n.host.claim(port.HostPort,
					outlet{target{pod.UID, c.Name}, port.ContainerPort})
			}
		}
	}
	return sandbox, err
}

// dialHost connects to a port of the node.
func (n *node) dialHost(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	_, number, _ := net.SplitHostPort(address)
	port, _ := strconv.ParseUint(number, 10, 16) // what is no number is no port
	n.host.mu.Lock()
	to, ok := n.host.ports[int32(port)]
	n.host.mu.Unlock()
	if !ok {
		if service, ok := n.machines.behind(int32(port)); ok {
			return ahead{n}.DialContext(ctx, network, service)
		}
		return nil, fmt.Errorf("dial %s %s: %w", network, address,
			os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
	return n.Runtime.Dial(ctx, to.pod, to.port)
}

// hostPod is the network of a Pod that shares its node's, as the processes in it
// see it.
type hostPod struct {
	pod
	node *node
}

// IP implements unix.Network.
func (p hostPod) IP() string { return p.node.host.address }

// Listen implements unix.Network.
func (p hostPod) Listen(port int32) (net.Listener, error) {
	at := outlet{target{p.Pod.UID, p.Container.Name}, port}
	if !p.node.host.claim(port, at) {
		return nil, fmt.Errorf("listen %d: address already in use", port)
	}
	return p.pod.Listen(port)
}

// Dial implements unix.Network.
func (p hostPod) Dial(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	to, _, err := net.SplitHostPort(address)
	ctx = context.WithValue(ctx, clientKey{}, p.IP())
	switch h := &p.node.host; {
	case err != nil:
		return nil, err
	case to == "localhost", to == h.name, to == h.address,
		net.ParseIP(to).IsLoopback():
		return p.node.dialHost(ctx, network, address)
	}
	return p.pod.Dial(ctx, network, address)
}
