package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Answer is what came of a change.
type Answer int

// The answers.
const (
	Acknowledged Answer = iota
	Refused             // it was not done, and never will be
	Missing             // refused, since there is no such object
	Unknown             // it was done, or will be in a moment, or never
)

// String names an answer.
func (a Answer) String() string {
	return [...]string{"acknowledged", "refused", "refused: not there", "unknown"}[a]
}

// State is what an object is to be.
type State struct {
	Exists   bool
	Replicas int32 // but of DaemonSets
	Image    string
}

// String says what a state is.
func (s State) String() string {
	if !s.Exists {
		return "not there"
	}
	return fmt.Sprintf("%d of %s", s.Replicas, s.Image)
}

// Ledger keeps what each object may be, by what was answered to changes.
type Ledger struct {
	may   map[Object][]State // nil: it was never created
	loose map[Object][]loose
}

// loose is a change that was not answered, and may still arrive.
type loose struct {
	Change
	asked time.Time
}

// arrival is how long a change may take that nobody waits for any more: as long as
// kube-apiserver gives a request.
const arrival = time.Minute

// NewLedger returns an empty one.
func NewLedger() *Ledger {
	return &Ledger{may: map[Object][]State{}, loose: map[Object][]loose{}}
}

// Copy returns one that stays as this is now, for a backup.
func (l *Ledger) Copy() *Ledger {
	other := NewLedger()
	for o, states := range l.may {
		other.may[o] = slices.Clone(states)
	}
	for o, changes := range l.loose {
		other.loose[o] = slices.Clone(changes)
	}
	return other
}

// May returns what an object may be.
func (l *Ledger) May(o Object) []State {
	if states := l.may[o]; states != nil {
		return states
	}
	return []State{{}}
}

// Fit returns what takes the place of a change that was planned when other things were
// expected to be there: after a restore, or when a change was not done.
func (l *Ledger) Fit(c Change) Change {
	there, gone := false, false
	for _, s := range l.May(c.Object) {
		there, gone = there || s.Exists, gone || !s.Exists
	}
	switch {
	case !there && c.Op != Create:
		c.Op = Create
	case !gone && c.Op == Create:
		c.Op = Roll
	}
	return c
}

// Last returns a change for which all Pods of an object have to be made anew: after it,
// nothing is right by chance.
func (l *Ledger) Last(o Object) Change {
	c := Change{Object: o, Op: Roll, Replicas: 2}
	for _, image := range images {
		if !slices.ContainsFunc(l.May(o), func(s State) bool { return s.Image == image }) {
			c.Image = image
		}
	}
	c.Image = cmp.Or(c.Image, images[0])
	return l.Fit(c)
}

// Note keeps what was answered at a moment to a change: with an acknowledgement, also
// what the object is now. It returns an error if what was answered cannot be.
func (l *Ledger) Note(at time.Time, c Change, a Answer, now State) error {
	o := c.Object
	switch a {
	case Acknowledged:
		l.are(at, o, []State{now})
	case Unknown:
		l.loose[o] = append(l.loose[o], loose{c, at})
		l.perhaps(c)
	case Missing:
		without := slices.DeleteFunc(slices.Clone(l.May(o)), func(s State) bool { return s.Exists })
		if len(without) == 0 {
			return fmt.Errorf("%s was acknowledged as %v, and is not there", o, l.May(o))
		}
		l.are(at, o, without)
	}
	return nil
}

// are keeps what an object may be, and what it becomes if a change arrives late.
func (l *Ledger) are(at time.Time, o Object, states []State) {
	l.may[o] = states
	l.loose[o] = slices.DeleteFunc(l.loose[o], func(old loose) bool { return at.Sub(old.asked) > arrival })
	for _, old := range l.loose[o] {
		l.perhaps(old.Change)
	}
}

// perhaps adds what an object is if a change has been made or is made now.
func (l *Ledger) perhaps(c Change) {
	for _, s := range l.May(c.Object) {
		if next := c.after(s); !slices.Contains(l.May(c.Object), next) {
			l.may[c.Object] = append(slices.Clone(l.May(c.Object)), next)
		}
	}
}

// after returns what a state becomes by a change.
func (c Change) after(s State) State {
	switch {
	case c.Op == Create && !s.Exists:
		return c.State()
	case c.Op == Delete:
		return State{}
	case c.Op == Scale && s.Exists:
		s.Replicas = c.Replicas
	case c.Op == Roll && s.Exists:
		s.Image = c.Image
	}
	return s
}

// State returns what an object is that was created by this change.
func (c Change) State() State {
	if c.Kind == DaemonSet {
		return State{Exists: true, Image: c.Image}
	}
	return State{true, c.Replicas, c.Image}
}
