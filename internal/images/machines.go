package images

import (
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/apiserver/streams"
)

// Machines are the nodes of a cluster and the registry that they pull from.
// They implement streams.Containers.
type Machines struct {
	mu      sync.Mutex
	nodes   map[string]*node
	network simulated.Network // nil: the Pods of all nodes
	names   Names             // nil: only addresses are known
	own     map[string]*image // by name, as in a Pod
	failing map[string]string // why an image cannot be pulled
	pace    time.Duration     // that a container takes to start

	services func(nodePort int32) (address string, ok bool) // nil: none is told
}

var (
	_ streams.Containers = (*Machines)(nil)
	_ simulated.Network  = (*Machines)(nil)
)

// New returns machines without nodes, with a registry that has all images of
// this package.
func New() *Machines {
	return &Machines{
		nodes:   map[string]*node{},
		own:     map[string]*image{},
		failing: map[string]string{},
	}
}

// Runtime returns the runtime of a new node, whose Pods' addresses are in
// subnet: "10.244.1".
func (m *Machines) Runtime(name, subnet string) kubelet.Runtime {
	n := &node{
		machines: m, subnet: subnet, host: host{name: name},
		containers: map[target]*container{},
	}
	n.Runtime = simulated.New(subnet, n)
	n.Network = ahead{n}
	n.Resolver = n.resolver
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes[name] = n
	return n
}

// SetNetwork makes containers of all nodes reach others through a network,
// which can hand connections on to Pods.
func (m *Machines) SetNetwork(n simulated.Network) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.network = n
}

// SetNodePorts makes ports of all nodes lead to Services: to the address that of
// returns for a port.
func (m *Machines) SetNodePorts(of func(nodePort int32) (address string, ok bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.services = of
}

// behind returns the address of the Service that a port of all nodes leads to.
func (m *Machines) behind(nodePort int32) (address string, ok bool) {
	m.mu.Lock()
	of := m.services
	m.mu.Unlock()
	if of == nil {
		return "", false
	}
	return of(nodePort)
}

// Names returns the resolver that a Pod asks for names.
type Names = func(*corev1.Pod) simulated.Resolver

// SetNames gives containers of all nodes resolvers to ask for names.
func (m *Machines) SetNames(n Names) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names = n
}

func (m *Machines) resolver(pod *corev1.Pod) simulated.Resolver {
	m.mu.Lock()
	names := m.names
	m.mu.Unlock()
	if names == nil {
		return nil
	}
	return names(pod)
}

// DialContext implements simulated.Network.
func (m *Machines) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	m.mu.Lock()
	out := m.network
	m.mu.Unlock()
	if out == nil {
		out = m.Pods()
	}
	return out.DialContext(ctx, network, address)
}

// Pods returns a network that connects to the Pods of all nodes, as far as
// cables reach.
func (m *Machines) Pods() simulated.Network { return pods{m} }

// SetImage puts an image of a chapter under a name, whatever the registry has
// there.
func (m *Machines) SetImage(name string, of simulated.Image) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.own[name] = made(of)
}

// SetPace sets how long each container takes to start.
func (m *Machines) SetPace(pace time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pace = pace
}

// wait takes the time that a container takes to start. If ctx ends first, the
// container starts at once.
func (m *Machines) wait(ctx context.Context) {
	m.mu.Lock()
	pace := m.pace
	m.mu.Unlock()
	if pace == 0 {
		return
	}
	select {
	case <-time.After(pace):
	case <-ctx.Done():
	}
}

// Fail makes all pulls of an image fail for a reason or, if that is "", because
// the image is not found.
func (m *Machines) Fail(image, reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if reason == "" {
		reason = notFound(image)
	}
	m.failing[image] = reason
}

// Heal undoes Fail.
func (m *Machines) Heal(image string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.failing, image)
}

// nodeOf returns the node that a Pod is bound to, or nil.
func (m *Machines) nodeOf(pod *corev1.Pod) *node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.nodes[pod.Spec.NodeName]
}

// pull returns the image of a name.
func (m *Machines) pull(name string) (*image, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if reason := m.failing[name]; reason != "" {
		return nil, &kubelet.PullError{Image: name, Reason: reason}
	}
	if own := m.own[name]; own != nil {
		return own, nil
	}
	found, reason := find(name)
	if found == nil {
		return nil, &kubelet.PullError{Image: name, Reason: reason}
	}
	return found, nil
}

// all returns the nodes.
func (m *Machines) all() []*node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.nodes))
}

// Close ends every container.
func (m *Machines) Close() {
	for _, n := range m.all() {
		for _, s := range n.Sandboxes() {
			n.Remove(context.Background(), s.UID)
		}
	}
}
