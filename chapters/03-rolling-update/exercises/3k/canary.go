// Package canary is a Strategy of one's own in chapter 3's seam: the first Pod of
// a new template comes alone, and waits for a person to approve of it.
package canary

import (
	"cmp"
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
)

// ApprovedAnnotation names, on a Deployment, the ReplicaSet that may take over.
const ApprovedAnnotation = "canary.example/approved"

// Strategy brings up one Pod of a new template, beyond those that are wanted,
// and leaves the rest to another Strategy once a person has said yes.
type Strategy struct {
	Next deployment.Strategy
}

// Roll implements deployment.Strategy. A template that does not serve yet has
// one Pod, and all that are wanted stay with the one that does.
//
//book:exercise 3k
func (s Strategy) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	serving := serving(r)
	if serving == nil || r.New != nil && serving.UID == r.New.UID {
		return s.Next.Roll(ctx, r)
	}
	for _, old := range r.Old { // canaries of yesterday
		if old.UID == serving.UID {
			continue
		}
		if _, err := r.Scale(ctx, old, 0); err != nil {
			return deployment.Outcome{}, err
		}
	}
	if r.New == nil {
		return deployment.Outcome{}, r.Start(ctx, 1)
	}
	_, err := r.Scale(ctx, r.New, 1)
	return deployment.Outcome{}, err
}

// serving returns the ReplicaSet whose Pods are the wanted ones: the one that
// was approved or, if none ever was, the largest; nil: none has Pods.
//
//book:exercise 3k
func serving(r *deployment.Rollout) *appsv1.ReplicaSet {
	sets := slices.DeleteFunc(r.All(), func(rs *appsv1.ReplicaSet) bool {
		return *rs.Spec.Replicas == 0
	})
	if len(sets) == 0 {
		return nil
	}
	for _, rs := range sets {
		if rs.Name == r.Deployment.Annotations[ApprovedAnnotation] {
			return rs
		}
	}
	return slices.MaxFunc(sets, func(a, b *appsv1.ReplicaSet) int {
		return cmp.Compare(*a.Spec.Replicas, *b.Spec.Replicas)
	})
}
