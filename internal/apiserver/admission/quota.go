package admission

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

var quotaKind = corev1.SchemeGroupVersion.WithKind("ResourceQuota")

// quotas does the work of Kubernetes' plugin ResourceQuota: the used amounts
// stand in the status of a quota, and are charged there, in optimistic
// concurrency, before the object is stored.
func (r request) quotas(ctx context.Context, dryRun bool) error {
	all, err := r.store.List(ctx, quotaKind,
		controlloop.ListOptions{Namespace: r.obj.GetNamespace()})
	if err != nil {
		return ignoreNoMatch(err)
	}
	var charged []*corev1.ResourceQuota
	for _, obj := range all.Items {
		quota, err := r.charge(obj.(*corev1.ResourceQuota))
		if err != nil {
			return err
		}
		if quota != nil {
			charged = append(charged, quota)
		}
	}
	if dryRun {
		return nil
	}
	for _, quota := range charged {
		if err := r.write(ctx, quota); err != nil {
			return err
		}
	}
	return nil
}

func ignoreNoMatch(err error) error {
	if meta.IsNoMatchError(err) {
		return nil
	}
	return err
}

// write stores a quota that is charged, and charges it anew if another write
// was faster.
func (r request) write(ctx context.Context, charged *corev1.ResourceQuota) error {
	for charged != nil {
		_, err := r.store.UpdateStatus(ctx, charged)
		if !apierrors.IsConflict(err) {
			return deployment.IfThere(err)
		}
		now, err := r.store.Get(ctx, quotaKind, controlloop.KeyOf(charged))
		if err != nil {
			return deployment.IfThere(err)
		}
		if charged, err = r.charge(now.(*corev1.ResourceQuota)); err != nil {
			return err
		}
	}
	return nil
}

// charge returns the quota with the object's usage added, or nil if it does not
// limit such objects. Its error is that the quota has no room.
func (r request) charge(quota *corev1.ResourceQuota) (*corev1.ResourceQuota, error) {
	hard := quota.Status.Hard
	if !limits(quota, r.kind.GroupResource()) || !covers(quota, r.obj) {
		return nil, nil
	}
	if pod, ok := r.obj.(*corev1.Pod); ok {
		if err := unsaid(pod, hard); err != nil {
			return nil, r.forbidden("failed quota: %s: %w", quota.Name, err)
		}
	}
	next := controlloop.Copy(quota)
	requested := corev1.ResourceList{}
	var exceeded, unknown []corev1.ResourceName
	for name, amount := range usage(r.kind.GroupResource(), r.obj) {
		limit, limited := hard[name]
		if !limited || amount.IsZero() {
			continue
		}
		used, known := next.Status.Used[name]
		if !known {
			unknown = append(unknown, name)
			continue
		}
		used.Add(amount)
		if used.Cmp(limit) > 0 {
			exceeded = append(exceeded, name)
		}
		requested[name], next.Status.Used[name] = amount, used
	}
	if unknown != nil {
		slices.Sort(unknown)
		return nil, r.forbidden("status unknown for quota: %s, resources: %s",
			quota.Name, joined(unknown))
	}
	if exceeded != nil {
		return nil, r.forbidden("exceeded quota: %s, requested: %s, used: %s, "+
			"limited: %s", quota.Name, show(requested, exceeded),
			show(quota.Status.Used, exceeded), show(hard, exceeded))
	}
	return next, nil
}

// limits reports whether a quota limits a resource. One with an empty status has
// not been seen by the recount yet.
func limits(quota *corev1.ResourceQuota, of schema.GroupResource) bool {
	for name := range quota.Status.Hard {
		if measures(of, name) {
			return true
		}
	}
	return false
}

func joined(names []corev1.ResourceName) string {
	var all []string
	for _, name := range names {
		all = append(all, string(name))
	}
	return strings.Join(all, ",")
}

// show returns some of the amounts of a list: "cpu=2,pods=1".
func show(amounts corev1.ResourceList, names []corev1.ResourceName) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if slices.Contains(names, name) {
			amount := amounts[name]
			all = append(all, fmt.Sprintf("%s=%s", name, amount.String()))
		}
	}
	return strings.Join(all, ",")
}
