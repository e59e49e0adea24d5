package deployment

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Recreate is the Strategy that ends all old Pods before it starts a new one.
// For a while no Pod runs: it is for programs that cannot bear two versions at
// once.
type Recreate struct{}

// Roll implements Strategy.
//
//book:exercise 2f
func (Recreate) Roll(ctx context.Context, r *Rollout) (Outcome, error) {
	down := false
	for _, old := range r.Old {
		scaled, err := r.Scale(ctx, old, 0)
		if err != nil {
			return Outcome{}, err
		}
		down = down || scaled
	}
	if down || oldPodsLeft(r) {
		return Outcome{}, nil // the last of them to go brings us back
	}
	want := *r.Deployment.Spec.Replicas
	if r.New == nil {
		return Outcome{}, r.Start(ctx, want)
	}
	_, err := r.Scale(ctx, r.New, want)
	return Outcome{}, err
}

// oldPodsLeft reports whether any old Pod may still run. One that was told to
// end counts: until it has, it keeps its hold on what it uses.
func oldPodsLeft(r *Rollout) bool {
	for _, old := range r.Old {
		if old.Status.Replicas > 0 || anyAlive(r, old) {
			return true
		}
	}
	return false
}

func anyAlive(r *Rollout, rs *appsv1.ReplicaSet) bool {
	for _, pod := range r.Pods(rs) {
		if !controlloop.HasEnded(pod) {
			return true
		}
	}
	return false
}
