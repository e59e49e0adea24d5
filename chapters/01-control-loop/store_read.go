package controlloop

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

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
