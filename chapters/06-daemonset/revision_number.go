package daemonset

import (
	"bytes"
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

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

// lookUp finds the revision with this data, nil if there is none, and the
// number that it is to have: above that of every other. All are sorted, the
// lowest number first.
//
//	1: nginx:1.26, 2: nginx:1.27   and now nginx:1.27: the second, 2 as before
//	1: nginx:1.26, 2: nginx:1.27   and now nginx:1.26: the first, and it gets 3
//	1: nginx:1.26, 2: nginx:1.27   and now nginx:1.28: none, and it gets 3
//
//book:exercise 6.8
func lookUp(
	all []*appsv1.ControllerRevision, data []byte,
) (same *appsv1.ControllerRevision, number int64) {
	for _, r := range all {
		if bytes.Equal(r.Data.Raw, data) {
			same = r
		} else {
			number = max(number, r.Revision)
		}
	}
	if same != nil && same.Revision > number {
		return same, same.Revision
	}
	return same, number + 1
}
