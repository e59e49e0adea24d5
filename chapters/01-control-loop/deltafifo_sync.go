package controlloop

import (
	"context"
)

// NewDeltaFIFO returns an empty fifo. known is where its reader keeps what it
// takes out; Replace compares with that to find what was deleted unseen.
func NewDeltaFIFO(known *Indexer) *DeltaFIFO {
	return &DeltaFIFO{
		deltas: map[Key][]Delta{},
		known:  known,
		wake:   make(chan struct{}, 1),
		synced: make(chan struct{}),
	}
}

// Add appends what happened to obj to its entry.
func (f *DeltaFIFO) Add(event DeltaType, obj Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.push(Delta{Type: event, Object: obj})
}

// push adds d to the entry of its object, and wakes the reader. f.mu is held.
func (f *DeltaFIFO) push(d Delta) {
	f.enqueue(d)
	select {
	case f.wake <- struct{}{}:
	default: // a token is there already
	}
}

// lastStates returns the newest known states of all objects that are not known
// to be deleted, those that wait in the fifo before those that have come out.
func (f *DeltaFIFO) lastStates() []Object {
	var last []Object
	for _, key := range f.order {
		deltas := f.deltas[key]
		if newest := deltas[len(deltas)-1]; newest.Type != Deleted {
			last = append(last, newest.Object)
		}
	}
	for _, obj := range f.known.List() {
		if len(f.deltas[KeyOf(obj)]) == 0 {
			last = append(last, obj)
		}
	}
	return last
}

// Resync reminds the reader of every object that it knows and that has nothing
// else waiting.
func (f *DeltaFIFO) Resync() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, obj := range f.known.List() {
		if len(f.deltas[KeyOf(obj)]) == 0 {
			f.push(Delta{Type: Sync, Object: obj})
		}
	}
}

// Pop does the same as TryPop, but waits for an entry. It returns false when
// ctx has ended.
func (f *DeltaFIFO) Pop(ctx context.Context, process func([]Delta)) bool {
	for !f.TryPop(process) {
		select {
		case <-f.wake:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// checkSynced closes synced when the whole first list has been taken out.
func (f *DeltaFIFO) checkSynced() {
	if f.initial == 0 {
		close(f.synced)
	}
}
