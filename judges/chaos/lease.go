package chaos

import (
	"fmt"
	"time"
)

// Caught is how many writes a copy may send after it has woken: those that had been
// looked at and were not sent yet. No look on its side can stop them.
const Caught = 3

// Write is one that kube-apiserver has noted.
type Write struct {
	From     string // whose address it came from
	What     string // "create pods"
	Lease    bool   // it is of the lease that the copies share
	Done     bool   // it was not refused
	Received time.Time
	Answered time.Time
}

// Holders follows who holds the lease.
type Holders struct {
	Changed int // how often another copy took it

	holder  string
	since   time.Time
	late    map[string][]string // what others have written since then
	excused time.Time
}

// NewHolders returns one of a lease that nobody holds.
func NewHolders() *Holders { return &Holders{late: map[string][]string{}} }

// Holder returns from where the lease was written last.
func (h *Holders) Holder() string { return h.holder }

// Restored says that the lease is as it was before, and that whoever has taken it since
// cannot know it yet; that is excused until a moment.
func (h *Holders) Restored(until time.Time) { h.excused = until }

// Note takes a write of a copy, in the order of their answers.
func (h *Holders) Note(w Write) []Violation {
	if w.Lease {
		if w.Done && w.From != h.holder {
			if h.holder != "" {
				h.Changed++
			}
			h.holder, h.since = w.From, w.Answered
			clear(h.late)
		}
		return nil
	}
	if w.From == h.holder || h.holder == "" || !w.Received.After(h.since) || w.Received.Before(h.excused) {
		return nil
	}
	h.late[w.From] = append(h.late[w.From], w.What)
	if len(h.late[w.From]) != Caught+1 { // once
		return nil
	}
	return []Violation{{Lease, fmt.Sprintf("%s at %s, while %s held it since %s: %v",
		w.From, w.Received.Format(time.TimeOnly), h.holder, h.since.Format(time.TimeOnly), h.late[w.From])}}
}
