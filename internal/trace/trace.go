package trace

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
)

// Trace writes what happens, from now until ctx ends, in the Trace Event Format, which
// Perfetto and chrome://tracing read. Loops are processes, and reconciles their slices:
// several at once are on threads of their own. What led to a reconcile is a flow: from
// where it was written, by way of the cache that heard of it.
//
// It returns when all is written, or when that fails. A file that was cut off can be
// read still.
func (r *Recorder) Trace(ctx context.Context, w io.Writer) error {
	t := &tracer{out: bufio.NewWriter(w), lanes: map[string]*lane{}, runs: map[int]traced{}}
	r.Begin()
	defer r.End()
	t.text("[\n")
	err := r.Follow(ctx, t.writeNew)
	if !errors.Is(err, context.Cause(ctx)) || ctx.Err() == nil {
		return err
	}
	_ = t.writeNew(r.Entries()) // what has come since; the writer knows of errors
	for _, n := range slices.Sorted(maps.Keys(t.runs)) {
		t.end(Entry{At: t.at, Run: n, Err: "it hadn't ended when the trace did"})
	}
	t.text("\n]\n")
	return t.out.Flush()
}

// tracer makes trace events of entries.
type tracer struct {
	out   *bufio.Writer
	begun bool // the list of events
	last  int  // the number of the latest entry
	at    int64
	lanes map[string]*lane
	runs  map[int]traced // that have not ended, by number
	spots [1 << 16]spot  // of the latest entries, by number
}

// lane is a process of the trace.
type lane struct {
	pid     int
	busy    []float64       // until when each thread is
	waiting map[string]bool // keys in the queue
}

// spot is where an entry is in the trace: in a slice, so that a flow can begin or end
// there.
type spot struct {
	n        int
	do       Do
	cause    int
	pid, tid int
	at       int64
}

// traced is a reconcile under way, and where it is.
type traced struct {
	Entry
	on spot
}

// Entries of one microsecond are apart by parts of it: what happens in a slice is not
// at its edge, where readers take it to be outside.
const (
	within = 0.25
	edge   = 0.5
)

// event is one of the format (Google: Trace Event Format, 2016).
type event struct {
	Phase  string         `json:"ph"`
	Name   string         `json:"name"`
	Sort   string         `json:"cat,omitempty"`
	At     float64        `json:"ts"` // microseconds
	Lasts  float64        `json:"dur,omitempty"`
	PID    int            `json:"pid"`
	TID    int            `json:"tid,omitempty"`
	ID     int            `json:"id,omitempty"`
	Binds  string         `json:"bp,omitempty"`
	Across string         `json:"s,omitempty"` // an instant's: a process, or a thread
	Args   map[string]any `json:"args,omitempty"`
}

// writeNew writes those entries that are new.
func (t *tracer) writeNew(entries []Entry) error {
	for _, e := range entries {
		if e.N > 0 && e.N <= t.last {
			continue
		}
		t.last, t.at = max(t.last, e.N), max(t.at, e.At)
		t.entry(e)
	}
	return t.out.Flush()
}

func (t *tracer) entry(e Entry) {
	switch e.Do {
	case Lane:
		t.lane(e.Lane)
	case Ask:
		t.slice(e, e.Lane, e.Text, nil)
	case Write:
		t.write(e)
	case Heard:
		t.slice(e, "caches", e.Verb+" "+e.Kind+" "+e.Key, map[string]any{"version": e.Version})
	case Key:
		t.put(spot{n: e.N, do: Key, cause: e.Cause})
		t.queue(e, true)
	case Run:
		l := t.lane(e.Lane)
		on := spot{e.N, Run, e.Cause, l.pid, l.thread(e.At), e.At}
		t.put(on)
		t.runs[e.N] = traced{e, on}
		t.queue(e, e.Verb == there)
	case End:
		t.end(e)
	case Decide:
		t.decide(e)
	case Dial:
		t.dial(e)
	case Act:
		t.act(e)
	}
}

// emit writes an event. All that is in one can be written as JSON.
func (t *tracer) emit(e event) {
	if t.begun {
		t.text(",\n")
	}
	t.begun = true
	text, _ := json.Marshal(e)
	_, _ = t.out.Write(text) // Flush tells of errors
}

func (t *tracer) text(s string) { _, _ = t.out.WriteString(s) }

// lane returns the process of a name.
func (t *tracer) lane(name string) *lane {
	l := t.lanes[name]
	if l == nil {
		l = &lane{pid: len(t.lanes) + 1, waiting: map[string]bool{}}
		t.lanes[name] = l
		t.emit(event{Phase: "M", Name: "process_name", PID: l.pid, Args: map[string]any{"name": name}})
	}
	return l
}

// thread returns a thread on which nothing runs, and has it busy until it is set free.
func (l *lane) thread(at int64) int {
	for n, until := range l.busy {
		if until <= float64(at) {
			l.busy[n] = forever
			return n + 1
		}
	}
	l.busy = append(l.busy, forever)
	return len(l.busy)
}

const forever = 1 << 60

// put remembers where an entry is.
func (t *tracer) put(s spot) { t.spots[s.n%len(t.spots)] = s }

// spot returns where the n-th entry is, unless that is long ago.
func (t *tracer) spot(n int) (spot, bool) {
	s := t.spots[n%len(t.spots)]
	return s, n > 0 && s.n == n
}
