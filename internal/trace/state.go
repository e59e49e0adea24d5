package trace

import (
	"cmp"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// State is what is known of a loop at one instant.
type State struct {
	Hold    string    // paused, slow, crashed; "": it is free
	Since   time.Time // that it is held
	Queue   []string  // keys, in the order in which they came
	Running []string
	Length  int               // of its queue, with keys that no event brought
	Back    map[string]Return // keys that come back by themselves
	Lost    []string          // keys whose latest event was dropped
	Behind  map[string]int    // by kind: versions that its caches have not heard of
}

// Return says when a key comes back, and why.
type Return struct {
	At      time.Time
	Err     string
	Refused bool // the API does not let the loop write that
}

// Behind returns how many versions of a kind no cache has heard of.
func (r *Recorder) Behind(kind string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.behind(kind)
}

func (r *Recorder) behind(kind string) (n int) {
	newest := r.newest[kind]
	if !r.watched[kind] || newest.heard >= newest.written {
		return 0
	}
	for version, at := range r.writes {
		if e, ok := r.entry(at); ok && e.Kind == kind && version > newest.heard {
			n++
		}
	}
	return n
}

// newest are the versions of a kind that were written and heard of last.
type newest struct{ written, heard uint64 }

// Late returns how much later the caches of a kind are told of it.
func (r *Recorder) Late(kind string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.late[kind].by
}

// State returns what is known of a loop, and whether there is one of that name.
func (r *Recorder) State(lane string) (State, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.loops[lane]
	if l == nil {
		return State{}, false
	}
	s := State{Length: l.controller.Queue.Len(), Hold: string(l.hold), Since: l.since, Back: map[string]Return{}, Behind: map[string]int{}}
	if l.dead.Load() || l.gone {
		s.Hold = "crashed"
	}
	for _, key := range l.keys { // that are held
		s.Queue = append(s.Queue, nameOf(key))
	}
	waiting := slices.SortedFunc(maps.Keys(l.waiting), func(a, b controlloop.Key) int {
		return cmp.Compare(l.waiting[a].first, l.waiting[b].first)
	})
	for _, key := range waiting {
		if !slices.Contains(l.keys, key) {
			s.Queue = append(s.Queue, nameOf(key))
		}
	}
	for _, run := range l.runs {
		s.Running = append(s.Running, run.key)
	}
	for key, back := range l.back {
		s.Back[nameOf(key)] = back
	}
	for key := range l.missed {
		s.Lost = append(s.Lost, nameOf(key))
	}
	for kind := range l.kinds {
		if n := r.behind(kind); n > 0 {
			s.Behind[kind] = n
		}
	}
	return s, true
}

// returns notes when a key comes back that a reconcile ended with: the queue has a
// backoff like this one. l.mu is held.
func (l *loop) returns(key controlloop.Key, result controlloop.Result, err error) {
	delete(l.back, key)
	switch {
	case err != nil:
		l.back[key] = Return{
			At: time.Now().Add(l.backoff.Next(key)), Err: err.Error(),
			Refused: apierrors.IsForbidden(err) || apierrors.IsInvalid(err),
		}
		return
	case result.After > 0:
		l.back[key] = Return{At: time.Now().Add(result.After)}
	}
	l.backoff.Forget(key)
}
