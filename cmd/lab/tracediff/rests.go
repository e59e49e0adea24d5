package tracediff

import (
	"fmt"
	"slices"
)

// standstill says who has to act where your run stands still: nothing more happens in it,
// or nothing more to a key of which a reconcile has ended otherwise than the book's.
func (d *difference) standstill(mine, book []entry) string {
	switch {
	case d.book == nil:
	case d.mine == nil && d.ended:
		return rests(mine, book, d.book)
	case d.mine != nil && d.mine.Do == "end" && d.mine.Err == "" && d.mine.After == 0 &&
		latest(mine, func(e entry) bool { return e.Lane == d.mine.Lane && e.Key == d.mine.Key }).N == d.mine.N:
		return rests(mine, book, d.mine)
	}
	return ""
}

// rests says what the loop that goes on in the book's run does with the same key where
// yours stands still: the last link of the chain from what is missing to who has to act.
// It is "" where no loop goes on.
func rests(mine, book []entry, next *entry) string {
	lane, key := next.Lane, next.Key
	switch next.Do {
	case "run", "key", "end":
	case "write":
		run := latest(book, func(e entry) bool { return e.N < next.N && e.Do == "run" && e.Lane == lane })
		key = run.Key
	default:
		return ""
	}
	if key == "" {
		return ""
	}
	last := latest(mine, func(e entry) bool {
		return e.Lane == lane && e.Key == key && slices.Contains([]string{"key", "run", "end"}, e.Do)
	})
	switch {
	case last.Do == "":
		return fmt.Sprintf("In yours nothing has ever brought %s into the queue of %s: nobody will act.", key, lane)
	case last.Do == "key":
		return fmt.Sprintf("In yours %s waits in the queue of %s, which doesn't take it.", key, lane)
	case last.Do == "run":
		return fmt.Sprintf("In yours %s still reconciles %s.", lane, key)
	case last.Err != "":
		return fmt.Sprintf("In yours %s tries %s again and again, and returns the error %q.", lane, key, last.Err)
	case last.After > 0:
		return fmt.Sprintf("In yours %s looks at %s again after %s.", lane, key, microseconds(last.After))
	}
	return fmt.Sprintf("In yours %s rests, and %s isn't in its queue: nobody will act.", lane, key)
}

// latest returns the last of entries that fits, or an empty one.
func latest(all []entry, fits func(entry) bool) entry {
	for _, e := range slices.Backward(all) {
		if fits(e) {
			return e
		}
	}
	return entry{}
}
