package controlloop

import (
	"maps"
	"slices"
	"sync"
)

// IndexFunc returns the values under which obj is to be found: its namespace,
// its node, the uid of its owner. None is fine, and so are many.
type IndexFunc func(obj Object) []string

// Indexer is a cache: the objects of one kind, as they were last heard of. Many
// may read it while one writes. What it returns is shared, and not to be
// changed.
type Indexer struct {
	mu      sync.RWMutex
	objects map[Key]Object
	indices map[string]index
}

// index finds objects by the values that of gives them.
type index struct {
	of   IndexFunc
	keys map[string]map[Key]bool
}

// ByNamespace is the name of the index that every Indexer has.
const ByNamespace = "namespace"

// NewIndexer returns an empty cache.
func NewIndexer() *Indexer {
	x := &Indexer{objects: map[Key]Object{}, indices: map[string]index{}}
	x.AddIndex(ByNamespace, func(obj Object) []string {
		return []string{obj.GetNamespace()}
	})
	return x
}

// AddIndex makes objects findable by what of returns for them, those that are
// there already too. A second index of the same name changes nothing.
func (x *Indexer) AddIndex(name string, of IndexFunc) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, exists := x.indices[name]; exists {
		return
	}
	idx := index{of: of, keys: map[string]map[Key]bool{}}
	for _, obj := range x.objects {
		idx.add(obj)
	}
	x.indices[name] = idx
}

// Get returns the object of that key.
func (x *Indexer) Get(key Key) (Object, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	obj, ok := x.objects[key]
	return obj, ok
}

// List returns all objects, sorted by key.
func (x *Indexer) List() []Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.SortedFunc(maps.Values(x.objects), byKey)
}

// Lookup returns the objects that have this value in that index, sorted by
// key. It costs what it returns, however many others there are.
func (x *Indexer) Lookup(name, value string) []Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var found []Object
	for key := range x.indices[name].keys[value] {
		found = append(found, x.objects[key])
	}
	slices.SortFunc(found, byKey)
	return found
}

// Put stores obj in the place of the one of its key, which it returns.
func (x *Indexer) Put(obj Object) (old Object, had bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	old, had = x.objects[KeyOf(obj)]
	x.forget(old)
	x.objects[KeyOf(obj)] = obj
	for _, idx := range x.indices {
		idx.add(obj)
	}
	return old, had
}

// Remove drops the object of that key, and returns it.
func (x *Indexer) Remove(key Key) (old Object, had bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	old, had = x.objects[key]
	x.forget(old)
	delete(x.objects, key)
	return old, had
}

// forget takes old, if any, out of all indices.
func (x *Indexer) forget(old Object) {
	if old == nil {
		return
	}
	for _, idx := range x.indices {
		idx.remove(old)
	}
}

func (idx index) add(obj Object) {
	for _, value := range idx.of(obj) {
		if idx.keys[value] == nil {
			idx.keys[value] = map[Key]bool{}
		}
		idx.keys[value][KeyOf(obj)] = true
	}
}

func (idx index) remove(obj Object) {
	for _, value := range idx.of(obj) {
		delete(idx.keys[value], KeyOf(obj))
		if len(idx.keys[value]) == 0 {
			delete(idx.keys, value)
		}
	}
}
