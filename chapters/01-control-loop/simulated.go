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

// Images are the programs that a simulated runtime can run, by image name.
type Images map[string]Program

// Program is what runs in a simulated container. It ends when its work is done
// or, when it is asked to, soon after ctx ends; what it returns is its exit
// code.
type Program func(ctx context.Context, p *Process) int

// Simulated is a Runtime whose containers are goroutines. It needs nothing, and
// in a test's bubble its time is the test's.
type Simulated struct {
	subnet string // "10.244.1"
	images Images

	mu     sync.Mutex
	pods   map[types.UID]*simPod
	names  map[Key][]*simPod // the same by name, the oldest first
	given  int               // addresses so far
	onExit func(Key)
}

type simPod struct {
	Sandbox
	containers map[string]*Process
	ports      map[int32]*listener
}

// NewSimulated returns a runtime without Pods, whose addresses are in subnet.
func NewSimulated(subnet string, images Images) *Simulated {
	return &Simulated{
		subnet: subnet,
		images: images,
		pods:   map[types.UID]*simPod{},
		names:  map[Key][]*simPod{},
		onExit: func(Key) {},
	}
}

// OnExit implements Runtime.
func (s *Simulated) OnExit(f func(Key)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onExit = f
}

// SetImage makes image run program; nil: it cannot be pulled any more.
func (s *Simulated) SetImage(image string, program Program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	images := Images{} // the caller's may be shared, or nil
	maps.Copy(images, s.images)
	images[image] = program
	s.images = images
}

// Sandbox implements Runtime.
func (s *Simulated) Sandbox(_ context.Context, pod *corev1.Pod) (Sandbox, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pods[pod.UID]
	if p == nil {
		s.given++
		p = &simPod{
			Sandbox: Sandbox{
				Pod: KeyOf(pod), UID: pod.UID,
				IP: fmt.Sprintf("%s.%d", s.subnet, 1+(s.given-1)%254),
			},
			containers: map[string]*Process{},
			ports:      map[int32]*listener{},
		}
		s.pods[pod.UID] = p
		s.names[p.Pod] = append(s.names[p.Pod], p)
	}
	return p.Sandbox, nil
}

// SandboxesOf implements Runtime.
func (s *Simulated) SandboxesOf(pod Key) []Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sandboxes(s.names[pod])
}

// Sandboxes implements Runtime. They are sorted by name.
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
