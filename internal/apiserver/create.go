package apiserver

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	storageapi "k8s.io/apiserver/pkg/storage"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

// Create implements rest.Creater: it stores a new object, if its namespace allows
// it.
func (s *storage) Create(
	ctx context.Context, obj runtime.Object, _ rest.ValidateObjectFunc,
	opts *metav1.CreateOptions,
) (runtime.Object, error) {
	next, dryRun := whole(obj), len(opts.DryRun) > 0
	version := next.GetResourceVersion()
	if version != "" && !dryRun {
		return nil, storageapi.ErrResourceVersionSetOnCreate
	}
	next.SetResourceVersion("")
	stored, err := s.insert(ctx, next, dryRun)
	if err != nil {
		return nil, err
	}
	if dryRun {
		stored = unversioned(stored, version)
	}
	return s.shown(stored), nil
}

func (s *storage) insert(
	ctx context.Context, obj controlloop.Object, dryRun bool,
) (controlloop.Object, error) {
	obj, err := s.views[""].merge(obj, nil)
	if err != nil {
		return nil, err
	}
	obj, err = admission.Admit(ctx, s.store, obj, dryRun)
	if err != nil {
		return nil, err
	}
	if slices.Contains(s.idle, s.Resource) {
		warn(ctx, fmt.Sprintf("no controller of this lab acts on %s", s.Resource))
	}
	s.warnOfLacks(ctx, obj)
	obj.SetSelfLink("")
	var stored controlloop.Object
	if dryRun {
		stored, err = s.pretendToCreate(ctx, obj)
	} else {
		stored, err = s.store.Create(ctx, obj)
	}
	if err != nil {
		return nil, err
	}
	s.warnOf(ctx, stored, nil)
	return stored, nil
}
