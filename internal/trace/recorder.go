package trace

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
)

// keep is how many entries are kept: a rolling update of a thousand Pods. Older
// ones become what was there before.
const (
	keep = 80_000
	most = keep + keep/4
)

// Recorder records while somebody looks, and costs nothing otherwise.
type Recorder struct {
	// List returns all objects that there are, when a record begins.
	List func() []controlloop.Object
	// Restart puts a loop of empty memory and caches in the place of one that
	// crashed; nil: none crashes.
	Restart func(lane string)
	// Other is the writer if it is neither a loop nor a request.
	Other string
	// Calls returns the calls that a write under way comes from; nil: nobody wants to
	// know.
	Calls func() []string

	on    atomic.Bool
	armed atomic.Int32 // faults and holds

	mu      sync.Mutex // below a store's lock: never call the store with it
	lookers int
	off     *time.Timer // ends the record that nobody looks at
	base    map[string]Entry
	begun   int64 // since when all is known, microseconds
	entries []Entry
	last    int // the number of the newest

	writes  map[uint64]int      // by version: the entry that wrote it
	heard   map[uint64]int      // likewise: that heard of it
	now     map[string][]cause  // by kind and key: whose writes of it are under way
	asks    []cause             // requests under way
	newest  map[string]newest   // by kind
	watched map[string]bool     // kinds, by a cache
	loops   map[string]*loop    // by name
	order   []string            // their names
	held    hold                // of loops that come
	late    map[string]lateness // by kind
	due     time.Time           // when the next event that is held comes
}

// cause is who writes, and the entry that led to it.
type cause struct {
	lane string
	n    int
	run  *run   // of a loop
	path string // of a request
}

// Quiet reports whether nobody looks, and nothing is held or about to break.
func (r *Recorder) Quiet() bool { return !r.on.Load() && r.armed.Load() == 0 }

// New returns a recorder that records nothing.
func New() *Recorder {
	r := &Recorder{Other: "the lab", List: func() []controlloop.Object { return nil }, loops: map[string]*loop{}, late: map[string]lateness{}, watched: map[string]bool{}}
	r.forget()
	return r
}

// forget empties the record. r.mu is held, here and below, where nothing else is said.
func (r *Recorder) forget() {
	r.base, r.entries = map[string]Entry{}, nil
	r.writes, r.heard, r.newest = map[uint64]int{}, map[uint64]int{}, map[string]newest{}
	r.now, r.asks = map[string][]cause{}, nil
	for _, l := range r.loops {
		l.forget()
	}
}

// Begin begins to record, until End.
func (r *Recorder) Begin() {
	r.mu.Lock()
	r.lookers++
	begins := !r.on.Swap(true)
	if begins {
		r.begun = time.Now().UnixMicro()
	}
	if r.off != nil {
		r.off.Stop()
	}
	r.mu.Unlock()
	if !begins {
		return
	}
	objects := r.List()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, obj := range objects {
		r.put(obj, Entry{})
	}
}

// linger is how long a record stays after its last reader has gone: a page may be
// loaded again, or a command may have held something.
const linger = time.Minute

// End ends what Begin began. After the last End the record stays for linger.
func (r *Recorder) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lookers--; r.lookers > 0 {
		return
	}
	r.off = time.AfterFunc(linger, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case r.lookers > 0:
		case r.armed.Load() > 0: // what is held or about to break is known by the record
			r.off.Reset(linger)
		default:
			r.on.Store(false)
			r.forget()
		}
	})
}

// add appends an entry, and returns its number; 0 if nothing is recorded any more.
func (r *Recorder) add(e Entry) int {
	if !r.on.Load() {
		return 0
	}
	r.last++
	e.N, e.At = r.last, time.Now().UnixMicro()
	if n := len(r.entries); n == cap(r.entries) {
		r.entries = append(make([]Entry, 0, min(max(4*n, 1000), most)), r.entries...)
	}
	r.entries = append(r.entries, e)
	if len(r.entries) == most {
		r.shrink(keep / 2)
	}
	return e.N
}

// entry returns the n-th entry, if it is kept.
func (r *Recorder) entry(n int) (Entry, bool) {
	if len(r.entries) == 0 || n < r.entries[0].N {
		return Entry{}, false
	}
	return r.entries[n-r.entries[0].N], true
}

// put puts an object among those that were there before the record, as e has
// it.
func (r *Recorder) put(obj controlloop.Object, e Entry) {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	key := nameOf(controlloop.KeyOf(obj))
	r.base[kind+" "+key] = Entry{
		At: e.At, Do: Is, Lane: e.Lane, Kind: kind, Key: key,
		Version: versionOf(obj), Is: summary(obj), object: obj,
	}
}

// shrink moves the oldest n entries to what was there before the record.
func (r *Recorder) shrink(n int) {
	for _, e := range r.entries[:n] {
		if e.Do == Heard && r.heard[e.Version] == e.N || e.Do == Write && e.Kind == eventKind {
			delete(r.heard, e.Version)
		}
		if e.Do != Write {
			continue
		}
		delete(r.writes, e.Version)
		if e.Verb == "deleted" {
			delete(r.base, e.Kind+" "+e.Key)
		} else {
			r.put(e.object, e)
		}
	}
	r.begun = r.entries[n-1].At
	r.entries = append(make([]Entry, 0, most), r.entries[n:]...) // who follows has the old ones
}

// Entries returns what was there before, then all that has happened since.
func (r *Recorder) Entries() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.since(-1)
}

// Last returns the number of the newest entry.
func (r *Recorder) Last() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// since returns the entries after the n-th, and for n < 0 what was there before and all.
func (r *Recorder) since(n int) []Entry {
	at, _ := slices.BinarySearchFunc(r.entries, max(n, 0)+1, func(e Entry, n int) int { return cmp.Compare(e.N, n) })
	news := r.entries[at:len(r.entries):len(r.entries)]
	if n >= 0 {
		return news
	}
	all := make([]Entry, 0, len(r.base)+len(r.order)+len(news))
	for _, name := range slices.Sorted(maps.Keys(r.base)) {
		all = append(all, r.base[name])
	}
	for _, name := range r.order {
		all = append(all, Entry{Do: Lane, Lane: name, Hold: string(r.loops[name].hold)})
	}
	return append(all, news...)
}

// Versions returns an object as it was before the record, and each time that it was
// written.
func (r *Recorder) Versions(kind, key string) []Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Version
	if e, ok := r.base[kind+" "+key]; ok {
		all = append(all, e.version())
	}
	for _, e := range r.entries {
		if e.Do == Write && e.Kind == kind && e.Key == key {
			all = append(all, e.version())
		}
	}
	return all
}

// Follow calls take with all that is recorded, and since when, and then with what is
// new, ten times a second at most, until ctx ends or take fails.
func (r *Recorder) Follow(ctx context.Context, take func([]Entry) error) error {
	r.Begin()
	defer r.End()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := -1; ; {
		r.mu.Lock()
		news, last := r.since(n), r.last
		if n < 0 {
			news = append([]Entry{{Do: Since, At: r.begun}}, news...)
		}
		r.mu.Unlock()
		if len(news) > 0 {
			if err := take(news); err != nil {
				return err
			}
		}
		n = last
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func versionOf(obj controlloop.Object) uint64 {
	version, _ := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	return version
}

// nameOf is namespace/name, or the name of what is in no namespace.
func nameOf(key controlloop.Key) string { return strings.TrimPrefix(key.String(), "/") }
