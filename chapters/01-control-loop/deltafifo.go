package controlloop

import (
	"sync"
)

// DeltaType says what happened to an object, as its reflector learned it.
type DeltaType string

const (
	Added    DeltaType = "Added"
	Updated  DeltaType = "Updated"
	Deleted  DeltaType = "Deleted"
	Replaced DeltaType = "Replaced" // it was in a list: new, changed, or neither
	Sync     DeltaType = "Sync"     // nothing happened: a resync reminds of it
)

// Delta is one thing that happened to an object, and its state after that.
type Delta struct {
	Type   DeltaType
	Object Object
	// Missed is set on a Deleted that no watch delivered: the object was
	// missing from a list. Object then holds the last known state, which need
	// not be the last state it had. client-go calls this
	// DeletedFinalStateUnknown.
	Missed bool
}

// DeltaFIFO stands between a reflector, which learns of changes, and the
// informer that handles them. It has one entry an object, holding all that
// happened to it since it was last taken out; entries come out in the order in
// which they came in.
type DeltaFIFO struct {
	mu      sync.Mutex
	deltas  map[Key][]Delta // not empty for every key in order, and for no other
	order   []Key
	known   *Indexer      // what has come out
	wake    chan struct{} // holds a token when something came in
	listed  bool          // Replace was called
	initial int           // entries of the first list not yet taken out
	synced  chan struct{} // closed once listed and initial is zero
}

// enqueue appends d to the entry of its object, and makes the entry if
// need be.
//
//book:exercise 1f
func (f *DeltaFIFO) enqueue(d Delta) {
	key := KeyOf(d.Object)
	if len(f.deltas[key]) == 0 {
		f.order = append(f.order, key)
	}
	f.deltas[key] = coalesce(append(f.deltas[key], d))
}

// coalesce merges two deletions in a row, at the end of deltas, into the
// second: that one was seen, and so has the object's last state. (An unseen
// deletion is never the second: see lastStates.) All else stays, so that a
// handler can still tell an object that changed from one that was replaced by
// another of the same name.
//
//book:exercise 1f
func coalesce(deltas []Delta) []Delta {
	n := len(deltas)
	if n < 2 || deltas[n-1].Type != Deleted || deltas[n-2].Type != Deleted {
		return deltas
	}
	return append(deltas[:n-2:n-2], deltas[n-1])
}

// Replace takes objs as the whole truth: each is Replaced, and an object that
// is known or waiting but not among them is Deleted, with Missed set.
//
//book:exercise 1f
func (f *DeltaFIFO) Replace(objs []Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	present := map[Key]bool{}
	for _, obj := range objs {
		present[KeyOf(obj)] = true
		f.push(Delta{Type: Replaced, Object: obj})
	}
	for _, obj := range f.lastStates() {
		if !present[KeyOf(obj)] {
			f.push(Delta{Type: Deleted, Object: obj, Missed: true})
		}
	}
	if !f.listed {
		f.listed, f.initial = true, len(f.order)
		f.checkSynced()
	}
}

// TryPop hands the oldest entry to process, or returns false when the fifo is
// empty. The fifo is locked meanwhile, so that Replace never sees an object
// that is no longer in the fifo and not yet among the known.
func (f *DeltaFIFO) TryPop(process func([]Delta)) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.order) == 0 {
		return false
	}
	key := f.order[0]
	f.order = f.order[1:]
	deltas := f.deltas[key]
	delete(f.deltas, key)
	process(deltas)
	if f.initial > 0 {
		f.initial--
		f.checkSynced()
	}
	return true
}
