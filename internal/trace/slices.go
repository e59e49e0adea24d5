package trace

import (
	"fmt"
	"slices"
)

// slice writes an entry that takes no time as a slice, so that it can be a flow's
// beginning.
func (t *tracer) slice(e Entry, name, text string, args map[string]any) {
	l := t.lane(name)
	tid := l.thread(e.At)
	l.busy[tid-1] = float64(e.At) + edge
	t.put(spot{e.N, e.Do, e.Cause, l.pid, tid, e.At})
	t.emit(event{Phase: "X", Name: text, Sort: string(e.Do), At: float64(e.At), Lasts: edge,
		PID: l.pid, TID: tid, Args: args})
}

// write writes a write: an instant of the reconcile that made it, or of the request.
// One that nothing led to is a slice of its own.
func (t *tracer) write(e Entry) {
	text := e.Verb + " " + e.Kind + " " + e.Key
	args := map[string]any{"n": e.N, "verb": e.Verb, "kind": e.Kind, "key": e.Key, "version": e.Version}
	by, known := t.spot(e.Cause)
	if !known {
		t.slice(e, e.Lane, text, args)
		return
	}
	at := e.At
	if by.do == Ask {
		at = by.at
	}
	t.put(spot{e.N, Write, e.Cause, by.pid, by.tid, at})
	t.instant(e, by, "write", text, args)
}

// instant writes an entry that happens on a thread.
func (t *tracer) instant(e Entry, on spot, sort, text string, args map[string]any) {
	across := "t"
	if on.tid == 0 {
		across = "p"
	}
	t.emit(event{Phase: "i", Name: text, Sort: sort, At: float64(e.At) + within,
		PID: on.pid, TID: on.tid, Across: across, Args: args})
}

func (t *tracer) decide(e Entry) {
	run, known := t.runs[e.Run]
	if !known {
		return // it began before the trace
	}
	by := run.on
	t.put(spot{e.N, Decide, e.Cause, by.pid, by.tid, e.At})
	args := map[string]any{"key": e.Key}
	if e.Choice != nil && e.Node != "" {
		args["node"] = e.Node
	} else {
		args["why"] = e.Text
	}
	t.instant(e, by, "decide", "decides about "+e.Key, args)
}

func (t *tracer) dial(e Entry) {
	if e.Connection == nil {
		return
	}
	args := map[string]any{"pod": e.Pod}
	if e.Err != "" {
		args["err"] = e.Err
	}
	t.instant(e, spot{pid: t.lane("connections").pid}, "dial", e.From+" to "+e.To, args)
}

// act writes what was done to a loop; to anything else it's the lab's.
func (t *tracer) act(e Entry) {
	l, text := t.lanes[e.Lane], e.Text
	if l == nil {
		l = t.lane("the lab")
		if e.Lane != "" {
			text = e.Lane + ": " + text
		}
	}
	t.instant(e, spot{pid: l.pid}, "act", text, map[string]any{"verb": e.Verb})
}

// queue counts the keys that wait in a loop's queue.
func (t *tracer) queue(e Entry, waits bool) {
	l := t.lane(e.Lane)
	if l.waiting[e.Key] == waits {
		return
	}
	if waits {
		l.waiting[e.Key] = true
	} else {
		delete(l.waiting, e.Key)
	}
	t.emit(event{Phase: "C", Name: "queue", At: float64(e.At), PID: l.pid,
		Args: map[string]any{"keys": len(l.waiting)}})
}

// end writes a reconcile that has ended, and the flow that led to it: a reader wants
// slices before the flows that are bound to them.
func (t *tracer) end(e Entry) {
	run, known := t.runs[e.Run]
	if !known {
		return // it began before the trace
	}
	delete(t.runs, e.Run)
	on := run.on
	t.lanes[run.Lane].busy[on.tid-1] = float64(e.At) + edge
	if e.N > 0 {
		t.put(spot{e.N, End, e.Cause, on.pid, on.tid, e.At})
	}
	args := map[string]any{"n": run.N, "wrote": e.Wrote}
	if e.Err != "" {
		args["err"] = e.Err
	}
	if e.After > 0 {
		args["again"] = fmt.Sprintf("in %d µs", e.After)
	}
	t.emit(event{Phase: "X", Name: run.Key, Sort: "run", At: float64(run.At),
		Lasts: float64(e.At-run.At) + edge, PID: on.pid, TID: on.tid, Args: args})
	t.flow(on)
}

// flow writes what led to a reconcile.
func (t *tracer) flow(to spot) {
	way := []spot{to}
	for n := to.cause; ; {
		s, known := t.spot(n)
		if !known {
			break
		}
		n = s.cause
		if s.do == Key {
			continue // a queue has no slice
		}
		way = append(way, s)
		if s.do != Heard {
			break
		}
	}
	if len(way) == 1 {
		return // a timer, or what was there before
	}
	slices.Reverse(way)
	for n, s := range way {
		e := event{Phase: "t", Name: "leads to", Sort: "cause", ID: to.n,
			At: float64(s.at) + within, PID: s.pid, TID: s.tid}
		switch n {
		case 0:
			e.Phase = "s"
		case len(way) - 1:
			e.Phase, e.Binds = "f", "e"
		}
		t.emit(e)
	}
}
