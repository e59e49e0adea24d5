package simulated

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// Runtime is a kubelet's runtime whose containers are goroutines. It needs
// nothing, and in a test's bubble its time is the test's.
type Runtime struct {
	Network  Network                    // beyond a Pod itself; nil: the Pods of this runtime
	Resolver func(*corev1.Pod) Resolver // nil: only addresses are known

	subnet   string // "10.244.1"
	registry Registry

	mu        sync.Mutex
	pods      map[types.UID]*sandbox
	names     map[controlloop.Key][]*sandbox // the same by name, the oldest first
	addresses map[string]*sandbox            // and by address
	given     int                            // the end of the address that was given last
	onExit    func(controlloop.Key)
}

type sandbox struct {
	kubelet.Sandbox
	containers map[string]*Process
	ports      map[int32]*listener
}

// New returns a runtime without Pods, whose addresses are in subnet.
func New(subnet string, from Registry) *Runtime {
	return &Runtime{
		subnet:    subnet,
		registry:  from,
		pods:      map[types.UID]*sandbox{},
		names:     map[controlloop.Key][]*sandbox{},
		addresses: map[string]*sandbox{},
		onExit:    func(controlloop.Key) {},
	}
}

// OnExit implements kubelet.Runtime.
func (r *Runtime) OnExit(f func(controlloop.Key)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onExit = f
}

// Sandbox implements kubelet.Runtime.
func (r *Runtime) Sandbox(
	_ context.Context, pod *corev1.Pod,
) (kubelet.Sandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.pods[pod.UID]; p != nil {
		return p.Sandbox, nil
	}
	ip, err := r.nextAddress()
	if err != nil {
		return kubelet.Sandbox{}, err
	}
	p := &sandbox{
		Sandbox: kubelet.Sandbox{
			Pod: controlloop.KeyOf(pod), UID: pod.UID, IP: ip,
		},
		containers: map[string]*Process{},
		ports:      map[int32]*listener{},
	}
	r.pods[pod.UID] = p
	r.names[p.Pod] = append(r.names[p.Pod], p)
	r.addresses[ip] = p
	return p.Sandbox, nil
}

// nextAddress returns the next address that no Pod has, and begins again
// after the last: one that was given back rests for as long as there are
// others. s.mu is held. (Kubernetes: the CNI plugin host-local, which
// the error quotes.)
func (r *Runtime) nextAddress() (string, error) {
	for range 253 {
		r.given = max(2, r.given%254+1) // the first is the node's own
		ip := fmt.Sprintf("%s.%d", r.subnet, r.given)
		if r.addresses[ip] == nil {
			return ip, nil
		}
	}
	return "", fmt.Errorf("failed to allocate for range 0: no IP addresses "+
		"available in range set: %[1]s.1-%[1]s.254", r.subnet)
}

// SandboxesOf implements kubelet.Runtime.
func (r *Runtime) SandboxesOf(pod controlloop.Key) []kubelet.Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sandboxes(r.names[pod])
}

// Sandboxes implements kubelet.Runtime. It sorts them by name.
func (r *Runtime) Sandboxes() []kubelet.Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []kubelet.Sandbox
	names := slices.SortedFunc(maps.Keys(r.names), controlloop.CompareKeys)
	for _, pod := range names {
		all = append(all, sandboxes(r.names[pod])...)
	}
	return all
}

func sandboxes(pods []*sandbox) []kubelet.Sandbox {
	var all []kubelet.Sandbox
	for _, p := range pods {
		all = append(all, p.Sandbox)
	}
	return all
}

// Remove implements kubelet.Runtime.
func (r *Runtime) Remove(_ context.Context, pod types.UID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pods[pod]
	if p == nil {
		return nil
	}
	delete(r.pods, pod)
	delete(r.addresses, p.IP)
	r.names[p.Pod] = slices.DeleteFunc(r.names[p.Pod],
		func(other *sandbox) bool { return other == p })
	if len(r.names[p.Pod]) == 0 {
		delete(r.names, p.Pod)
	}
	for _, process := range p.containers {
		process.kill()
	}
	return nil
}
