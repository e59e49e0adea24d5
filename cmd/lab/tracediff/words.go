package tracediff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reconcile/internal/exercise/trial"
)

// says says where two runs differ first.
func (p pair) says(functions []string) string {
	d := p.differ
	switch {
	case p.mine.JSON == nil:
		return "Your run has left no record, since its process died. What the book's does is there."
	case d == nil:
		return "Both runs are the same, step by step: what differs is what a function returned to the test."
	case p.book.JSON == nil:
		return "With the book's answer the test makes no such cluster: they differ before it."
	}
	at := fmt.Sprintf("step %d, %s in", d.atMine, microseconds(d.at))
	switch {
	case d.mine == nil:
		at = "They differ first after " + at
	case d.book != nil && d.mine.String() == d.book.String() && d.mine.object != d.book.object:
		return fmt.Sprintf("They differ first at %s. In both, %s%s, but with another %s.",
			at, d.mine, d.mine.from(functions), field(d.mine.object, d.book.object))
	case d.ordered:
		at = "The same happens in both, but in another order: at " + at
	default:
		at = "They differ first at " + at
	}
	chance := ""
	if d.free {
		chance = " All loops run at once there: some of it may be chance."
	}
	says := fmt.Sprintf("%s. Yours: %s%s. The book's: %s. %s", at, d.says(d.mine), d.mine.from(functions), d.says(d.book), d.rests)
	return strings.TrimSpace(says) + chance
}

// from returns the line of one of these functions that a write comes from, in brackets.
func (e *entry) from(functions []string) string {
	if e == nil {
		return ""
	}
	for _, call := range e.Calls {
		if name, line, _ := strings.Cut(call, " "); slices.Contains(functions, name) {
			return " (" + line + ")"
		}
	}
	return ""
}

// says tells of an entry, or that there is none.
func (d *difference) says(e *entry) string {
	switch {
	case e != nil:
		return e.String()
	case d.ended:
		return "nothing more happens"
	}
	return "nothing happens then"
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

var writes = map[string]string{"added": "creates", "modified": "updates", "deleted": "deletes"}

// String says what happens in a sentence without its end.
func (e *entry) String() string {
	object := e.Kind + " " + e.Key
	switch e.Do {
	case "write":
		return fmt.Sprintf("%s %s %s", e.Lane, writes[e.Verb], object)
	case "heard":
		return "a cache hears of " + object
	case "key":
		return fmt.Sprintf("the queue of %s gets %s", e.Lane, e.Key)
	case "run":
		return fmt.Sprintf("%s reconciles %s", e.Lane, e.Key)
	case "end":
		return e.ended()
	case "decide":
		if e.Node == "" {
			return fmt.Sprintf("%s finds no node for %s", e.Lane, object)
		}
		return fmt.Sprintf("%s chooses %s for %s", e.Lane, e.Node, object)
	}
	return strings.TrimPrefix(e.Lane+": "+e.Text, ": ")
}

// ended says how a reconcile ended.
func (e *entry) ended() string {
	says := fmt.Sprintf("%s is done with %s, ", e.Lane, e.Key)
	switch e.Wrote {
	case 0:
		says += "without a write"
	case 1:
		says += "after one write"
	default:
		says += fmt.Sprintf("after %d writes", e.Wrote)
	}
	if e.Err != "" {
		says += ", and returns the error " + fmt.Sprintf("%q", e.Err)
	}
	if e.After > 0 {
		says += fmt.Sprintf(", and comes back in %s", microseconds(e.After))
	}
	return says
}

// counts are the fields that say no more than what was written before.
var counts = []string{"metadata.resourceVersion", "metadata.uid"}

// field returns the first field in which two objects differ, with both values; "" if
// they don't.
func field(mine, book string) string {
	if mine == book {
		return ""
	}
	var a, b any
	if json.Unmarshal([]byte(mine), &a) != nil || json.Unmarshal([]byte(book), &b) != nil {
		return "content"
	}
	return fieldBelow("", a, b)
}

func fieldBelow(path string, a, b any) string {
	x, y := members(a), members(b)
	if x == nil || y == nil {
		mine, book := text(a), text(b)
		if mine == book || slices.Contains(counts, path) {
			return ""
		}
		return fmt.Sprintf("%s: yours is %s, the book's %s", path, mine, book)
	}
	all := maps.Clone(x)
	maps.Copy(all, y)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		below := strings.TrimPrefix(path+"."+name, ".")
		if found := fieldBelow(below, x[name], y[name]); found != "" {
			return found
		}
	}
	return ""
}

// members returns the fields of an object, or the items of a list; nil of other values.
func members(value any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		return value
	case []any:
		all := map[string]any{}
		for i, item := range value {
			all[fmt.Sprint(i)] = item
		}
		return all
	}
	return nil
}

// text returns a value as YAML would have it on a line.
func text(value any) string {
	if value == nil {
		return "not set"
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // it was read from JSON
	return trial.Short(out.String())
}
