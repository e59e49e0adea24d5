package statefulset

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Reconcile implements controlloop.Reconciler. Its errors are returned after the
// status has been reported.
func (s *StatefulSets) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := s.Sets.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	set := obj.(*appsv1.StatefulSet)
	pods, err := s.claimPods(ctx, set)
	if err != nil {
		return controlloop.Result{}, err
	}
	v, err := s.Update.Versions(ctx, set, pods)
	if err != nil {
		return controlloop.Result{}, err
	}
	now := *set // with the status as it is, not as it was reported last
	now.Status = statusOf(set, v, pods)
	var todo steps
	var failure error
	if set.DeletionTimestamp == nil {
		todo, failure = s.manage(ctx, &now, v, pods)
	}
	err = s.report(ctx, set, now.Status)
	return controlloop.Result{After: todo.wait}, errors.Join(failure, err)
}

// manage takes the steps that are due. Only a set that is as it should be is
// updated.
func (s *StatefulSets) manage(
	ctx context.Context, set *appsv1.StatefulSet, v Versions, pods []*corev1.Pod,
) (steps, error) {
	p := planOf(set, pods)
	for _, pod := range havingTheirTurn(set, p) {
		if pod == nil {
			continue
		}
		if err := s.Claims.Keep(ctx, set, pod); err != nil {
			return steps{}, err
		}
	}
	todo := next(set, p)
	if err := s.take(ctx, set, v, todo.take); err != nil || !todo.settled {
		return todo, err
	}
	for _, pod := range s.Update.GiveWay(set, v, p.replicas) {
		if err := s.remove(ctx, set, pod); err != nil {
			return todo, err
		}
	}
	return todo, nil
}
