package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	storageapi "k8s.io/apiserver/pkg/storage"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

// Update implements rest.Updater: it changes an object through the storage's view, in
// optimistic concurrency: look, change, write, and look again if another client
// was faster. A change that names a version is made on that one or not at all. If
// there is no object, an apply makes one, and so does the PUT of a few kinds.
func (s *storage) Update(
	ctx context.Context, name string, change rest.UpdatedObjectInfo,
	_ rest.ValidateObjectFunc, _ rest.ValidateObjectUpdateFunc, create bool,
	opts *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	isWhole := s.view == s.views[""]
	dryRun := len(opts.DryRun) > 0
	for ctx.Err() == nil {
		live, err := s.store.Get(ctx, s.gvk(), s.key(ctx, name))
		if apierrors.IsNotFound(err) && isWhole && (create || s.CreateOnUpdate) {
			stored, err := s.insertBy(ctx, name, change, dryRun)
			if apierrors.IsAlreadyExists(err) {
				continue
			}
			if err != nil {
				return nil, false, err
			}
			return s.shown(stored), true, nil
		}
		if err != nil {
			return nil, false, err
		}
		next, err := s.next(ctx, live, change)
		if err != nil {
			return nil, false, err
		}
		stored, err := s.replace(ctx, next, live, dryRun)
		if apierrors.IsConflict(err) || s.wentMeanwhile(ctx, live, err) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		if isWhole {
			s.warnOf(ctx, stored, live)
		}
		return s.shown(stored), false, nil
	}
	return nil, false, ctx.Err()
}

// wentMeanwhile reports whether a write failed since its object is gone: an apply
// makes another.
func (s *storage) wentMeanwhile(ctx context.Context, live controlloop.Object, err error) bool {
	if !apierrors.IsNotFound(err) {
		return false
	}
	_, err = s.store.Get(ctx, s.gvk(), controlloop.KeyOf(live))
	return apierrors.IsNotFound(err)
}

// next returns live with the change, ready to be written in its place.
func (s *storage) next(
	ctx context.Context, live controlloop.Object, change rest.UpdatedObjectInfo,
) (controlloop.Object, error) {
	was, err := s.open(controlloop.Copy(live))
	if err != nil {
		return nil, err
	}
	changed, err := change.UpdatedObject(ctx, was)
	if err != nil {
		return nil, err
	}
	next := whole(changed)
	if err := s.isCurrent(next, live, change.Preconditions()); err != nil {
		return nil, err
	}
	next, err = s.merge(next, controlloop.Copy(live))
	if err != nil {
		return nil, err
	}
	next.SetUID(live.GetUID())
	next.SetResourceVersion(live.GetResourceVersion())
	return next, nil
}

// isCurrent refuses a change that was made from another version than live. A
// client that names none, or 0, wants to overwrite the object as it is, which most
// kinds allow
// (Kubernetes: pkg/registry/generic/registry/store.go in k8s.io/apiserver).
func (s *storage) isCurrent(
	next, live controlloop.Object, of *metav1.Preconditions,
) error {
	conflict := func(why error) error {
		return apierrors.NewConflict(s.GroupResource(), live.GetName(), why)
	}
	if of != nil && *of.UID != live.GetUID() {
		return conflict(fmt.Errorf("Precondition failed: UID in precondition: %v, "+
			"UID in object meta: %v", *of.UID, live.GetUID()))
	}
	version, err := storageapi.APIObjectVersioner{}.ObjectResourceVersion(next)
	switch {
	case err != nil:
		return err
	case version == 0 && s.Conditional:
		return apierrors.NewInvalid(schema.GroupKind{Group: s.Group, Kind: s.Resource}, live.GetName(),
			field.ErrorList{field.Invalid(metaPath.Child("resourceVersion"), 0,
				"must be specified for an update")})
	case version != 0 && next.GetResourceVersion() != live.GetResourceVersion():
		return conflict(errors.New("the object has been modified; please apply " +
			"your changes to the latest version and try again"))
	}
	return s.keepsIdentity(next, live)
}

var metaPath = field.NewPath("metadata")

// keepsIdentity refuses a change of what only the server may say. What a client left
// out of that stays. (Kubernetes: BeforeUpdate in pkg/registry/rest/update.go of
// k8s.io/apiserver.)
func (s *storage) keepsIdentity(next, live controlloop.Object) error {
	if next.GetUID() == "" {
		next.SetUID(live.GetUID())
	}
	if at := live.GetDeletionTimestamp(); at != nil {
		next.SetDeletionTimestamp(at)
	}
	if next.GetDeletionGracePeriodSeconds() == nil {
		next.SetDeletionGracePeriodSeconds(live.GetDeletionGracePeriodSeconds())
	}
	var errs field.ErrorList
	for _, f := range []struct {
		name      string
		next, was any
	}{
		{"uid", next.GetUID(), live.GetUID()},
		{"deletionTimestamp", next.GetDeletionTimestamp(), live.GetDeletionTimestamp()},
		{"deletionGracePeriodSeconds",
			next.GetDeletionGracePeriodSeconds(), live.GetDeletionGracePeriodSeconds()},
	} {
		errs = append(errs,
			validation.ValidateImmutableField(f.next, f.was, metaPath.Child(f.name))...)
	}
	if len(errs) == 0 {
		return nil
	}
	kind := s.view.kind
	if kind == s.GroupVersionKind {
		kind = s.gvk()
	}
	return apierrors.NewInvalid(kind.GroupKind(), live.GetName(), errs)
}

// replace writes next in the place of live, unless nothing but the times of its
// managers would change.
func (s *storage) replace(
	ctx context.Context, next, live controlloop.Object, dryRun bool,
) (controlloop.Object, error) {
	if onlyTimesDiffer(next, live) {
		same := controlloop.Copy(next)
		same.SetManagedFields(live.GetManagedFields())
		tried, err := s.try(ctx, same, live)
		if err == nil && tried.GetResourceVersion() == live.GetResourceVersion() {
			return live, nil
		}
	}
	if forbidden := admission.AdmitChange(ctx, s.store, next, live); forbidden != nil {
		_, invalid := s.try(ctx, next, live) // is told first
		return nil, cmp.Or(invalid, forbidden)
	}
	if dryRun {
		return s.pretend(ctx, next, live)
	}
	return s.write(s.store, ctx, next)
}

// insertBy makes an object that does not exist yet.
func (s *storage) insertBy(
	ctx context.Context, name string, change rest.UpdatedObjectInfo, dryRun bool,
) (controlloop.Object, error) {
	made, err := change.UpdatedObject(ctx, s.New())
	if err != nil {
		return nil, err
	}
	next := whole(made)
	if uid := next.GetUID(); uid != "" {
		return nil, apierrors.NewConflict(s.GroupResource(), name,
			fmt.Errorf("uid mismatch: the provided object specified uid %s, "+
				"and no existing object was found", uid))
	}
	next.SetResourceVersion("")
	return s.insert(ctx, next, dryRun)
}
