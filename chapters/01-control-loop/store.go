package controlloop

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// Option changes how a store is made.
type Option func(*Store)

// WithSeed sets the seed of uids and generated names. The default is 1.
func WithSeed(seed uint64) Option {
	return func(s *Store) { s.id = newIdentity(seed) }
}

// WithHistory sets how many events of each kind a watch can go back. The
// default is 1,000.
func WithHistory(events int) Option {
	return func(s *Store) {
		for _, t := range s.tables {
			t.log.keep = events
		}
	}
}

// OnWrite makes the store call f at every write, in order, before any watcher
// learns of it. The store is locked meanwhile: f must not call it.
func OnWrite(f func(Write)) Option {
	return func(s *Store) { s.onWrite = append(s.onWrite, f) }
}

// WithTrace records every write.
func WithTrace(t Tracer) Option {
	return func(s *Store) { s.trace = t }
}

// WithObjects lets the store begin where another ended: with objects that keep
// their uids, versions and times. The next write comes after version, and a
// watch from before is 410 Expired.
func WithObjects(version uint64, objects ...Object) Option {
	return func(s *Store) {
		s.version = version
		for _, t := range s.tables {
			t.log.dropped = version
		}
		for _, obj := range objects {
			kind, err := s.kinds.Of(obj)
			if err != nil {
				panic(err) // callers that have such objects have their kinds
			}
			obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
			t := s.tables[kind.GroupVersionKind]
			t.objects[KeyOf(obj)] = obj
			t.hold(obj, nil)
		}
	}
}

// NewStore returns an empty store for objects of these kinds.
func NewStore(kinds Kinds, options ...Option) *Store {
	s := &Store{
		kinds:  kinds,
		id:     newIdentity(1),
		tables: map[schema.GroupVersionKind]*table{},
	}
	for _, kind := range kinds.All() {
		s.tables[kind.GroupVersionKind] = &table{
			Kind: kind, objects: map[Key]Object{}, log: newLog(1000),
			topics: map[string]*topic{}, owners: map[string]Key{},
		}
	}
	for _, option := range options {
		option(s)
	}
	return s
}

// Kinds returns the kinds that the store holds.
func (s *Store) Kinds() Kinds { return s.kinds }

// Get returns one object, or 404 NotFound.
func (s *Store) Get(
	_ context.Context, kind schema.GroupVersionKind, key Key,
) (Object, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, err := s.table(kind)
	if err != nil {
		return nil, err
	}
	return t.get(key)
}

// List returns what opts select, and the version at which that was so: a watch
// from there on continues where the list ends.
func (s *Store) List(
	_ context.Context, kind schema.GroupVersionKind, opts ListOptions,
) (List, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, err := s.table(kind)
	if err != nil {
		return List{}, err
	}
	var keys []Key
	for key, obj := range t.objects {
		if t.selects(opts, obj) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, CompareKeys)
	list := List{ResourceVersion: formatVersion(s.version)}
	for _, key := range keys {
		list.Items = append(list.Items, t.objects[key])
	}
	return list, nil
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

func (s *Store) table(kind schema.GroupVersionKind) (*table, error) {
	if t, ok := s.tables[kind]; ok {
		return t, nil
	}
	_, err := s.kinds.For(kind)
	return nil, err
}

func (t *table) get(key Key) (Object, error) {
	if obj, ok := t.objects[key]; ok {
		return obj, nil
	}
	return nil, apierrors.NewNotFound(t.GroupResource(), key.Name)
}

// GroupResource returns the kind as errors name it: "pods", not "Pod".
func (k Kind) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

// byKey orders objects by their keys.
func byKey(a, b Object) int { return CompareKeys(KeyOf(a), KeyOf(b)) }

// CompareKeys orders keys by namespace, then name.
func CompareKeys(a, b Key) int {
	if a.Namespace != b.Namespace {
		return cmp.Compare(a.Namespace, b.Namespace)
	}
	return cmp.Compare(a.Name, b.Name)
}

func formatVersion(v uint64) string { return strconv.FormatUint(v, 10) }
