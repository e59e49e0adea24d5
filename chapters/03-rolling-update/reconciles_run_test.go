package rollingupdate_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// told is RollingUpdate, with every reconcile written down: what it finds, what the
// two sums come to, and what it makes of them.
type told struct {
	out   *bytes.Buffer
	syncs int    // so far
	row   string // holds those that are yet to be written
	first int
}

// flush writes one row for reconciles that found and did the same.
func (s *told) flush() {
	syncs := fmt.Sprint(s.first)
	if s.syncs > s.first {
		syncs += fmt.Sprintf("-%d", s.syncs)
	}
	if s.row != "" {
		fmt.Fprintf(s.out, "%-9s %s\n", syncs, s.row)
	}
}

func (s *told) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	was := both(r)
	room := *r.Deployment.Spec.Replicas + 1 - was.total()
	surplus := was.old + was.available - *r.Deployment.Spec.Replicas
	outcome, err := rollingupdate.RollingUpdate{}.Roll(ctx, r)
	if s.out == nil {
		return outcome, err
	}
	does := "."
	switch is := both(r); {
	case is.latest > was.latest:
		does = fmt.Sprintf("v2 grows to %d", is.latest)
	case is.old < was.old:
		does = fmt.Sprintf("v1 shrinks to %d", is.old)
	}
	row := fmt.Sprintf("%4d %4d %6d %6d %8d   %s",
		was.old, was.latest, was.available, room, surplus, does)
	if row != s.row {
		s.flush()
		s.row, s.first = row, s.syncs+1
	}
	s.syncs++
	return outcome, err
}

// sums are the Pods that the ReplicaSets of a Rollout want, and the new Pods
// that can be counted on.
type sums struct{ old, latest, available int32 }

func (s sums) total() int32 { return s.old + s.latest }

func both(r *deployment.Rollout) (s sums) {
	for _, rs := range r.Old {
		s.old += *rs.Spec.Replicas
	}
	if r.New != nil {
		s.latest = *r.New.Spec.Replicas
		s.available = min(r.New.Status.AvailableReplicas, s.latest)
	}
	return s
}

// Every reconcile of a rolling update of three, one more and none fewer.
func TestRunOfEveryReconcile(t *testing.T) {
	p := newPlant(t)
	p.system = &controlloop.System{Client: p.client}
	strategy := &told{}
	deployment.NewDeploymentsWith(p.system, deployment.Strategies{
		appsv1.RollingUpdateDeploymentStrategyType: strategy,
	}, func(*deployment.Rollout, *appsv1.ReplicaSet) {})
	deployment.NewReplicaSets(p.system)
	p.add(web("web", 3, bounds("1", "0")))
	for p.rest(); p.work(); p.rest() {
	}
	strategy.out = &bytes.Buffer{}
	strategy.out.WriteString("reconcile   v1   v2  works   room  surplus\n")
	p.roll("web:v2")
	strategy.flush()
	kubetest.Recorded(t, "reconciles.txt", strategy.out.Bytes())
}

// A share of the Pods in numbers, rounded either way.
func TestRunOfTheFencePosts(t *testing.T) {
	var out bytes.Buffer
	out.WriteString("replicas   surge, unavailable   at most   at least\n")
	for _, share := range [][2]string{{"25%", "25%"}, {"0", "1%"}, {"1", "0"}} {
		for _, n := range []int32{1, 3, 10, 100} {
			d := web("web", n, bounds(share[0], share[1]))
			more, fewer := rollingupdate.FencePosts(d.Spec.Strategy.RollingUpdate, n)
			fmt.Fprintf(&out, "%8d   %-18s %9d %10d\n",
				n, share[0]+", "+share[1], n+more, n-fewer)
		}
	}
	kubetest.Recorded(t, "bounds.txt", out.Bytes())
}
