package rollingupdate_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// byWhatWasMade is RollingUpdate as one would write it first, for a surge of
// three and two unavailable: a Pod that was made is a Pod that is there.
type byWhatWasMade struct{}

func (byWhatWasMade) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	want, made := *r.Deployment.Spec.Replicas, both(r).total()
	if grew, err := grow(ctx, r, want+3-made); grew || err != nil {
		return deployment.Outcome{}, err
	}
	mayGo := made - (want - 2)
	for _, old := range r.Old {
		n := min(mayGo, *old.Spec.Replicas)
		mayGo -= n
		if _, err := r.Scale(ctx, old, *old.Spec.Replicas-n); err != nil {
			return deployment.Outcome{}, err
		}
	}
	return deployment.Outcome{}, nil
}

// grow gives the new ReplicaSet as many Pods more as there is room for, and
// reports whether there was any.
func grow(ctx context.Context, r *deployment.Rollout, room int32) (bool, error) {
	want := *r.Deployment.Spec.Replicas
	if r.New == nil {
		return true, r.Start(ctx, min(want, room))
	}
	size := *r.New.Spec.Replicas
	return r.Scale(ctx, r.New, size+max(0, min(room, want-size)))
}

// watched writes down the sizes that a Strategy gives, and how many Pods serve.
type watched struct {
	deployment.Strategy
	steps []string
}

func (w *watched) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	was := both(r)
	outcome, err := w.Strategy.Roll(ctx, r)
	if is := both(r); is != was {
		w.steps = append(w.steps, fmt.Sprintf("%4d %4d", is.old, is.latest))
	}
	return outcome, err
}

// rolls returns a controller of Deployments that roll by a Strategy alone.
func rolls(by deployment.Strategy) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		return deployment.NewDeploymentsWith(s, deployment.Strategies{
			appsv1.RollingUpdateDeploymentStrategyType: by,
		}, func(*deployment.Rollout, *appsv1.ReplicaSet) {})
	}
}

// serving counts the Pods that are ready, and were not told to go.
func serving(c *kubetest.Cluster) (n int) {
	for _, pod := range c.Pods() {
		if kubetest.Ready(pod) && pod.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

// Ten Pods are updated to an image that does not exist.
func TestRunOfAnUpdateToNothing(t *testing.T) {
	var out bytes.Buffer
	for _, by := range []struct {
		part string
		is   deployment.Strategy
	}{{"made", byWhatWasMade{}}, {"available", rollingupdate.RollingUpdate{}}} {
		synctest.Test(t, func(t *testing.T) {
			strategy := &watched{Strategy: by.is}
			c := kubetest.New(t, kubetest.Setup{
				Kinds: allKinds(), Nodes: 1, DetectMutations: true,
				Controllers: []kubetest.Controller{rolls(strategy), deployment.NewReplicaSets},
				Images:      simulated.Images{"web:v1": kubetest.Sleeps(0)},
			})
			kubetest.Create(c, web("web", 10, bounds("3", "2"), unprobed))
			c.Advance(time.Minute)
			strategy.steps = nil
			edit(c, "web", image("web:v2"))
			c.Advance(time.Hour)
			fmt.Fprintf(&out, "# part: %s\n%4s %4s\n", by.part, "v1", "v2")
			for _, step := range strategy.steps {
				fmt.Fprintln(&out, step)
			}
			fmt.Fprintf(&out, "an hour later %d Pods serve\n", serving(c))
		})
	}
	kubetest.Recorded(t, "nothing-there.txt", out.Bytes())
}

// byTheStatus returns how many old Pods may go if a status is believed.
func byTheStatus(latest *appsv1.ReplicaSet, old []*appsv1.ReplicaSet, atLeast int32) int32 {
	mayGo := latest.Status.AvailableReplicas - atLeast
	for _, rs := range old {
		mayGo += *rs.Spec.Replicas
	}
	return mayGo
}

// Thirty are scaled to ten in the middle of an update: the new ReplicaSet has
// got its smaller size, and has not said so yet.
func TestRunOfABudgetWithALateStatus(t *testing.T) {
	const atLeast = 8
	v1, v2 := set("v1", 7, 7), set("v2", 4, 13)
	old := []*appsv1.ReplicaSet{v1}
	believed := min(byTheStatus(v2, old, atLeast), *v1.Spec.Replicas)
	left := rollingupdate.Shrink(v2, old, atLeast)[0]
	var out bytes.Buffer
	fmt.Fprintf(&out, "%-13s %4s %4s %13s %7s %5s\n", "8 must stay", "v1", "v2", "v2's status", "may go", "left")
	for _, row := range []struct {
		what string
		goes int32
	}{{"by the status", believed}, {"shrink", *v1.Spec.Replicas - left}} {
		left := *v1.Spec.Replicas - row.goes + *v2.Spec.Replicas
		fmt.Fprintf(&out, "%-13s %4d %4d %13d %7d %5d\n", row.what, *v1.Spec.Replicas,
			*v2.Spec.Replicas, v2.Status.AvailableReplicas, row.goes, left)
	}
	kubetest.Recorded(t, "late-status.txt", out.Bytes())
}

// An update from one to two is scaled from ten to thirty when it is half done.
func TestRunOfAResizeWithoutShares(t *testing.T) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%-16s %6s %6s\n", "", "v1", "v2")
	for _, by := range []struct {
		what string
		made kubetest.Controller
	}{
		{"as before", rolls(rollingupdate.RollingUpdate{})},
		{"with shares", rollingupdate.NewDeployments},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlant(t)
			p.system = &controlloop.System{Client: p.client}
			by.made(p.system)
			deployment.NewReplicaSets(p.system)
			p.add(web("web", 10, bounds("3", "2")))
			for p.rest(); p.work(); p.rest() {
			}
			said := func(what string) {
				sizes := map[string]int32{}
				for _, obj := range p.all(deployment.ReplicaSetKind) {
					rs := obj.(*appsv1.ReplicaSet)
					sizes[rs.Spec.Template.Spec.Containers[0].Image] = *rs.Spec.Replicas
				}
				fmt.Fprintf(&out, "%-16s %6d %6d\n", what, sizes["web:v1"], sizes["web:v2"])
			}
			p.edit(image("web:v2"))
			p.rest()
			said("10, half-way")
			p.edit(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(30)) })
			p.rest()
			said("30, " + by.what)
		})
	}
	kubetest.Recorded(t, "leap.txt", out.Bytes())
}
