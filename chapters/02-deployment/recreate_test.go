package deployment_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// slowly returns a cluster whose Pods take 20 s to end, on one node.
func slowly() kubetest.Setup {
	setup := everything
	setup.Images = simulated.Images{
		"slow:1": kubetest.Sleeps(20 * time.Second),
		"slow:2": kubetest.Sleeps(20 * time.Second),
		"slow:3": kubetest.Sleeps(20 * time.Second),
	}
	return setup
}

// slow returns a Deployment whose Pods take 20 s to end.
func slow(name string, replicas int32) *appsv1.Deployment {
	d := recreated(name, replicas)
	d.Spec.Template.Spec.Containers = []corev1.Container{kubetest.Container("web", "slow:1")}
	return d
}

// sizes returns how many Pods each ReplicaSet wants, by the tag of its image.
func sizes(c *kubetest.Cluster) map[string]int32 {
	all := map[string]int32{}
	for _, rs := range sets(c) {
		all[rs.Spec.Template.Spec.Containers[0].Image] = *rs.Spec.Replicas
	}
	return all
}

// images counts the existing Pods by their image.
func images(c *kubetest.Cluster) map[string]int {
	all := map[string]int{}
	for _, pod := range c.Pods() {
		all[pod.Spec.Containers[0].Image]++
	}
	return all
}

//book:exercise 2f
func TestRecreateMakesTheFirstReplicaSetAtItsFullSize(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		kubetest.Create(c, recreated("web", 3))
		c.Settle()
		require.Equal(t, map[string]int32{kubetest.Nginx: 3}, sizes(c))
		first := c.WritesOf(sets(c)[0])[0].Object.(*appsv1.ReplicaSet)
		assert.EqualValues(t, 3, *first.Spec.Replicas, "not in two writes")
		assert.Contains(t, c.Events(), fmt.Sprintf("Normal ScalingReplicaSet "+
			"deployment-controller: Scaled up replica set %s from 0 to 3", sets(c)[0].Name))
	})
}

//book:exercise 2f
func TestRecreateFollowsTheNumberWithTheReplicaSetThereIs(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 3))
		for _, n := range []int32{3, 5, 1, 0, 2} {
			scale(c, d, n)
			c.Settle()
			require.Equal(t, map[string]int32{kubetest.Nginx: n}, sizes(c))
		}
		name := sets(c)[0].Name
		assert.Equal(t, []string{
			"Scaled up replica set " + name + " from 0 to 3",
			"Scaled up replica set " + name + " from 3 to 5",
			"Scaled down replica set " + name + " from 5 to 1",
			"Scaled down replica set " + name + " from 1 to 0",
			"Scaled up replica set " + name + " from 0 to 2",
		}, scalings(c))
	})
}

// scalings returns the messages of the events of this reason, in order.
func scalings(c *kubetest.Cluster) (all []string) {
	const reason = "Normal ScalingReplicaSet deployment-controller: "
	for _, event := range c.Events() {
		if len(event) > len(reason) && event[:len(reason)] == reason {
			all = append(all, event[len(reason):])
		}
	}
	return all
}

// All old Pods are gone before the first new one appears: neverBoth looks at
// every write.
//
//book:exercise 2f
func TestRecreateEndsAllOldPodsBeforeItStartsANewOne(t *testing.T) {
	in(t, slowly(), func(c *kubetest.Cluster) {
		d := kubetest.Create(c, slow("web", 3))
		c.Advance(5 * time.Second)
		require.Equal(t, map[string]int{"slow:1": 3}, images(c))
		setImage(c, d, "slow:2")
		c.Advance(19 * time.Second)
		require.Equal(t, map[string]int{"slow:1": 3}, images(c), "all of them are still ending")
		require.Equal(t, map[string]int32{"slow:1": 0}, sizes(c), "they were told to end, and no more")
		c.Advance(6 * time.Second)
		assert.Equal(t, map[string]int{"slow:2": 3}, images(c))
		assert.Equal(t, map[string]int32{"slow:1": 0, "slow:2": 3}, sizes(c))
	})
}

// The first of three has long had no Pods; it is the second that is to be waited
// for.
//
//book:exercise 2f
func TestRecreateEndsTheOldPodsOfEveryReplicaSet(t *testing.T) {
	in(t, slowly(), func(c *kubetest.Cluster) {
		d := kubetest.Create(c, slow("web", 2))
		c.Advance(time.Minute)
		setImage(c, d, "slow:2")
		c.Advance(time.Minute)
		setImage(c, d, "slow:3")
		c.Advance(19 * time.Second)
		require.Equal(t, map[string]int{"slow:2": 2}, images(c), "they are still ending")
		c.Advance(time.Minute)
		assert.Equal(t, map[string]int{"slow:3": 2}, images(c))
		assert.Equal(t, map[string]int32{"slow:1": 0, "slow:2": 0, "slow:3": 2}, sizes(c))
	})
}

// The old Pods have not been counted yet, and no cache has one. So a
// controller that has just told them to end looks again, rather than
// believing that there are none.
//
//book:exercise 2f
func TestRecreateLooksAgainAfterItToldTheOldToGo(t *testing.T) {
	looks := 0
	alone := kubetest.Setup{
		Kinds: kinds(), Controllers: []kubetest.Controller{deployment.NewDeployments},
		Trace: func(s controlloop.Step) {
			if s.Lane == "deployment" && s.Action == "reconcile" {
				looks++
			}
		},
	}
	in(t, alone, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 3))
		c.Settle()
		require.Len(t, sets(c), 1)
		at := map[string]int{}
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Kind == deployment.ReplicaSetKind {
				at[call.Verb] = looks
			}
			return nil
		})
		setImage(c, d, "nginx:1.28")
		c.Settle()
		require.Len(t, sets(c), 2)
		assert.Greater(t, at["create"], at["update"], "in the same reconcile")

		setImage(c, d, kubetest.Nginx)
		c.Settle()
		require.Equal(t, map[string]int32{kubetest.Nginx: 3, "nginx:1.28": 0}, sizes(c))
		setImage(c, d, "nginx:1.29")
		c.Settle()
		require.Len(t, sets(c), 3)
		assert.Greater(t, at["create"], at["update"], "the last of the old has none, but the first had three")
	})
}

// A ReplicaSet that counts none may have Pods that are on their way out; and
// one that has just been scaled down counts those that it had.
//
//book:exercise 2f
func TestRecreateWaitsForThePodsThatNobodyCounts(t *testing.T) {
	in(t, slowly(), func(c *kubetest.Cluster) {
		d := kubetest.Create(c, slow("web", 1))
		c.Advance(5 * time.Second)
		require.Equal(t, map[string]int{"slow:1": 1}, images(c))
		old := sets(c)[0]
		setImage(c, d, "slow:2")
		c.Advance(10 * time.Second)
		require.Zero(t, kubetest.Get(c, old).Status.Replicas)
		require.EqualValues(t, 1, *kubetest.Get(c, old).Status.TerminatingReplicas)
		require.Len(t, sets(c), 1, "it still runs, and holds what it holds")
		c.Advance(15 * time.Second)
		assert.Equal(t, map[string]int{"slow:2": 1}, images(c))
	})
}

// A Pod that has ended holds nothing, though it is still listed.
//
//book:exercise 2f
func TestRecreateDoesNotWaitForPodsThatHaveEnded(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Settle()
		require.Len(t, c.Pods(), 1)
		failed := c.Pods()[0]
		setStatus(t, c, failed, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		c.Settle()
		setImage(c, d, "nginx:1.28")
		c.Settle()
		assert.Equal(t, map[string]int{kubetest.Nginx: 1, "nginx:1.28": 1}, images(c))
		assert.Equal(t, failed.UID, c.Pod(failed.Name).UID)
	})
}

// A user who goes back on a change in the middle is not held to it.
//
//book:exercise 2f
func TestRecreateGoesBackToAReplicaSetThatItHasAlready(t *testing.T) {
	in(t, slowly(), func(c *kubetest.Cluster) {
		d := kubetest.Create(c, slow("web", 2))
		c.Advance(5 * time.Second)
		first := sets(c)
		require.Len(t, first, 1)
		setImage(c, d, "slow:2")
		c.Advance(time.Second)
		setImage(c, d, "slow:1")
		c.Advance(time.Minute)
		require.Len(t, sets(c), 1, "the other was never needed")
		assert.Equal(t, first[0].UID, sets(c)[0].UID)
		assert.Equal(t, map[string]int{"slow:1": 2}, images(c))
		setImage(c, d, "slow:2")
		c.Advance(time.Minute)
		setImage(c, d, "slow:1")
		c.Advance(time.Minute)
		assert.Equal(t, map[string]int32{"slow:1": 2, "slow:2": 0}, sizes(c))
	})
}

// An error is returned, so that the key comes back.
//
//book:exercise 2f
func TestRecreateTriesAgainWhatWasRefused(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Settle()
		require.Len(t, sets(c), 1)
		refused := 0
		conflict := apierrors.NewConflict(schema.GroupResource{Resource: "replicasets"}, "web", nil)
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update" && call.Kind.Kind == "ReplicaSet" && refused < 3 {
				refused++
				if refused == 2 {
					return conflict
				}
				return apierrors.NewInternalError(context.DeadlineExceeded)
			}
			return nil
		})
		setImage(c, d, "nginx:1.28")
		c.Advance(time.Second)
		assert.Equal(t, 3, refused)
		assert.True(t, c.Told(conflict), "a conflict is an error as well")
		assert.Equal(t, map[string]int32{kubetest.Nginx: 0, "nginx:1.28": 1}, sizes(c))
	})
}

func TestAStrategyThatThereIsNotIsAnError(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := recreated("web", 1)
		d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		kubetest.Create(c, d)
		var told error
		c.Controller("deployment").OnError = func(_ key, err error) { told = err }
		c.Settle()
		assert.EqualError(t, told, "unexpected deployment strategy type: RollingUpdate")
		assert.Empty(t, sets(c))
	})
}
