package controlloop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Simulated is a Runtime whose containers are goroutines. It needs nothing, and
// in a test's bubble its time is the test's.
type Simulated struct {
	Network  Network                    // beyond a Pod itself; nil: the Pods of this runtime
	Resolver func(*corev1.Pod) Resolver // nil: only addresses are known

	subnet   string // "10.244.1"
	registry Registry

	mu        sync.Mutex
	pods      map[types.UID]*simPod
	names     map[Key][]*simPod  // the same by name, the oldest first
	addresses map[string]*simPod // and by address
	given     int                // the end of the address that was given last
	onExit    func(Key)
}

type simPod struct {
	Sandbox
	containers map[string]*Process
	ports      map[int32]*listener
}

// NewSimulated returns a runtime without Pods, whose addresses are in subnet.
func NewSimulated(subnet string, from Registry) *Simulated {
	return &Simulated{
		subnet:    subnet,
		registry:  from,
		pods:      map[types.UID]*simPod{},
		names:     map[Key][]*simPod{},
		addresses: map[string]*simPod{},
		onExit:    func(Key) {},
	}
}

// OnExit implements Runtime.
func (s *Simulated) OnExit(f func(Key)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onExit = f
}

// Sandbox implements Runtime.
func (s *Simulated) Sandbox(_ context.Context, pod *corev1.Pod) (Sandbox, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pods[pod.UID]; p != nil {
		return p.Sandbox, nil
	}
	ip, err := s.nextAddress()
	if err != nil {
		return Sandbox{}, err
	}
	p := &simPod{
		Sandbox:    Sandbox{Pod: KeyOf(pod), UID: pod.UID, IP: ip},
		containers: map[string]*Process{},
		ports:      map[int32]*listener{},
	}
	s.pods[pod.UID] = p
	s.names[p.Pod] = append(s.names[p.Pod], p)
	s.addresses[ip] = p
	return p.Sandbox, nil
}

// nextAddress returns the next address that no Pod has, and begins again
// after the last: one that was given back rests for as long as there are
// others. s.mu is held. (Kubernetes: the CNI plugin host-local, whose
// words the error's are.)
func (s *Simulated) nextAddress() (string, error) {
	for range 253 {
		s.given = max(2, s.given%254+1) // the first is the node's own
		ip := fmt.Sprintf("%s.%d", s.subnet, s.given)
		if s.addresses[ip] == nil {
			return ip, nil
		}
	}
	return "", fmt.Errorf("failed to allocate for range 0: no IP addresses "+
		"available in range set: %[1]s.1-%[1]s.254", s.subnet)
}

// SandboxesOf implements Runtime.
func (s *Simulated) SandboxesOf(pod Key) []Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sandboxes(s.names[pod])
}

// Sandboxes implements Runtime. It sorts them by name.
func (s *Simulated) Sandboxes() []Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Sandbox
	for _, pod := range slices.SortedFunc(maps.Keys(s.names), compareKeys) {
		all = append(all, sandboxes(s.names[pod])...)
	}
	return all
}

func sandboxes(pods []*simPod) []Sandbox {
	var all []Sandbox
	for _, p := range pods {
		all = append(all, p.Sandbox)
	}
	return all
}

// Remove implements Runtime.
func (s *Simulated) Remove(_ context.Context, pod types.UID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pods[pod]
	if p == nil {
		return nil
	}
	delete(s.pods, pod)
	delete(s.addresses, p.IP)
	s.names[p.Pod] = slices.DeleteFunc(s.names[p.Pod],
		func(other *simPod) bool { return other == p })
	if len(s.names[p.Pod]) == 0 {
		delete(s.names, p.Pod)
	}
	for _, process := range p.containers {
		process.kill()
	}
	return nil
}
