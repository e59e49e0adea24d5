package controlloop

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// These are exported to the tests alone.

// PlanFor returns how many Pods to create, and which to delete.
func PlanFor(
	rc *corev1.ReplicationController, pods []*corev1.Pod,
) (create int, remove []*corev1.Pod) {
	p := planFor(rc, pods)
	return p.create, p.remove
}

// Sets returns what a queue holds: each key as it is written.
func Sets[K cmp.Ordered](q *Queue[K]) (dirty, queue, processing []K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Sorted(maps.Keys(q.dirty)), slices.Clone(q.queue),
		slices.Sorted(maps.Keys(q.processing))
}

// These return what guards a queue, a backoff, a fifo.
func LockOfQueue[K comparable](q *Queue[K]) sync.Locker     { return &q.mu }
func LockOfBackoff[K comparable](b *Backoff[K]) sync.Locker { return &b.mu }
func LockOfFIFO(f *DeltaFIFO) sync.Locker                   { return &f.mu }

// Counted returns how many keys a backoff has an entry of.
func Counted[K comparable](b *Backoff[K]) int { return len(b.failures) }

// Entries returns what waits in a fifo, in its order.
func Entries(f *DeltaFIFO) (entries [][]Delta) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range f.order {
		entries = append(entries, f.deltas[key])
	}
	return entries
}

// PlaceOf returns up to which version a watch of a store has read.
func PlaceOf(w Watch) uint64 { return w.(*follower).after }
