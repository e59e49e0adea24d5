package scheduler

import "reconcile/chapters/06-daemonset/scheduler/cache"

// happened wakes the Pods that an event may help: of those that a filter has
// refused, the filter knows which. s.mu is held.
func (s *Scheduler) happened(e *cache.Event) {
	if s.queue.trying != nil && !e.IsOf(s.queue.trying.UID) {
		s.queue.missed = append(s.queue.missed, e)
	}
	for _, w := range s.queue.byCause[anyCause] {
		s.queue.wake(w)
	}
	for i := range s.filters {
		f := &s.filters[i]
		for _, w := range s.queue.byCause[f.Name] {
			if f.Hint(s.nodes, w.PodInfo, e) {
				s.queue.wake(w)
			}
		}
	}
}

// helps reports whether an event may help a Pod that no node took.
func (s *Scheduler) helps(w *waiting, e *cache.Event) bool {
	for i := range s.filters {
		for _, name := range w.refusedBy {
			if name == s.filters[i].Name &&
				s.filters[i].Hint(s.nodes, w.PodInfo, e) {
				return true
			}
		}
	}
	return len(w.refusedBy) == 0
}
