package rollingupdate

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
)

// RollingUpdate is the Strategy that replaces Pods a few at a time: some new
// ones are created, and for each that becomes available an old one is deleted.
// (Kubernetes: pkg/controller/deployment/rolling.go.)
type RollingUpdate struct{}

// Roll implements deployment.Strategy. If the new ReplicaSet can grow, it does;
// otherwise the old ones shrink, if they can.
//
//book:exercise 3b
func (RollingUpdate) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	maxSurge, maxUnavailable := boundsOf(r.Deployment)
	want := *r.Deployment.Spec.Replicas
	room := want + maxSurge - total(r.All())
	if r.New == nil {
		if err := r.Start(ctx, grown(0, want, room)); err != nil {
			return deployment.Outcome{}, err
		}
	} else {
		scaled, err := r.Scale(ctx, r.New, grown(*r.New.Spec.Replicas, want, room))
		if err != nil || scaled {
			return deployment.Outcome{}, err
		}
	}
	for _, s := range shrink(r.New, r.Old, want-maxUnavailable) {
		if _, err := r.Scale(ctx, r.Old[s.set], s.size); err != nil {
			return deployment.Outcome{}, err
		}
	}
	return deployment.Outcome{}, nil
}

// total returns how many Pods some ReplicaSets want, all together.
func total(sets []*appsv1.ReplicaSet) (n int32) {
	for _, rs := range sets {
		n += *rs.Spec.Replicas
	}
	return n
}

// grown returns the size of the new ReplicaSet after this reconcile: all that
// are wanted, or as many of them as there is room for.
//
//book:exercise 3b
func grown(size, want, room int32) int32 {
	if size >= want {
		return want
	}
	return size + max(0, min(room, want-size))
}

// step is a new size for one of several ReplicaSets.
type step struct {
	set  int // its place among them
	size int32
}

// shrink returns how the old ReplicaSets become smaller, the oldest first, such
// that at least that many available Pods are left. Pods that are not available
// are deleted before all others: they are no loss, whichever set they are in.
//
//	10 replicas, 2 may be unavailable: 8 must stay. There are 13: 8 old ones,
//	and 5 new ones that do not start. 13 - 8 - 5 = 0 may be deleted.
//	One of the 8 fails. Still 13 - 8 - 5 = 0, and no old Pod is deleted.
//	The template is taken back, so that the 5 are old, and of the 8 new ones 1
//	is not available: 13 - 8 - 1 = 4 may be deleted, all of them from the 5.
//
//book:exercise 3c
func shrink(
	latest *appsv1.ReplicaSet, old []*appsv1.ReplicaSet, atLeast int32,
) []step {
	var steps []step
	sizes := make([]int32, len(old))
	mayGo := total(old) + available(latest) - atLeast
	take := func(i int, n int32) {
		if n = min(n, mayGo); n > 0 {
			mayGo -= n
			sizes[i] -= n
			steps = append(steps, step{i, sizes[i]})
		}
	}
	for i, rs := range old {
		sizes[i] = *rs.Spec.Replicas
		take(i, sizes[i]-available(rs))
	}
	for i := range old {
		take(i, sizes[i])
	}
	return steps
}

// available returns how many Pods of a ReplicaSet can be counted on. Its status
// may be from before it was told to become smaller.
func available(rs *appsv1.ReplicaSet) int32 {
	return min(rs.Status.AvailableReplicas, *rs.Spec.Replicas)
}
