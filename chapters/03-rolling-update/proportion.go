package rollingupdate

import (
	"cmp"
	"context"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
)

// resized reports whether the Deployment has got another size than the one that
// its ReplicaSets have noted.
func resized(r *deployment.Rollout) bool {
	return slices.ContainsFunc(active(r.All()), func(rs *appsv1.ReplicaSet) bool {
		noted, ok := numberIn(rs, DesiredReplicasAnnotation)
		return ok && noted != *r.Deployment.Spec.Replicas
	})
}

// mixed reports whether a Deployment that recreates its Pods has those of several
// templates, as it may if it was a rolling update that could not go on: then it is
// the strategy that has to bring it to its size.
func mixed(r *deployment.Rollout) bool {
	return !rolls(r.Deployment) && len(active(r.All())) > 1 &&
		!saturated(r.Deployment, r.New)
}

// resize brings the ReplicaSets to the size of their Deployment and leaves the
// rollout where it is. (Kubernetes: scale in pkg/controller/deployment/sync.go.)
func resize(ctx context.Context, r *deployment.Rollout) error {
	d, sets := r.Deployment, active(r.All())
	want := *d.Spec.Replicas
	switch {
	case len(sets) < 2:
		if rs := only(r, sets); rs != nil {
			return setSize(ctx, r, rs, want)
		}
		return nil
	case saturated(d, r.New):
		for _, rs := range active(r.Old) {
			if err := setSize(ctx, r, rs, 0); err != nil {
				return err
			}
		}
		return nil
	case !rolls(d):
		return nil
	}
	for _, s := range shares(d, sets) {
		if err := setSize(ctx, r, sets[s.set], s.size); err != nil {
			return err
		}
	}
	return nil
}

// shares returns the sizes that ReplicaSets get in the middle of a rollout when
// their Deployment has got another: each grows or shrinks in proportion, and
// none shrinks while another grows. The remainder of the rounding goes to the
// largest. Of two that are as large, the newer grows first, and the older
// shrinks first.
//
//	10 replicas, at most 13: old 8, new 5. Now 30, at most 33.
//	33 - 13 = 20 to add: old 8·33/13 = 20.3, so +12; new 5·33/13 = 12.7, so +8.
//
//book:exercise 3h
func shares(d *appsv1.Deployment, sets []*appsv1.ReplicaSet) []step {
	most := atMost(d)
	left := most - total(sets)
	var steps []step
	for _, i := range bySize(sets, left > 0) {
		size := *sets[i].Spec.Replicas
		change := inProportion(d, sets[i], most) - size
		if left > 0 {
			change = min(max(change, 0), left)
		} else {
			change = max(min(change, 0), left)
		}
		left -= change
		steps = append(steps, step{i, size + change})
	}
	steps[0].size = max(0, steps[0].size+left)
	return steps
}

// atMost returns how many Pods may exist for a while.
func atMost(d *appsv1.Deployment) int32 {
	want := *d.Spec.Replicas
	if want == 0 {
		return 0
	}
	maxSurge, _ := boundsOf(d)
	return want + maxSurge
}

// bySize returns the places of sets in order of their size, the largest first.
func bySize(sets []*appsv1.ReplicaSet, newerFirst bool) []int {
	order := make([]int, len(sets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		age := deployment.OlderFirst(sets[i], sets[j])
		if newerFirst {
			age = -age
		}
		return cmp.Or(cmp.Compare(*sets[j].Spec.Replicas, *sets[i].Spec.Replicas), age)
	})
	return order
}

// inProportion returns the size that a ReplicaSet would have, had it been made
// for the Deployment as it is now.
func inProportion(
	d *appsv1.Deployment, rs *appsv1.ReplicaSet, most int32,
) int32 {
	before, ok := numberIn(rs, MaxReplicasAnnotation)
	if !ok || before == 0 {
		before = d.Status.Replicas // the note was tampered with
	}
	if before == 0 {
		return *rs.Spec.Replicas
	}
	return int32(math.Round(
		float64(*rs.Spec.Replicas) * float64(most) / float64(before)))
}
