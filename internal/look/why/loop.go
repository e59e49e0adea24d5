package why

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
)

// loop ends the chain at the loop that has to act on an object, or sees that it will.
func (w *walk) loop(lane string, about controlloop.Object) bool {
	return w.keyed(lane, keyOf(about), kindOf(about))
}

// keyed ends the chain at a loop that has this key for an object, and reads these kinds.
func (w *walk) keyed(lane, key string, own ...string) bool {
	state, runs := w.Look.State(lane)
	says := func(format string, args ...any) {
		w.chain.Links = append(w.chain.Links, Link{"loop " + lane, fmt.Sprintf(format, args...)})
	}
	if !runs {
		says("isn't there: no controller of that name runs")
		return w.end(Nobody, "")
	}
	at := slices.Index(state.Queue, key)
	back, comesBack := state.Back[key]
	switch state.Hold {
	case "paused":
		says("has been paused since %s%s", clock(state.Since), place(state.Queue, at))
		return w.end(Paused, "lab loop go-on %s", lane)
	case "crashed":
		says("has crashed, and nothing has started it again")
		return w.end(Nobody, "")
	}
	switch kind, n := behind(w, state.Behind, own); {
	case slices.Contains(state.Running, key):
		says("reconciles this key")
		return w.end(Queued, "")
	case at >= 0 || comesBack && !back.At.After(w.Now):
		says("will reconcile this key%s", place(state.Queue, at))
		return w.end(Queued, "")
	case comesBack && back.Refused:
		says("was refused: %s", back.Err)
		w.beside("it tries again at %s", clock(back.At))
		return w.end(Refused, "")
	case comesBack && back.Err != "":
		says("tries again at %s, after: %s", clock(back.At), back.Err)
		return w.until(BackOff, back.At)
	case comesBack:
		says("looks again at %s", clock(back.At))
		return w.until(Time, back.At)
	case n > 0:
		says("hasn't heard of it yet: its cache is %s of %s behind", some(n, "write"), kind)
		return w.end(Behind, "%s", lateness(w, kind))
	}
	if (lane == "scheduler" || lane == "garbage collector") && state.Length+len(state.Running) > 0 { // no event brings their keys
		says("takes one object after another")
		return w.end(Queued, "")
	}
	says("rests: this key isn't in its queue, and its caches are at the latest version%s", missed(state.Lost, key))
	return w.end(Nobody, "lab loop resync")
}

// behind returns the kind of which a loop's caches have not heard all, its own first.
func behind(w *walk, kinds map[string]int, own []string) (string, int) {
	for _, kind := range append(own, slices.Sorted(maps.Keys(kinds))...) {
		if n := w.Look.Behind(kind); n > 0 {
			return kind, n
		}
	}
	return "", 0
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
func place(queue []string, at int) string {
	switch {
	case at < 0:
		return ""
	case at == 0:
		return fmt.Sprintf("; it is the first of %d in its queue", len(queue))
	}
	return fmt.Sprintf("; it is behind %s in its queue (%s)", some(at, "other"), strings.Join(queue[:min(at, 3)], ", "))
}
