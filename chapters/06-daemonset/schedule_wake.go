package daemonset

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
)

// event is something that happened and may help a Pod that no node took: a node
// was one thing and is another, a Pod has left a node or come to one.
type event struct {
	was, is    *corev1.Node // nil: there was or is none
	left, came *demand      // both: its labels have changed
	volumes    bool         // a claim, a volume or a class has changed
	self       types.UID    // the Pod itself has changed
}

func (e *event) isNewNode() bool { return e.was == nil && e.is != nil }

// gone reports whether a Pod has left, and not only changed.
func (e *event) gone() bool { return e.left != nil && e.came == nil }

// isOf reports whether a Pod has left that may look for a place again: that its
// own is free is no news to it.
func (e *event) isOf(uid types.UID) bool {
	return e.gone() && e.left.UID == uid
}

func (e *event) isRelabelled() bool {
	return e.was != nil && e.is != nil && !maps.Equal(e.was.Labels, e.is.Labels)
}

func (e *event) isRetainted() bool {
	return e.was != nil && e.is != nil &&
		!equality.Semantic.DeepEqual(e.was.Spec.Taints, e.is.Spec.Taints)
}

// happened wakes those whom an event may help: of the Pods that a filter has
// refused, it knows which. s.mu is held.
func (s *Scheduler) happened(e *event) {
	if s.queue.trying != nil && !e.isOf(s.queue.trying.UID) {
		s.queue.missed = append(s.queue.missed, e)
	}
	for _, w := range s.queue.byCause[anyCause] {
		s.queue.wake(w)
	}
	for i := range s.filters {
		f := &s.filters[i]
		for _, w := range s.queue.byCause[f.Name] {
			if f.wakes(s.nodes, w.demand, e) {
				s.queue.wake(w)
			}
		}
	}
}

// helps reports whether an event may help a Pod that no node took.
func (s *Scheduler) helps(w *waiting, e *event) bool {
	for i := range s.filters {
		for _, name := range w.refusedBy {
			if name == s.filters[i].Name &&
				s.filters[i].wakes(s.nodes, w.demand, e) {
				return true
			}
		}
	}
	return len(w.refusedBy) == 0
}
