package controlloop

import "k8s.io/apimachinery/pkg/watch"

// Two functions as one would write them first. The pages run each before the
// form that is right: see first_forms_run_test.go.

// ReplaceAlways is Store.replace, and does not ask whether anything changed.
func (s *Store) ReplaceAlways(obj Object, other string) (Object, error) {
	next := Copy(without(obj, other))
	s.mu.Lock()
	defer s.mu.Unlock()
	t, old, err := s.current(next)
	if err != nil {
		return nil, err
	}
	keepIdentity(next, old)
	share(next, old, other)
	return s.commit(t, watch.Modified, next, old), nil
}

// PopUnlocked is DeltaFIFO.TryPop, and lets go of the lock too soon.
func (f *DeltaFIFO) PopUnlocked(process func([]Delta)) bool {
	f.mu.Lock()
	if len(f.order) == 0 {
		f.mu.Unlock()
		return false
	}
	key := f.order[0]
	f.order = f.order[1:]
	deltas := f.deltas[key]
	delete(f.deltas, key)
	f.mu.Unlock()
	process(deltas)
	return true
}
