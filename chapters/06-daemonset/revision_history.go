package daemonset

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// History keeps what the templates of the owners of one kind were: one
// ControllerRevision for each that was ever used, and the highest number on the
// one that is used now.
type History struct {
	Client    controlloop.Client
	Revisions *controlloop.Indexer

	kind  schema.GroupVersionKind // of the owners
	label string                  // of a revision, with its hash
	hash  func(owner controlloop.Object, template *corev1.PodTemplateSpec,
		data []byte) string
	memory *memory
}

// newHistory returns the history of a system's owners of one kind.
func newHistory(
	s *controlloop.System, kind schema.GroupVersionKind, label string,
) *History {
	revisions := revisionsOf(s)
	revisions.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	revisions.Cache.AddIndex(deployment.Orphans, deployment.OrphanIn)
	h := &History{
		Client: s.Client, Revisions: revisions.Cache, kind: kind, label: label,
		memory: &memory{},
	}
	s.Informer(kind, controlloop.ListOptions{}).Handle(
		controlloop.Handler{OnDelete: h.memory.forget})
	return h
}

func revisionsOf(s *controlloop.System) *controlloop.Informer {
	return s.Informer(RevisionKind, controlloop.ListOptions{})
}

// Of returns the revisions of an owner, the lowest number first, after it has
// adopted those that have no owner.
func (h *History) Of(
	ctx context.Context, owner controlloop.Object, selector labels.Selector,
) ([]*appsv1.ControllerRevision, error) {
	owned := h.Revisions.Lookup(controlloop.ByOwner, string(owner.GetUID()))
	free := h.Revisions.Lookup(deployment.Orphans, owner.GetNamespace())
	all, err := deployment.Claim(ctx, &deployment.Claims{
		Client: h.Client, Kind: h.kind, Owner: owner, Selector: selector,
	}, deployment.OfType[*appsv1.ControllerRevision](slices.Concat(owned, free)))
	slices.SortFunc(all, byNumber)
	return all, err
}

// byNumber puts the lower number first.
func byNumber(a, b *appsv1.ControllerRevision) int {
	return cmp.Or(cmp.Compare(a.Revision, b.Revision), deployment.OlderFirst(a, b))
}

// Now returns the revision that says what a template says: one that is there,
// and gets the highest number if it has not got it, or a new one. All are those
// of the owner, the lowest number first.
func (h *History) Now(
	ctx context.Context, owner controlloop.Object,
	template *corev1.PodTemplateSpec, all []*appsv1.ControllerRevision,
) (*appsv1.ControllerRevision, error) {
	data, err := h.memory.dataOf(owner, template)
	if err != nil {
		return nil, err
	}
	same, number := lookUp(all, data)
	if same != nil && same.Revision == number {
		return same, nil
	}
	// A number stays, and a cache may be late.
	if all, err = h.stored(ctx, owner); err != nil {
		return nil, err
	}
	same, number = lookUp(all, data)
	switch {
	case same == nil:
		return h.create(ctx, owner, h.newRevision(owner, template, data, number))
	case same.Revision == number:
		return same, nil
	}
	next := controlloop.Copy(same)
	next.Revision = number
	stored, err := h.Client.Update(ctx, next)
	if err != nil {
		return nil, fmt.Errorf("number revision %s: %w", next.Name, err)
	}
	return stored.(*appsv1.ControllerRevision), nil
}

// stored returns the revisions of an owner that there are, whatever a cache
// says.
func (h *History) stored(
	ctx context.Context, owner controlloop.Object,
) ([]*appsv1.ControllerRevision, error) {
	list, err := h.Client.List(ctx, RevisionKind,
		controlloop.ListOptions{Namespace: owner.GetNamespace()})
	if err != nil {
		return nil, err
	}
	all := deployment.OfType[*appsv1.ControllerRevision](list.Items)
	all = slices.DeleteFunc(all, func(r *appsv1.ControllerRevision) bool {
		return !metav1.IsControlledBy(r, owner)
	})
	slices.SortFunc(all, byNumber)
	return all, nil
}

// create stores a new revision. One of its name may be there: a cache that is
// late has not told us of our own, or two templates have one hash.
func (h *History) create(
	ctx context.Context, owner controlloop.Object, r *appsv1.ControllerRevision,
) (*appsv1.ControllerRevision, error) {
	stored, err := h.Client.Create(ctx, r)
	if err == nil {
		return stored.(*appsv1.ControllerRevision), nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("create revision %s: %w", r.Name, err)
	}
	obj, err := h.Client.Get(ctx, RevisionKind, controlloop.KeyOf(r))
	if err != nil {
		return nil, err
	}
	there := obj.(*appsv1.ControllerRevision)
	if bytes.Equal(there.Data.Raw, r.Data.Raw) {
		return there, nil
	}
	return nil, h.collide(ctx, owner, there)
}

// collide counts, in the owner's status, that the hash of its template was
// taken already: the next look will have another.
func (h *History) collide(
	ctx context.Context, owner controlloop.Object, with *appsv1.ControllerRevision,
) error {
	next := controlloop.Copy(owner)
	count := collisionsOf(next)
	if *count == nil {
		*count = new(int32)
	}
	*count = new(**count + 1)
	if _, err := h.Client.UpdateStatus(ctx, next); err != nil {
		return err
	}
	return fmt.Errorf("revision %s is there, and says something else", with.Name)
}

// collisionsOf returns where an owner counts its collisions.
func collisionsOf(owner controlloop.Object) **int32 {
	if ds, ok := owner.(*appsv1.DaemonSet); ok {
		return &ds.Status.CollisionCount
	}
	return &owner.(*appsv1.StatefulSet).Status.CollisionCount
}

// Drop deletes the first n of an owner's revisions that are not in use.
func (h *History) Drop(
	ctx context.Context, idle []*appsv1.ControllerRevision, n int,
) error {
	for _, r := range idle[:max(0, min(n, len(idle)))] {
		err := h.Client.Delete(ctx, RevisionKind, controlloop.KeyOf(r),
			metav1.DeleteOptions{
				Preconditions: metav1.NewUIDPreconditions(string(r.UID)),
			})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("drop revision %s: %w", r.Name, err)
		}
	}
	return nil
}
