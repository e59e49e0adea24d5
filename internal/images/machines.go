package images

import (
	"context"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/streams"
)

// Machines are the nodes of a cluster and the registry that they pull from.
// They implement streams.Containers.
type Machines struct {
	mu       sync.Mutex
	nodes    map[string]*node
	programs map[string]controlloop.Program // by image name, as in a Pod
	failing  map[string]string              // why an image cannot be pulled
	config   controlloop.Client             // nil: nobody has ConfigMaps
}

var _ streams.Containers = (*Machines)(nil)

// New returns machines without nodes, with a registry that has all images of
// this package.
func New() *Machines {
	return &Machines{
		nodes:    map[string]*node{},
		programs: map[string]controlloop.Program{},
		failing:  map[string]string{},
	}
}

// Runtime returns the runtime of a new node, whose Pods' addresses are in
// subnet: "10.244.1".
func (m *Machines) Runtime(name, subnet string) controlloop.Runtime {
	n := &node{
		Simulated: controlloop.NewSimulated(subnet, nil),
		machines:  m, containers: map[target]*container{},
		starting: map[*corev1.Container]*container{},
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes[name] = n
	return n
}

// SetProgram makes image run program, whatever the registry has under that
// name. nil: what the registry has.
func (m *Machines) SetProgram(image string, program controlloop.Program) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.programs[image] = program
}

// Fail has all pulls of an image fail for a reason, or without one because it
// is not found.
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

// pull returns what an image runs: a program, or else an image of this package.
func (m *Machines) pull(name string) (controlloop.Program, *image, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if reason := m.failing[name]; reason != "" {
		return nil, nil, &controlloop.PullError{Image: name, Reason: reason}
	}
	if program := m.programs[name]; program != nil {
		return program, nil, nil
	}
	found, reason := find(name)
	if found == nil {
		return nil, nil, &controlloop.PullError{Image: name, Reason: reason}
	}
	return nil, found, nil
}

// reader returns what reads the variables of a Pod's containers.
func (m *Machines) reader(ctx context.Context, pod *corev1.Pod) reader {
	m.mu.Lock()
	defer m.mu.Unlock()
	return reader{ctx, m.config, pod.Namespace}
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
