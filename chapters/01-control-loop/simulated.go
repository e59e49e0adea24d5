package controlloop

import (
	"cmp"
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
	given  int // addresses so far
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
				IP: fmt.Sprintf("%s.%d", s.subnet, s.given),
			},
			containers: map[string]*Process{},
			ports:      map[int32]*listener{},
		}
		s.pods[pod.UID] = p
	}
	return p.Sandbox, nil
}

// Sandboxes implements Runtime.
func (s *Simulated) Sandboxes() []Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Sandbox
	for _, p := range s.pods {
		all = append(all, p.Sandbox)
	}
	slices.SortFunc(all, func(a, b Sandbox) int {
		return cmp.Or(compareKeys(a.Pod, b.Pod), cmp.Compare(a.UID, b.UID))
	})
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
	for _, process := range p.containers {
		process.kill()
	}
	return nil
}
