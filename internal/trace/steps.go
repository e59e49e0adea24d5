package trace

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// Wrote is a store's [controlloop.OnWrite].
func (r *Recorder) Wrote(w controlloop.Write) {
	if !r.on.Load() {
		return
	}
	e := Entry{
		Do: Write, Verb: strings.ToLower(string(w.Type)),
		Kind: w.Object.GetObjectKind().GroupVersionKind().Kind, Key: nameOf(controlloop.KeyOf(w.Object)),
		Version: versionOf(w.Object), object: w.Object,
	}
	if w.Type != watch.Deleted {
		e.Is = summary(w.Object)
	}
	if r.Calls != nil {
		e.Calls = r.Calls()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	by := r.writer(e.Kind, w.Object)
	e.Lane, e.Cause = by.lane, by.n
	r.writes[e.Version] = r.add(e)
	r.newest[e.Kind] = newest{e.Version, r.newest[e.Kind].heard}
	if by.run != nil {
		by.run.wrote++
	}
}

// writer returns whose write an object is: the loop's that is about to write it, or a
// request's. r.mu is held, here and in what follows.
func (r *Recorder) writer(kind string, obj controlloop.Object) cause {
	key := controlloop.KeyOf(obj)
	unnamed := controlloop.Key{Namespace: key.Namespace, Name: obj.GetGenerateName()}
	for _, name := range []string{nameOf(key), nameOf(unnamed)} {
		if all := r.now[kind+" "+name]; len(all) > 0 {
			return all[len(all)-1]
		}
	}
	for _, ask := range slices.Backward(r.asks) {
		if slices.Contains(strings.Split(ask.path, "/"), key.Name) {
			return ask
		}
	}
	if len(r.asks) > 0 {
		return r.asks[len(r.asks)-1]
	}
	return r.nobody()
}

// Step is a [controlloop.Tracer]. Of an object's way it records three steps: a cache
// receives an event, a key is put into a queue, and a worker takes a key.
func (r *Recorder) Step(s controlloop.Step) {
	if r.Quiet() {
		return
	}
	if s.Controller == nil && s.Lane != "fifo" {
		return
	}
	version, _ := strconv.ParseUint(s.Version, 10, 64)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch l := r.loopOf(s.Controller); {
	case s.Controller == nil:
		r.hears(s, version)
	case l == nil: // not looked at, or another has taken its place
	case s.Action == "added":
		l.queued(s.Key, version, s.There)
	default:
		l.took(s.Key)
	}
}

// loopOf returns the loop of a controller; nil: it has none.
func (r *Recorder) loopOf(c *controlloop.Controller) *loop {
	if c != nil {
		if l := r.loops[c.Name]; l != nil && l.controller == c {
			return l
		}
	}
	return nil
}

// eventKind is the kind of the objects by which loops tell what they do. That caches
// hear of them, and that loops look whether they have an owner or are old, is not
// recorded: it would be half of the record.
const eventKind = "Event"

// ofEvent stands in heard for the entry of an Event, because such entries are
// not recorded.
const ofEvent = -1

// hears notes that a cache receives an event. It is noted once for all caches, but
// again whenever a resync tells of the object.
func (r *Recorder) hears(s controlloop.Step, version uint64) {
	if _, before := r.heard[version]; before && s.Action != string(controlloop.Sync) {
		return
	}
	if s.Kind.Kind == eventKind {
		r.heard[version] = ofEvent
		return
	}
	r.heard[version] = r.add(Entry{
		Do: Heard, Kind: s.Kind.Kind, Key: nameOf(s.Key), Version: version,
		Verb: s.Action, Cause: r.writes[version],
	})
	r.newest[s.Kind.Kind] = newest{r.newest[s.Kind.Kind].written, max(version, r.newest[s.Kind.Kind].heard)}
}

// Decided notes a decision of the scheduler, which makes one at a time.
func (r *Recorder) Decided(d Decision) {
	if !r.on.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := nameOf(controlloop.KeyOf(d.Pod))
	e := Entry{
		Do: Decide, Lane: "scheduler", Kind: "Pod", Key: key,
		Cause: r.heard[versionOf(d.Pod)], Text: d.Text, Choice: &d.Choice,
	}
	by := r.latestRun("scheduler", "")
	if by == nil {
		return
	}
	e.Run = by.n
	by.decided = r.add(e)
}

// latestRun returns the run of a loop that has begun last and has not ended, of a key
// if there is one.
func (r *Recorder) latestRun(lane, key string) (latest *run) {
	l := r.loops[lane]
	if l == nil {
		return nil
	}
	for _, run := range l.runs {
		if latest == nil || latest.key != key || run.key == key {
			latest = run
		}
	}
	return latest
}

// source returns the loop that an Event comes from; nil: it's none's.
func (r *Recorder) source(e *corev1.Event) *loop {
	name := strings.TrimPrefix(e.Source.Component, "default-")
	if e.Source.Host != "" {
		name += " " + e.Source.Host
	}
	return cmp.Or(r.loops[name], r.loops[strings.TrimSuffix(name, "-controller")])
}

// teller returns whose an Event is.
func (r *Recorder) teller(e *corev1.Event) cause {
	l := r.source(e)
	if l == nil {
		return r.nobody()
	}
	about := controlloop.Key{Namespace: e.InvolvedObject.Namespace, Name: e.InvolvedObject.Name}
	if run := r.latestRun(l.controller.Name, nameOf(about)); run != nil {
		return run.cause()
	}
	return cause{lane: l.controller.Name}
}

// Dialled notes a connection of the client at an address, which asked for another, and
// came to a Pod's.
func (r *Recorder) Dialled(from, to, pod string, err error) {
	if !r.on.Load() {
		return
	}
	e := Entry{Do: Dial, Connection: &Connection{from, to, pod}}
	if err != nil {
		e.Err = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(e)
}
