package look

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// Wrote is a store's [controlloop.OnWrite]: the goroutine that calls is the one that
// writes.
func (r *Recorder) Wrote(w controlloop.Write) {
	if !r.on.Load() {
		return
	}
	g := Goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	by, known := r.doing[g]
	if !known {
		by.lane = "the lab"
	}
	verb := strings.ToLower(string(w.Type))
	e := Entry{
		Do: Write, Lane: by.lane, Cause: by.n, Verb: verb,
		Kind: w.Object.GetObjectKind().GroupVersionKind().Kind, Key: nameOf(controlloop.KeyOf(w.Object)),
		Version: versionOf(w.Object), object: w.Object,
	}
	if w.Type != watch.Deleted {
		e.Is = summary(w.Object)
	}
	r.writes[e.Version] = r.add(e)
	if l := r.loops[by.lane]; l != nil {
		l.wrote[by.run]++
	}
}

// Step is a [controlloop.Tracer]. Of the steps of an object on its way it takes two:
// that a cache hears of it, and that a key is put into a queue.
func (r *Recorder) Step(s controlloop.Step) {
	if !r.on.Load() && r.armed.Load() == 0 {
		return
	}
	name, isQueue := strings.CutSuffix(s.Lane, " queue")
	switch {
	case s.Lane == "fifo":
		r.hears(s)
	case isQueue:
		r.queued(name, s.Key)
	}
}

// hears notes that a cache takes an event in. That many caches do is told once, but
// each time that an object is told of again.
func (r *Recorder) hears(s controlloop.Step) {
	g := Goroutine()
	version, _ := strconv.ParseUint(s.Version, 10, 64)
	r.mu.Lock()
	defer r.mu.Unlock()
	n, before := r.heard[version]
	if again := s.Action == string(controlloop.Sync); !before || again {
		n = r.add(Entry{
			Do: Heard, Kind: s.Kind.Kind, Key: nameOf(s.Key), Version: version,
			Verb: s.Action, Cause: r.writes[version],
		})
		r.heard[version] = n
		r.latest[s.Kind.Kind+" "+nameOf(s.Key)] = n
	}
	r.hearing[g] = n
}

// queued notes that a key is about to be put into a queue.
func (r *Recorder) queued(name string, key controlloop.Key) {
	g := Goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.loops[name]
	if l == nil {
		return
	}
	n, waits := l.waiting[key]
	if l.dropped(key, waits) {
		return
	}
	why := r.hearing[g]
	if before, ok := r.entry(n); waits && ok && before.Cause == why {
		return // an object as it was and as it is bring the same key
	}
	l.waiting[key] = r.add(Entry{Do: Key, Lane: name, Key: nameOf(key), Cause: why})
}

// Decided notes a decision of the scheduler: the goroutine that calls is the
// scheduler's.
func (r *Recorder) Decided(d Decision) {
	if !r.on.Load() {
		return
	}
	g := Goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	by := r.doing[g]
	key := nameOf(controlloop.KeyOf(d.Pod))
	n := r.add(Entry{
		Do: Decide, Lane: by.lane, Kind: "Pod", Key: key, Run: by.run,
		Cause: r.latest["Pod "+key], Node: d.Node, Text: d.Text, Said: d.Said,
	})
	r.doing[g] = cause{by.lane, n, by.run}
}

// Dialled notes a connection of the client at an address, which asked for another, and
// came to a Pod's.
func (r *Recorder) Dialled(from, to, pod string, err error) {
	if !r.on.Load() {
		return
	}
	e := Entry{Do: Dial, From: from, To: to, Pod: pod}
	if err != nil {
		e.Err = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(e)
}
