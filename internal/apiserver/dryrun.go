package apiserver

import (
	"context"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// try writes next in the place of live in a store of its own, where it does no
// harm.
func (s *storage) try(ctx context.Context, next, live controlloop.Object) (controlloop.Object, error) {
	return s.write(s.scratch(live), ctx, next)
}

// pretend does as if next were written: it returns the object that would be
// stored, at the version that live has now.
func (s *storage) pretend(ctx context.Context, next, live controlloop.Object) (controlloop.Object, error) {
	tried, err := s.try(ctx, next, live)
	if err != nil {
		return nil, err
	}
	return unversioned(tried, live.GetResourceVersion()), nil
}

// pretendToCreate does as if obj were created.
func (s *storage) pretendToCreate(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	there, err := s.inTheWay(ctx, obj)
	if err != nil {
		return nil, err
	}
	tried, err := s.scratch(there...).Create(ctx, obj)
	if err != nil {
		return nil, err
	}
	return unversioned(tried, ""), nil
}

// inTheWay returns the objects that may keep obj from being created: one of its
// name and, if its kind has an allotment, all that have a part of it.
func (s *storage) inTheWay(ctx context.Context, obj controlloop.Object) ([]controlloop.Object, error) {
	if s.inStore.Allotment.Of != nil {
		all, err := s.store.List(ctx, s.gvk(), controlloop.ListOptions{})
		return all.Items, err
	}
	live, err := s.store.Get(ctx, s.gvk(), controlloop.KeyOf(obj))
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return []controlloop.Object{live}, err
}

func unversioned(tried controlloop.Object, version string) controlloop.Object {
	obj := controlloop.Copy(tried)
	obj.SetResourceVersion(version)
	return obj
}

// scratch returns a store of this kind that begins with these objects.
func (s *storage) scratch(there ...controlloop.Object) *controlloop.Store {
	var version uint64
	var copies []controlloop.Object
	for _, obj := range there {
		at, _ := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
		version = max(version, at)
		copies = append(copies, controlloop.Copy(obj))
	}
	return controlloop.NewStore(controlloop.Kinds{}.With(s.inStore),
		controlloop.WithObjects(version, copies...))
}
