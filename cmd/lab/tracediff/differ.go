package tracediff

import (
	"fmt"
	"slices"
)

// A difference is the first step in which a run differs from another.
type difference struct {
	mine, book     *entry // nil: nothing happens in that run, then or any more
	atMine, atBook int    // the entries to look at
	at             int64
	ordered        bool   // the same happens, in another order
	free           bool   // all loops run at once
	ended          bool   // the run with nothing has ended
	rests          string // what the loop does that goes on in the book's run
}

// differ returns the first difference of two runs, or nil. It compares an instant as a
// whole, and a reconcile with the other run's reconcile of the same key, because keys
// that fall due together may come in any order. After the first change of order it
// compares no objects, since addresses and versions depend on the order.
func differ(mine, book []entry) *difference {
	c := comparison{}
	for i, j := 0, 0; i < len(mine) || j < len(book); {
		at := earlier(mine[i:], book[j:])
		a, b := during(mine[i:], at), during(book[j:], at)
		i, j = i+len(a), j+len(b)
		if d := c.instant(a, b); d != nil {
			d.at, d.free = at, c.free
			d.atMine, d.atBook = number(d.mine, mine[:i]), number(d.book, book[:j])
			d.ended = d.mine == nil && i == len(mine) || d.book == nil && j == len(book)
			d.rests = d.standstill(mine, book)
			return d
		}
	}
	return c.order
}

// number returns the number of an entry or, without one, that of the last entry
// before it.
func number(e *entry, until []entry) int {
	switch {
	case e != nil:
		return e.N
	case len(until) > 0:
		return until[len(until)-1].N
	}
	return 0
}

// earlier returns the earlier of two records' next instants.
func earlier(a, b []entry) int64 {
	switch {
	case len(a) == 0:
		return b[0].At
	case len(b) == 0:
		return a[0].At
	}
	return min(a[0].At, b[0].At)
}

// during returns those of the first entries that happen at one instant.
func during(all []entry, at int64) []entry {
	n := 0
	for n < len(all) && all[n].At == at {
		n++
	}
	return all[:n]
}

// comparison is the state of comparing two runs.
type comparison struct {
	free  bool        // all loops run at once
	order *difference // where the order was another for the first time
}

// instant compares what happens in two runs at one instant.
func (c *comparison) instant(mine, book []entry) *difference {
	runs := func(e entry) bool { return e.Do == "act" && e.Verb == "run" }
	c.free = c.free || slices.ContainsFunc(mine, runs) && slices.ContainsFunc(book, runs)
	a, b := c.events(mine), c.events(book)
	first, same := 0, 0
	for first < min(len(a), len(b)) && a[first].says == b[first].says {
		same += len(a[first].entries)
		first++
	}
	if c.order == nil && !c.free {
		if d := otherObject(mine[:same], book[:same]); d != nil {
			return d
		}
	}
	a, b = a[first:], b[first:]
	switch {
	case len(a)+len(b) == 0:
		return nil
	case len(a) == 0 || len(b) == 0 || !within(a[0], b) || !within(b[0], a):
		return inside(a, b)
	}
	if x, y := without(a, b), without(b, a); x != nil || y != nil {
		return inside(x, y)
	}
	if c.order == nil && !c.free {
		x, y := a[0].entries[0], b[0].entries[0]
		c.order = &difference{mine: &x, book: &y, atMine: x.N, atBook: y.N, at: x.At, ordered: true}
	}
	return nil
}

// An event is something that happens as a whole: a reconcile with all its writes, or an
// entry.
type event struct {
	says    string
	entries []entry
}

// within reports whether an event is one of others.
func within(e event, others []event) bool {
	return slices.ContainsFunc(others, func(other event) bool { return other.says == e.says })
}

// events returns the events of an instant. If all loops run at once, an event is the
// last write of an object: how many writes come before it is chance.
func (c *comparison) events(instant []entry) (all []event) {
	if c.free {
		return left(instant)
	}
	for at := 0; at < len(instant); {
		end := at + 1
		if instant[at].Do == "run" {
			for end < len(instant) && instant[end-1].Do != "end" {
				end++
			}
		}
		e := event{entries: instant[at:end]}
		for _, entry := range e.entries {
			e.says += fmt.Sprintln(entry.step)
		}
		all, at = append(all, e), end
	}
	return all
}

// left returns the last writes of objects.
func left(instant []entry) (all []event) {
	last := map[string]int{}
	for i, e := range instant {
		if e.Do == "write" {
			last[e.Kind+" "+e.Key] = i
		}
	}
	for i, e := range instant {
		if e.Do == "write" && last[e.Kind+" "+e.Key] == i {
			all = append(all, event{fmt.Sprintln(e.Kind, e.Verb, e.Is.Word), instant[i : i+1]})
		}
	}
	return all
}

// without returns some events from the first on that has no counterpart in others.
func without(some, others []event) []event {
	count := map[string]int{}
	for _, e := range others {
		count[e.says]++
	}
	for i, e := range some {
		if count[e.says]--; count[e.says] < 0 {
			return some[i:]
		}
	}
	return nil
}

// inside returns the difference between the first of some events and the first of
// others: inside of them, if both are reconciles of one key.
func inside(some, others []event) *difference {
	d := &difference{}
	var x, y []entry
	if len(some) > 0 {
		x = some[0].entries
	}
	if len(others) > 0 {
		y = others[0].entries
	}
	at := 0
	for at < min(len(x), len(y)) && x[at].step == y[at].step {
		at++
	}
	if at < len(x) {
		d.mine = &x[at]
	}
	if at < len(y) {
		d.book = &y[at]
	}
	return d
}

// otherObject returns the first write of the same object with another content, or nil.
func otherObject(mine, book []entry) *difference {
	for i := range mine {
		if field(mine[i].object, book[i].object) != "" {
			return &difference{mine: &mine[i], book: &book[i]}
		}
	}
	return nil
}
