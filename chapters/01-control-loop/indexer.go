package controlloop

import (
	"maps"
	"slices"
	"sync"
)

// IndexFunc returns the values under which obj can be found: its namespace, its
// node, the uid of its owner. It may return none, or many.
type IndexFunc func(obj Object) []string

// Indexer is a cache: the objects of one kind, as they were last heard of. Many
// goroutines may read it while one writes. The objects that it returns are
// shared, and not to be changed.
type Indexer struct {
	mu      sync.RWMutex
	entries map[Key]*entry
	indices map[string]index
}

// entry holds an object for the cache and for all indices: its next version is
// put here once, and found through all of them.
type entry struct {
	obj   Object
	under [][]string // for each index: the values under which it is found
}

// index finds entries by the values that of gives their objects.
type index struct {
	of      IndexFunc
	number  int // its place in what an entry remembers
	buckets map[string]*bucket
}

// ByNamespace is the name of the index that every Indexer has.
const ByNamespace = "namespace"

// NewIndexer returns an empty cache.
func NewIndexer() *Indexer {
	x := &Indexer{entries: map[Key]*entry{}, indices: map[string]index{}}
	x.AddIndex(ByNamespace, func(obj Object) []string {
		return []string{obj.GetNamespace()}
	})
	return x
}

// AddIndex lets Lookup find objects by the values that of returns for them,
// including the objects that are cached already. A second index of the same
// name changes nothing.
func (x *Indexer) AddIndex(name string, of IndexFunc) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, exists := x.indices[name]; exists {
		return
	}
	idx := index{of, len(x.indices), map[string]*bucket{}}
	for _, e := range x.sorted() {
		e.under = append(e.under, nil)
		idx.move(e, of(e.obj))
	}
	x.indices[name] = idx
}

// Get returns the object of that key.
func (x *Indexer) Get(key Key) (Object, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if e, ok := x.entries[key]; ok {
		return e.obj, true
	}
	return nil, false
}

// List returns all objects, sorted by key.
func (x *Indexer) List() []Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return objectsOf(x.sorted())
}

// Lookup returns the objects that have this value in that index. It costs what
// it returns, however many others there are. Their order means nothing, but is
// the same after the same changes.
func (x *Indexer) Lookup(name, value string) []Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if b := x.indices[name].buckets[value]; b != nil {
		return objectsOf(b.entries)
	}
	return nil
}

// Any reports whether is holds for one of the objects that Lookup returns. It
// stops at the first.
func (x *Indexer) Any(name, value string, is func(Object) bool) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	b := x.indices[name].buckets[value]
	return b != nil && slices.ContainsFunc(b.entries,
		func(e *entry) bool { return is(e.obj) })
}

// Put stores obj, and returns the object of the same key that it replaces.
func (x *Indexer) Put(obj Object) (old Object, had bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := KeyOf(obj)
	e, had := x.entries[key]
	if !had {
		e = &entry{under: make([][]string, len(x.indices))}
		x.entries[key] = e
	}
	old, e.obj = e.obj, obj
	for _, idx := range x.indices {
		idx.move(e, idx.of(obj))
	}
	return old, had
}

// Remove drops the object of that key, and returns it.
func (x *Indexer) Remove(key Key) (old Object, had bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e, had := x.entries[key]
	if !had {
		return nil, false
	}
	for _, idx := range x.indices {
		idx.move(e, nil)
	}
	delete(x.entries, key)
	return e.obj, true
}

// move takes e from the values under which it was found to others; no values:
// it is found no more. Most changes change none of them, and then move does
// nothing.
func (idx index) move(e *entry, is []string) {
	was := e.under[idx.number]
	if slices.Equal(was, is) {
		return
	}
	e.under[idx.number] = is
	for _, value := range was {
		if b := idx.buckets[value]; b != nil && b.remove(e) == 0 {
			delete(idx.buckets, value)
		}
	}
	for _, value := range is {
		if idx.buckets[value] == nil {
			idx.buckets[value] = &bucket{place: map[*entry]int{}}
		}
		idx.buckets[value].add(e)
	}
}

// bucket holds the entries that share one value. A map alone would do,
// but it would be walked in a different order each time, and runs
// could not be compared.
type bucket struct {
	entries []*entry
	place   map[*entry]int // where in entries
}

func (b *bucket) add(e *entry) {
	if _, there := b.place[e]; !there {
		b.place[e] = len(b.entries)
		b.entries = append(b.entries, e)
	}
}

// remove puts the last entry in the place of e, and returns how many are left.
func (b *bucket) remove(e *entry) int {
	if i, there := b.place[e]; there {
		last := len(b.entries) - 1
		b.entries[i] = b.entries[last]
		b.place[b.entries[i]] = i
		b.entries = slices.Delete(b.entries, last, last+1)
		delete(b.place, e)
	}
	return len(b.entries)
}

// sorted returns all entries, by key.
func (x *Indexer) sorted() []*entry {
	return slices.SortedFunc(maps.Values(x.entries), func(a, b *entry) int {
		return byKey(a.obj, b.obj)
	})
}

func objectsOf(entries []*entry) []Object {
	objects := make([]Object, len(entries))
	for i, e := range entries {
		objects[i] = e.obj
	}
	return objects
}
