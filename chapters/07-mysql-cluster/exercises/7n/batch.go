// Package batch is Ada's controller: it gives each Pod of the batch to the node
// that has the fewest Pods.
package batch

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// A Pod with this label and value is of the batch.
const (
	PoolLabel = "pool"
	Pool      = "batch"
)

// Batch gives Pods to nodes.
type Batch struct {
	Client controlloop.Client
	Pods   *controlloop.Indexer
	Nodes  *controlloop.Indexer

	mu    sync.Mutex
	given map[types.UID]string // Pods to nodes, until the cache shows it
}

// New makes the controller part of a system.
func New(s *controlloop.System) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	nodes := s.Informer(controlloop.NodeKind, controlloop.ListOptions{})
	c := controlloop.NewController("batch", &Batch{
		Client: s.Client, Pods: pods.Cache, Nodes: nodes.Cache,
		given: map[types.UID]string{},
	})
	s.Add(c)
	c.Watch(pods, controlloop.Self)
	c.Watch(nodes, func(controlloop.Object) []controlloop.Key {
		var all []controlloop.Key
		for _, pod := range pods.Cache.List() {
			all = append(all, controlloop.KeyOf(pod))
		}
		return all
	})
	return c
}

// Reconcile implements controlloop.Reconciler.
func (b *Batch) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := b.Pods.Get(key)
	if !ok || obj.GetLabels()[PoolLabel] != Pool || obj.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, nil
	}
	pod := obj.(*corev1.Pod)
	node := b.give(pod)
	if node == "" {
		return controlloop.Result{}, nil
	}
	err := b.Client.Bind(ctx, controlloop.NewBinding(pod, node))
	if err != nil {
		b.takeBack(pod)
	}
	return controlloop.Result{}, err
}

// give chooses a node for a Pod and notes it; "" if the Pod has one, or there is
// none.
func (b *Batch) give(pod *corev1.Pod) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if pod.Spec.NodeName != "" {
		delete(b.given, pod.UID) // the cache knows now
		return ""
	}
	if b.given[pod.UID] != "" {
		return "" // it has been bound, and the cache is late
	}
	node := b.emptiest()
	if node != "" {
		b.given[pod.UID] = node
	}
	return node
}

// takeBack undoes give: the Pod was not bound.
func (b *Batch) takeBack(pod *corev1.Pod) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.given, pod.UID)
}

// emptiest returns the node that has the fewest Pods, the first by name of
// several; "" if there is none.
func (b *Batch) emptiest() string {
	pods := map[string]int{} // by node
	for _, obj := range b.Pods.List() {
		pod := obj.(*corev1.Pod)
		pods[cmp.Or(pod.Spec.NodeName, b.given[pod.UID])]++
	}
	var names []string
	for _, node := range b.Nodes.List() {
		names = append(names, node.GetName())
	}
	if len(names) == 0 {
		return ""
	}
	return slices.MinFunc(names, func(x, y string) int {
		if pods[x] != pods[y] {
			return pods[x] - pods[y]
		}
		return strings.Compare(x, y)
	})
}
