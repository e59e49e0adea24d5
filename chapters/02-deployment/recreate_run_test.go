package deployment_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// byTheCounts is Recreate as one would write it first: it waits until the old
// ReplicaSets count no Pod.
type byTheCounts struct{}

func (byTheCounts) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	left := int32(0)
	for _, old := range r.Old {
		if _, err := r.Scale(ctx, old, 0); err != nil {
			return deployment.Outcome{}, err
		}
		left += old.Status.Replicas
	}
	if left > 0 {
		return deployment.Outcome{}, nil
	}
	want := *r.Deployment.Spec.Replicas
	if r.New == nil {
		return deployment.Outcome{}, r.Start(ctx, want)
	}
	_, err := r.Scale(ctx, r.New, want)
	return deployment.Outcome{}, err
}

// running counts the Pods of an image whose process runs.
func running(c *kubetest.Cluster, image string) (n int) {
	for _, pod := range c.Pods() {
		if pod.Spec.Containers[0].Image == image && pod.Status.Phase == corev1.PodRunning {
			n++
		}
	}
	return n
}

// Two Pods of a program that takes four seconds to end are given another image:
// how many of either run, second by second.
func TestRunOfWhatRecreateWaitsFor(t *testing.T) {
	var columns [2][]string
	for i, strategy := range []deployment.Strategy{byTheCounts{}, deployment.Recreate{}} {
		synctest.Test(t, func(t *testing.T) {
			c := kubetest.New(t, kubetest.Setup{
				Kinds: kinds(), Nodes: 1,
				Controllers: []kubetest.Controller{
					deployment.NewReplicaSets,
					func(s *controlloop.System) *controlloop.Controller {
						return deployment.NewDeploymentsWith(s, deployment.Strategies{
							appsv1.RecreateDeploymentStrategyType: strategy,
						}, func(*deployment.Rollout, *appsv1.ReplicaSet) {})
					},
				},
				Images: simulated.Images{
					"db:1": kubetest.Sleeps(4 * time.Second), "db:2": kubetest.Sleeps(0),
				},
				DetectMutations: true,
			})
			db := recreated("db", 2)
			db.Spec.Template.Spec.Containers = []corev1.Container{kubetest.Container("db", "db:1")}
			db = kubetest.Create(c, db)
			c.Advance(10 * time.Second)
			setImage(c, db, "db:2")
			c.Settle()
			for range 6 {
				columns[i] = append(columns[i], fmt.Sprintf("%6d %6d", running(c, "db:1"), running(c, "db:2")))
				c.Advance(time.Second)
			}
		})
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%7s   %13s   %13s\n", "", "by the counts", "Recreate")
	fmt.Fprintf(&out, "%7s   %6s %6s   %6s %6s\n", "second", "db:1", "db:2", "db:1", "db:2")
	for second := range columns[0] {
		fmt.Fprintf(&out, "%7d   %s   %s\n", second, columns[0][second], columns[1][second])
	}
	kubetest.Recorded(t, "two-versions.txt", out.Bytes())
}
