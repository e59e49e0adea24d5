package node

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/component-helpers/apps/poddisruptionbudget"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/node/budget"
)

// Evict deletes a Pod if its budget can afford it: what the API server does
// where it is asked for an eviction, as kubectl drain asks. Fails with 429
// TooManyRequests where it cannot now, and with 500 where two budgets are about
// one Pod. With opts.DryRun it says what it would do, but deletes nothing.
// (Kubernetes: pkg/registry/core/pod/storage/eviction.go.)
func Evict(
	ctx context.Context, client controlloop.Client, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	e := eviction{client, key, opts}
	pod, err := e.free(ctx)
	if pod == nil || err != nil {
		return err
	}
	return e.guarded(ctx, pod)
}

// eviction is one attempt to have a Pod go.
type eviction struct {
	client controlloop.Client
	key    controlloop.Key
	opts   metav1.DeleteOptions
}

// asked returns the version of the Pod that the caller means; nil: any.
func (e *eviction) asked() *string {
	if e.opts.Preconditions == nil {
		return nil
	}
	return e.opts.Preconditions.ResourceVersion
}

// How often others may be faster, and how long it is until the next attempt.
const (
	evictTries = 20
	evictAgain = 500 * time.Millisecond
)

// untilFresh does something again when others were faster, if it may.
func untilFresh(
	ctx context.Context, may bool, do func(context.Context) error,
) error {
	for n := 1; ; n++ {
		err := do(ctx)
		if !apierrors.IsConflict(err) || !may || n == evictTries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(evictAgain):
		}
	}
}

// free has a Pod go that serves no requests: no budget is about that. One that
// has not begun goes as it is now, for it may be ready before it is deleted. It
// returns a Pod that does serve some.
func (e *eviction) free(ctx context.Context) (pod *corev1.Pod, err error) {
	err = untilFresh(ctx, e.asked() == nil, func(ctx context.Context) error {
		obj, err := e.client.Get(ctx, controlloop.PodKind, e.key)
		if err != nil {
			return err
		}
		pod = obj.(*corev1.Pod)
		if !isIdle(pod) {
			return nil
		}
		version := e.asked()
		if version == nil && !controlloop.HasEnded(pod) &&
			pod.DeletionTimestamp == nil {
			version = &pod.ResourceVersion
		}
		pod = nil
		return e.remove(ctx, version)
	})
	return pod, err
}

// guarded deletes a Pod if its budget, should it have one, can spare it. A Pod that
// is not ready costs nothing where there are enough without it, if it is deleted
// as it is now.
func (e *eviction) guarded(ctx context.Context, pod *corev1.Pod) error {
	pdb, err := budget.Of(ctx, e.client, pod)
	switch {
	case err != nil:
		return err
	case pdb == nil:
		return e.remove(ctx, e.asked())
	case !controlloop.IsReady(pod) && spares(pdb):
		err := e.remove(ctx, &pod.ResourceVersion)
		if apierrors.IsConflict(err) && e.asked() == nil {
			return budget.NotYet(pdb)
		}
		return err
	}
	if err := e.decrement(ctx, pdb); err != nil {
		return err
	}
	return e.remove(ctx, e.asked())
}

// isIdle reports whether a Pod has ended, or not begun, or will go anyway.
func isIdle(pod *corev1.Pod) bool {
	return controlloop.HasEnded(pod) || pod.DeletionTimestamp != nil ||
		pod.Status.Phase == corev1.PodPending
}

// spares reports whether a Pod that is not ready can go and cost nothing:
// always, or as long as there are enough without it.
func spares(pdb *policyv1.PodDisruptionBudget) bool {
	policy, now := pdb.Spec.UnhealthyPodEvictionPolicy, pdb.Status
	return policy != nil && *policy == policyv1.AlwaysAllow ||
		now.CurrentHealthy >= now.DesiredHealthy && now.DesiredHealthy > 0
}

// decrement takes one from what a budget allows, before anything is deleted:
// should we end between the two, a Pod is counted as gone for two minutes, and
// none has gone that was not counted. (Kubernetes: checkAndDecrement.)
func (e *eviction) decrement(
	ctx context.Context, pdb *policyv1.PodDisruptionBudget,
) error {
	return untilFresh(ctx, true, func(ctx context.Context) error {
		if err := budget.Refuses(pdb); err != nil {
			return err
		}
		next := controlloop.Copy(pdb)
		next.Status.DisruptionsAllowed--
		if next.Status.DisruptionsAllowed == 0 {
			poddisruptionbudget.UpdateDisruptionAllowedCondition(next)
		}
		if next.Status.DisruptedPods == nil {
			next.Status.DisruptedPods = map[string]metav1.Time{}
		}
		next.Status.DisruptedPods[e.key.Name] = metav1.Now()
		if len(e.opts.DryRun) > 0 {
			return nil
		}
		_, err := e.client.UpdateStatus(ctx, next)
		if !apierrors.IsConflict(err) {
			return err
		}
		obj, again := e.client.Get(
			ctx, daemonset.BudgetKind, controlloop.KeyOf(pdb))
		if again != nil {
			return again
		}
		pdb = obj.(*policyv1.PodDisruptionBudget)
		return err
	})
}

// remove says why the Pod goes, and deletes it: of that version, if one is
// given, and no other Pod of its name.
func (e *eviction) remove(ctx context.Context, version *string) error {
	if len(e.opts.DryRun) > 0 {
		return nil
	}
	obj, err := e.client.Get(ctx, controlloop.PodKind, e.key)
	if err != nil {
		return err
	}
	pod := obj.(*corev1.Pod)
	opts := *e.opts.DeepCopy()
	if opts.Preconditions == nil {
		opts.Preconditions = &metav1.Preconditions{UID: &pod.UID}
	}
	opts.Preconditions.ResourceVersion = version
	if err := differs(pod, opts.Preconditions); err != nil {
		return err
	}
	next := daemonset.UpdatePodCondition(pod, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting",
	})
	if next != nil {
		stored, err := e.client.UpdateStatus(ctx, next)
		if apierrors.IsConflict(err) {
			return e.remove(ctx, version) // it is another by now
		}
		if err != nil {
			return err
		}
		if version != nil {
			opts.Preconditions.ResourceVersion = new(stored.GetResourceVersion())
		}
	}
	return e.client.Delete(ctx, controlloop.PodKind, e.key, opts)
}

// differs returns a 409 Conflict if a Pod is not the one that is meant.
func differs(pod *corev1.Pod, want *metav1.Preconditions) error {
	conflict := func(what string, want, has any, hint string) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "Pod"},
			pod.Name, fmt.Errorf("the %s in the precondition (%s) does not "+
				"match the %s in record (%s). The object might have been %s",
				what, want, what, has, hint))
	}
	if uid := want.UID; uid != nil && *uid != "" && *uid != pod.UID {
		return conflict("UID", *uid, pod.UID, "deleted and then recreated")
	}
	version := want.ResourceVersion
	if version != nil && *version != "" && *version != pod.ResourceVersion {
		return conflict("ResourceVersion", *version, pod.ResourceVersion,
			"modified")
	}
	return nil
}
