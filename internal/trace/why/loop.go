package why

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/trace"
)

// loop ends the chain at the loop that has to act on an object, or sees that it will.
func (w *walk) loop(lane string, about controlloop.Object) bool {
	return w.keyed(lane, keyOf(about), kindOf(about))
}

// keyed ends the chain at a loop that has this key for an object, and reads these kinds.
func (w *walk) keyed(lane, key string, kinds ...string) bool {
	name := "loop " + lane
	state, runs := w.Look.State(lane)
	switch {
	case !runs:
		w.link(name, "isn't there: no controller of that name runs")
		return w.end(Nobody, "")
	case state.Hold == "paused":
		w.link(name, "has been paused since %s%s", clock(state.Since), place(state.Queue, key))
		return w.end(Paused, "lab loop go-on %s", lane)
	case state.Hold == "crashed":
		w.link(name, "has crashed, and nothing has started it again")
		return w.end(Nobody, "")
	case w.moves(name, key, state), w.behind(name, append(kinds, slices.Sorted(maps.Keys(state.Behind))...)):
		return true
	case (lane == "scheduler" || lane == "garbage collector") && state.Length+len(state.Running) > 0: // no event brings their keys
		w.link(name, "takes one object after another")
		return w.end(Queued, "")
	}
	w.link(name, "rests: this key isn't in its queue, and its caches are at the latest version%s", missed(state.Lost, key))
	return w.end(Nobody, "lab loop resync")
}

// moves ends the chain at a loop that has a key, or that will have it.
func (w *walk) moves(name, key string, state trace.State) bool {
	back, comes := state.Back[key]
	switch {
	case slices.Contains(state.Running, key):
		w.link(name, "reconciles this key")
		return w.end(Queued, "")
	case slices.Contains(state.Queue, key), comes && !back.At.After(w.Now):
		w.link(name, "will reconcile this key%s", place(state.Queue, key))
		return w.end(Queued, "")
	case comes && back.Refused:
		w.link(name, "was refused: %s", back.Err)
		w.beside("it tries again at %s", clock(back.At))
		return w.end(Refused, "")
	case comes && back.Err != "":
		w.link(name, "tries again at %s, after: %s", clock(back.At), back.Err)
		return w.until(BackOff, back.At)
	case comes:
		w.link(name, "looks again at %s", clock(back.At))
		return w.until(Time, back.At)
	}
	return false
}

// behind ends the chain at the first of some kinds of which caches have not heard all.
func (w *walk) behind(name string, kinds []string) bool {
	for _, kind := range kinds {
		if n := w.Look.Behind(kind); n > 0 {
			w.link(name, "hasn't heard of it yet: its cache is %s of %s behind", some(n, "write"), kind)
			return w.end(Behind, "%s", lateness(w, kind))
		}
	}
	return false
}

func lateness(w *walk, kind string) string {
	if w.Look.Late(kind) > 0 {
		return "lab loop late " + kind + " 0"
	}
	return ""
}

func missed(lost []string, key string) string {
	if slices.Contains(lost, key) {
		return "; the last event that would have brought it was dropped"
	}
	return ""
}

// place says where in a queue a key is.
func place(queue []string, key string) string {
	at := slices.Index(queue, key)
	switch at {
	case -1:
		return ""
	case 0:
		return fmt.Sprintf("; it is the first of %d in its queue", len(queue))
	}
	return fmt.Sprintf("; it is behind %s in its queue (%s)", some(at, "other"), strings.Join(queue[:min(at, 3)], ", "))
}
