package controlloop

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Create stores a new object: with a uid, a time of creation, its first
// version, and a name where only generateName was given. It fails with 409
// AlreadyExists or 422 Invalid.
func (s *Store) Create(_ context.Context, obj Object) (Object, error) {
	next := Copy(obj)
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.tableOf(next)
	if err != nil {
		return nil, err
	}
	if next.GetResourceVersion() != "" {
		return nil, apierrors.NewBadRequest(
			"resourceVersion should not be set on objects to be created")
	}
	t.clearStatus(next)
	s.name(t, next)
	t.Default(next)
	s.begin(t, next)
	inVain := t.allot(next, nil)
	if err := cmp.Or(t.ValidateCreate(next), inVain); err != nil {
		return nil, err
	}
	if other, taken := t.objects[KeyOf(next)]; taken {
		return nil, t.taken(other)
	}
	return s.commit(t, watch.Added, next, nil), nil
}

// replace does the work of both updates: other is the part of old that this one
// may not touch, validate what it must pass, and keep sees to the rest. When
// keep knows that something changed, the rest need not be compared.
func (s *Store) replace(
	obj Object, other string, validate func(k Kind, next, old Object) error,
	keep func(k Kind, next, old Object) (changed bool),
) (Object, error) {
	next := Copy(without(obj, other))
	s.mu.Lock()
	defer s.mu.Unlock()
	t, old, err := s.current(next)
	if err != nil {
		return nil, err
	}
	keepIdentity(next, old)
	share(next, old, other)
	var inVain error
	if other == "Status" {
		inVain = t.allot(next, old)
	}
	changed := keep(t.Kind, next, old)
	if !changed && bytes.Equal(written(next), written(old)) {
		return old, nil
	}
	if err := cmp.Or(validate(t.Kind, next, old), inVain); err != nil {
		return nil, err
	}
	if t.gone(next) {
		return s.commit(t, watch.Deleted, next, old), nil
	}
	return s.commit(t, watch.Modified, next, old), nil
}

// current returns the object that next is to replace, and its table, unless next
// was made from an older version of it.
func (s *Store) current(next Object) (*table, Object, error) {
	t, err := s.tableOf(next)
	if err != nil {
		return nil, nil, err
	}
	t.Default(next)
	old, err := t.get(KeyOf(next))
	if err != nil {
		return nil, nil, err
	}
	return t, old, t.checkPreconditions(next.GetResourceVersion(), next.GetUID(), old)
}

// checkPreconditions checks a write that was made from a version: a writer says
// which version and which uid its change was made from, and is refused
// if the object has changed since, or was replaced by another of the
// same name. That is optimistic concurrency. A writer that names
// neither overwrites the object as it is.
//
//book:exercise 1c
func (k Kind) checkPreconditions(version string, uid types.UID, old Object) error {
	if uid != "" && uid != old.GetUID() {
		return k.conflict(old, fmt.Errorf(
			"Precondition failed: UID in precondition: %v, UID in object meta: %v",
			uid, old.GetUID()))
	}
	if version != "" && version != old.GetResourceVersion() {
		return k.conflict(old, errors.New("the object has been modified; please "+
			"apply your changes to the latest version and try again"))
	}
	return nil
}
