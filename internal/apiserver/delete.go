package apiserver

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	controlloop "reconcile/chapters/01-control-loop"
)

// Delete implements rest.GracefulDeleter: it asks for an object to go. The answer is
// what is left of it, or that it is gone; of some kinds a client always gets to see
// what it deleted.
func (s *storage) Delete(
	ctx context.Context, name string, _ rest.ValidateObjectFunc, opts *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	live, left, err := s.removeNamed(ctx, name, opts)
	switch {
	case err != nil:
		return nil, false, err
	case left != nil:
		return s.shown(left), false, nil
	case s.gvk() == controlloop.PodKind:
		return asDeleted(live), true, nil
	case slices.Contains(shownAtTheEnd, s.Resource):
		return s.shown(live), true, nil
	}
	return &metav1.Status{
		Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: live.GetName(), Group: s.Group, Kind: s.Resource, UID: live.GetUID(),
		},
	}, true, nil
}

// shownAtTheEnd are the kinds whose clients always see the deleted object.
// (ReturnDeletedObject in Kubernetes' pkg/registry.)
var shownAtTheEnd = []string{
	"csidrivers", "csinodes", "deviceclasses", "namespaces", "persistentvolumeclaims",
	"persistentvolumes", "podtemplates", "resourceclaims", "resourceclaimtemplates",
	"resourcequotas", "resourceslices", "serviceaccounts", "services", "storageclasses",
	"volumeattachments",
}

// asDeleted returns a Pod as it was when its grace had come to an end.
func asDeleted(pod controlloop.Object) controlloop.Object {
	gone := controlloop.Copy(pod)
	if gone.GetDeletionTimestamp() == nil {
		gone.SetDeletionTimestamp(new(controlloop.Now()))
		gone.SetGeneration(gone.GetGeneration() + 1)
	}
	gone.SetDeletionGracePeriodSeconds(new(int64(0)))
	return gone
}

// removeNamed deletes the object of a name, whichever that is by now.
func (s *storage) removeNamed(
	ctx context.Context, name string, opts *metav1.DeleteOptions,
) (live, left controlloop.Object, _ error) {
	for {
		live, err := s.store.Get(ctx, s.gvk(), s.key(ctx, name))
		if err != nil {
			return nil, nil, err
		}
		left, err := s.remove(ctx, live, opts)
		if !errors.Is(err, errReplaced) {
			return live, left, err
		}
	}
}

// errReplaced says that the object went, and another of its name
// came, since we looked.
var errReplaced = errors.New("the object has been replaced")

// remove deletes live, and returns what is left of it: it may have to wait for
// its grace period, or for finalizers. Nil means that it is gone.
func (s *storage) remove(
	ctx context.Context, live controlloop.Object, opts *metav1.DeleteOptions,
) (controlloop.Object, error) {
	if s.gvk() == namespaceKind && !mayGo(live.GetName()) {
		return nil, apierrors.NewForbidden(s.GroupResource(), live.GetName(),
			errors.New("this namespace may not be deleted"))
	}
	store := s.store
	if len(opts.DryRun) > 0 {
		store = s.scratch(live)
	}
	key := controlloop.KeyOf(live)
	err := store.Delete(ctx, s.gvk(), key, s.this(live, opts))
	if apierrors.IsConflict(err) && opts.Preconditions == nil {
		return nil, errReplaced
	}
	if err != nil {
		return nil, err
	}
	left, err := store.Get(ctx, s.gvk(), key)
	if apierrors.IsNotFound(err) || err == nil && left.GetUID() != live.GetUID() {
		return nil, nil
	}
	if len(opts.DryRun) > 0 {
		left = unversioned(left, live.GetResourceVersion())
	}
	return left, err
}

// this returns options that delete live, and not another object of its name.
func (s *storage) this(
	live controlloop.Object, opts *metav1.DeleteOptions,
) metav1.DeleteOptions {
	which := *opts
	which.PropagationPolicy = s.propagation(opts)
	if which.Preconditions == nil {
		which.Preconditions = &metav1.Preconditions{UID: new(live.GetUID())}
	}
	return which
}

// propagation returns the policy for the dependents of the object. A
// ReplicationController is the only kind that leaves its Pods behind unless a
// client says otherwise: it did before there was a choice.
func (s *storage) propagation(opts *metav1.DeleteOptions) *metav1.DeletionPropagation {
	//lint:ignore SA1019 old clients say it so
	orphan := opts.OrphanDependents
	switch {
	case opts.PropagationPolicy != nil:
		return opts.PropagationPolicy
	case orphan == nil && s.gvk() != controlloop.RCKind:
		return nil
	case orphan == nil || *orphan:
		return new(metav1.DeletePropagationOrphan)
	}
	return new(metav1.DeletePropagationBackground)
}

// DeleteCollection implements rest.CollectionDeleter: it deletes all that is
// selected, one by one, and answers with the list of it as it was.
func (s *storage) DeleteCollection(
	ctx context.Context, _ rest.ValidateObjectFunc, opts *metav1.DeleteOptions,
	which *internalversion.ListOptions,
) (runtime.Object, error) {
	found, err := s.items(ctx, s.selected(ctx, which))
	if err != nil {
		return nil, err
	}
	if err := serves(found.ResourceVersion, which); err != nil {
		return nil, err
	}
	for _, live := range found.Items {
		_, err := s.remove(ctx, live, opts)
		if err != nil && !apierrors.IsNotFound(err) && !errors.Is(err, errReplaced) {
			return nil, err
		} // gone by itself
	}
	return &list{
		TypeMeta: s.listType(),
		ListMeta: metav1.ListMeta{ResourceVersion: found.ResourceVersion},
		Items:    s.all(found.Items),
	}, nil
}
