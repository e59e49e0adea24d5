package controlloop

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

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
