package controlloop

import (
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Store is an API server and its etcd in miniature: it holds objects of many
// kinds, gives every write a version, and tells its watchers what was written.
//
// Objects in it never change: a write puts another object in the place of the
// old one. So readers need no copies, and may not write to what they read.
type Store struct {
	kinds   Kinds
	trace   Tracer // may be nil
	onWrite []func(Write)

	mu      sync.RWMutex // guards all below, and the contents of tables
	id      identity
	version uint64 // of the newest write, over all kinds
	tables  map[schema.GroupVersionKind]*table
}

// table holds the objects of one kind.
type table struct {
	Kind
	objects map[Key]Object
	log     log
	topics  map[string]*topic // by value; only those that a watch follows
	owners  map[string]Key    // by value that was allotted
}

// Write is one change of the store. Old is nil for the first write of an
// object, and Object is the last state of an object that is gone.
type Write struct {
	Type        watch.EventType
	Object, Old Object
}

// commit makes every write, as the one way into the store: it gives next the
// version after all others, puts it in the place of old (which may be nil), and
// appends the event to the log. s.mu is held.
func (s *Store) commit(
	t *table, event watch.EventType, next, old Object,
) Object {
	s.version++
	next.SetResourceVersion(formatVersion(s.version))
	next.GetObjectKind().SetGroupVersionKind(t.GroupVersionKind)
	if event == watch.Deleted {
		delete(t.objects, KeyOf(next))
		t.hold(nil, old)
	} else {
		t.objects[KeyOf(next)] = next
		t.hold(next, old)
	}
	for _, tell := range s.onWrite {
		tell(Write{event, next, old})
	}
	s.trace.record("store", strings.ToLower(string(event)), next)
	t.append(change{s.version, event, next, old})
	return next
}
