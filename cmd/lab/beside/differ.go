package beside

import (
	"fmt"
	"slices"
)

// A difference is the first step in which a run differs from another.
type difference struct {
	mine, book     *entry // nil: nothing happens in that run, then or any more
	atMine, atBook int    // the entries to look at
	at             int64
	ordered        bool // the same happens, in another order
	ended          bool // the run with nothing has ended
}

// differ returns where two runs differ first; nil: nowhere. An instant is compared as a
// whole: keys that fall due together may come in any order, and then what one
// reconcile does is held against what the other run's reconcile of that key does. Once
// the order was another, objects are not compared any more: addresses and versions
// go by it.
func differ(mine, book []entry) *difference {
	c := comparison{}
	for i, j := 0, 0; i < len(mine) || j < len(book); {
		at := earlier(mine[i:], book[j:])
		a, b := during(mine[i:], at), during(book[j:], at)
		if d := c.instant(a, b); d != nil {
			d.at, d.atMine, d.atBook = at, before(mine, i), before(book, j)
			if d.mine != nil {
				d.atMine = d.mine.N
			}
			if d.book != nil {
				d.atBook = d.book.N
			}
			d.ended = d.mine == nil && i+len(a) == len(mine) || d.book == nil && j+len(b) == len(book)
			return d
		}
		i, j = i+len(a), j+len(b)
	}
	return c.order
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

// during returns the first entries, as far as they are of an instant.
func during(all []entry, at int64) []entry {
	n := 0
	for n < len(all) && all[n].At == at {
		n++
	}
	return all[:n]
}

// before returns the number of the entry before the i-th.
func before(all []entry, i int) int {
	if i == 0 {
		return 0
	}
	return all[i-1].N
}

// comparison is that of two runs, as far as it has come.
type comparison struct {
	free  bool        // all loops run at once
	order *difference // where the order was another for the first time
}

// instant compares what happens in two runs at one instant.
func (c *comparison) instant(mine, book []entry) *difference {
	runs := func(e entry) bool { return e.Do == "act" && e.Verb == "run" }
	c.free = c.free || slices.ContainsFunc(mine, runs) && slices.ContainsFunc(book, runs)
	a, b := c.events(mine), c.events(book)
	if slices.EqualFunc(a, b, event.same) {
		if c.order != nil || c.free {
			return nil
		}
		return otherObject(mine, book)
	}
	x, y := without(a, b), without(b, a)
	if x != nil || y != nil {
		return inside(x, y)
	}
	if c.order == nil && !c.free {
		for i := range a {
			if !a[i].same(b[i]) {
				x, y := a[i].entries[0], b[i].entries[0]
				c.order = &difference{mine: &x, book: &y, atMine: x.N, atBook: y.N, at: x.At, ordered: true}
				break
			}
		}
	}
	return nil
}

// An event is something that happens as a whole: a reconcile with all its writes, or an
// entry.
type event struct {
	says    string
	entries []entry
}

func (e event) same(other event) bool { return e.says == other.says }

// events returns those of an instant. Where all loops run at once, they are how each
// object was left, under whatever name: who hears of how many steps in between is
// chance.
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

// without returns the first of some events that has no counterpart in others, or nil.
func without(some, others []event) *event {
	count := map[string]int{}
	for _, e := range others {
		count[e.says]++
	}
	for i, e := range some {
		if count[e.says]--; count[e.says] < 0 {
			return &some[i]
		}
	}
	return nil
}

// inside returns the difference of two events: that within them if they are reconciles of
// one key.
func inside(x, y *event) *difference {
	d := &difference{}
	at := 0
	if x != nil && y != nil {
		for at < min(len(x.entries), len(y.entries))-1 && x.entries[at].step == y.entries[at].step {
			at++
		}
	}
	if x != nil {
		d.mine = &x.entries[at]
	}
	if y != nil {
		d.book = &y.entries[at]
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
