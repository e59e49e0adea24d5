package course

import (
	"fmt"

	"reconcile/internal/source"
)

// Slot is a time in which an item is done.
type Slot struct {
	Session     *Session
	Item        *Item // nil: a break that the course did not ask for by name
	At, Minutes int   // At is in minutes after midnight
}

// Timetable returns the course by the clock, and reports the item with which an
// evening goes beyond its end. minutes says how long a section or an exercise
// takes that says nothing of it itself.
//
// A break comes before the item with which people would work for longer than they
// should: between two items, and never inside of one.
func (c *Course) Timetable(minutes func(*Item) int) ([]Slot, error) {
	var slots []Slot
	var errs []error
	var before *Session
	at, worked, over := 0, 0, false
	add := func(s Slot) {
		s.At = at
		slots = append(slots, s)
		at += s.Minutes
		if worked += s.Minutes; s.Item == nil || s.Item.Break {
			worked = 0
		}
	}
	for _, s := range c.Sessions {
		if before == nil || s.Evening != before.Evening {
			at, worked, over, before = c.start(s.Evening), 0, false, s
		}
		for _, item := range s.Items {
			long := item.Minutes
			if long == 0 {
				long = minutes(item)
			}
			if c.Breaks.Every > 0 && worked > 0 && !item.Break && worked+long > c.Breaks.Every {
				add(Slot{Session: before, Minutes: c.Breaks.Minutes})
			}
			add(Slot{Session: s, Item: item, Minutes: long})
			before = s
			if end := c.start(s.Evening) + c.Minutes; at > end && !over {
				over = true
				errs = append(errs, c.problem(item.Line, "over target: this ends at %s, and the course at %s", Clock(at), Clock(end)))
			}
		}
	}
	return slots, source.Join(errs...)
}

// start returns when an evening starts. One that has no start was reported.
func (c *Course) start(evening int) int {
	if evening > len(c.Starts) {
		return 0
	}
	return c.Starts[evening-1]
}

// Clock returns a minute after midnight as a clock shows it.
func Clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60%24, minute%60) }
