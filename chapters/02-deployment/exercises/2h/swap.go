// Package swap is a Strategy of one's own in chapter 2's seam: the Pods of a new
// template come up beside all old ones, and take their place at one stroke.
package swap

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
)

// Strategy brings up all Pods of a new template before it takes an old one away.
// It needs room for both.
type Strategy struct{}

// Roll implements deployment.Strategy. Old Pods that serve stay until all new
// ones do; old ReplicaSets that have none of these go at once.
//
//book:exercise 2h
func (Strategy) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	want := *r.Deployment.Spec.Replicas
	if r.New == nil {
		return deployment.Outcome{}, r.Start(ctx, want)
	}
	if _, err := r.Scale(ctx, r.New, want); err != nil {
		return deployment.Outcome{}, err
	}
	done := serves(r.New, want)
	for _, old := range r.Old {
		if done || old.Status.AvailableReplicas == 0 {
			if _, err := r.Scale(ctx, old, 0); err != nil {
				return deployment.Outcome{}, err
			}
		}
	}
	return deployment.Outcome{}, nil
}

// serves reports whether so many Pods of a ReplicaSet are available, by a status
// that is about its present size.
//
//book:exercise 2h
func serves(rs *appsv1.ReplicaSet, want int32) bool {
	return rs.Status.ObservedGeneration >= rs.Generation &&
		rs.Status.AvailableReplicas >= want
}
