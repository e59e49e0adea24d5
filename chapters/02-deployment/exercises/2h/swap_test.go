package swap_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	swap "reconcile/chapters/02-deployment/exercises/2h"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// swapping returns the controller of Deployments with the Strategy in the place
// of Recreate.
func swapping(s *controlloop.System) *controlloop.Controller {
	return deployment.NewDeploymentsWith(s, deployment.Strategies{
		appsv1.RecreateDeploymentStrategyType: swap.Strategy{},
	}, func(*deployment.Rollout, *appsv1.ReplicaSet) {})
}

// onANode runs a test in a cluster in which three Pods of v1 have come up. Of
// v1, v2 and v3 a Pod takes five seconds until it answers; of all else there is
// no image. From then on three answer after every write.
func onANode(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		up, answering := false, map[string]bool{}
		c := kubetest.New(t, kubetest.Setup{
			Kinds: controlloop.CoreKinds().With(deployment.Kinds()...), Nodes: 1, Namespace: "shop",
			Controllers: []kubetest.Controller{swapping, deployment.NewReplicaSets},
			Images: simulated.Images{
				"v1": kubetest.SlowNginx, "v2": kubetest.SlowNginx, "v3": kubetest.SlowNginx,
			},
			DetectMutations: true,
			Invariants: []kubetest.Invariant{func(w kubetest.Write, _ []kubetest.Write) error {
				pod, ok := w.Object.(*corev1.Pod)
				if ok && kubetest.Ready(pod) && pod.DeletionTimestamp == nil {
					answering[pod.Name] = true
				} else if ok {
					delete(answering, pod.Name)
				}
				if up && len(answering) < 3 {
					return fmt.Errorf("%d of 3 Pods answer", len(answering))
				}
				return nil
			}},
		})
		kubetest.Create(c, web())
		c.Advance(10 * time.Second)
		require.Len(t, answering, 3)
		up = true
		test(c)
	})
}

// alone runs a test on the controller of Deployments and no other: what
// ReplicaSets say is the test's.
func alone(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(kubetest.New(t, kubetest.Setup{
			Kinds:           controlloop.CoreKinds().With(deployment.Kinds()...),
			Namespace:       "shop",
			Controllers:     []kubetest.Controller{swapping},
			DetectMutations: true,
		}))
	})
}

func web() *appsv1.Deployment {
	container := kubetest.Container("web", "v1")
	container.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
	container.ReadinessProbe.PeriodSeconds = 1
	pod := kubetest.Pod("web", container)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(3)),
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
		},
	}
}

// update gives the Deployment another image.
func update(c *kubetest.Cluster, image string) {
	kubetest.Edit(c, web(), func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.Containers[0].Image = image
	})
}

// resize gives it another size.
func resize(c *kubetest.Cluster, replicas int32) {
	kubetest.Edit(c, web(), func(d *appsv1.Deployment) { d.Spec.Replicas = &replicas })
}

// wanted returns the sizes of the ReplicaSets, by their images.
func wanted(c *kubetest.Cluster) map[string]int32 {
	all := map[string]int32{}
	for _, rs := range kubetest.All[*appsv1.ReplicaSet](c, deployment.ReplicaSetKind) {
		all[rs.Spec.Template.Spec.Containers[0].Image] = *rs.Spec.Replicas
	}
	return all
}

// says writes how many Pods of an image are ready and available, as its
// ReplicaSet's controller would.
func says(t *testing.T, c *kubetest.Cluster, image string, available int32) {
	t.Helper()
	saysOf(t, c, image, available, available)
}

// saysOf writes how many are ready, and how many of these for long enough.
func saysOf(t *testing.T, c *kubetest.Cluster, image string, ready, available int32) {
	t.Helper()
	for _, rs := range kubetest.All[*appsv1.ReplicaSet](c, deployment.ReplicaSetKind) {
		if rs.Spec.Template.Spec.Containers[0].Image == image {
			next := controlloop.Copy(rs)
			next.Status = appsv1.ReplicaSetStatus{
				Replicas: *rs.Spec.Replicas, ReadyReplicas: ready,
				AvailableReplicas: available, ObservedGeneration: rs.Generation,
			}
			_, err := c.Store.UpdateStatus(t.Context(), next)
			require.NoError(t, err)
		}
	}
}

//book:exercise 2h
func TestAllOfTheNewComeBeforeOneOfTheOldGoes(t *testing.T) {
	onANode(t, func(c *kubetest.Cluster) {
		update(c, "v2")
		c.Advance(4 * time.Second)
		require.Equal(t, map[string]int32{"v1": 3, "v2": 3}, wanted(c))
		c.Advance(10 * time.Second)
		assert.Equal(t, map[string]int32{"v1": 0, "v2": 3}, wanted(c))
	})
}

//book:exercise 2h
func TestASecondSwapTakesTheFirstAway(t *testing.T) {
	onANode(t, func(c *kubetest.Cluster) {
		for _, image := range []string{"v2", "v3"} {
			update(c, image)
			c.Advance(20 * time.Second)
		}
		assert.Equal(t, map[string]int32{"v1": 0, "v2": 0, "v3": 3}, wanted(c))
	})
}

//book:exercise 2h
func TestTwoOfThreeAreNotEnough(t *testing.T) {
	alone(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, web())
		c.Settle()
		says(t, c, "v1", 3)
		update(c, "v2")
		c.Settle()
		says(t, c, "v2", 2)
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 3, "v2": 3}, wanted(c))
		says(t, c, "v2", 3)
		c.Settle()
		assert.Equal(t, map[string]int32{"v1": 0, "v2": 3}, wanted(c))
	})
}

//book:exercise 2h
func TestAVersionThatDoesNotComeUpReplacesNothing(t *testing.T) {
	onANode(t, func(c *kubetest.Cluster) {
		update(c, "v9")
		c.Advance(10 * time.Minute)
		assert.Equal(t, map[string]int32{"v1": 3, "v9": 3}, wanted(c))
	})
}

//book:exercise 2h
func TestAVersionThatNeverServedMakesRoomForTheNext(t *testing.T) {
	onANode(t, func(c *kubetest.Cluster) {
		update(c, "v9")
		c.Advance(time.Minute)
		update(c, "v3")
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 3, "v9": 0, "v3": 3}, wanted(c))
		c.Advance(time.Minute)
		assert.Equal(t, map[string]int32{"v1": 0, "v9": 0, "v3": 3}, wanted(c))
	})
}

// What is ready has yet to show that it stays so. A version of which no Pod is
// available has none to lose.
//
//book:exercise 2h
func TestAVersionThatIsReadyAndNotAvailableMakesRoomForTheNext(t *testing.T) {
	alone(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, web())
		c.Settle()
		says(t, c, "v1", 3)
		update(c, "v2")
		c.Settle()
		saysOf(t, c, "v2", 3, 0)
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 3, "v2": 3}, wanted(c), "none of v2 is available")
		update(c, "v3")
		c.Settle()
		assert.Equal(t, map[string]int32{"v1": 3, "v2": 0, "v3": 3}, wanted(c))
	})
}

// Between the write of a size and the status that has seen it, the status is
// about the size before.
//
//book:exercise 2h
func TestAStatusFromBeforeASwapSaysNothingAboutTheNext(t *testing.T) {
	alone(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, web())
		c.Settle()
		says(t, c, "v1", 3)
		update(c, "v2")
		c.Settle()
		says(t, c, "v2", 3)
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 0, "v2": 3}, wanted(c))
		update(c, "v1")
		c.Settle()
		assert.Equal(t, map[string]int32{"v1": 3, "v2": 3}, wanted(c),
			"that v1 has 3 available Pods was written when it still had them")
	})
}

// A size was written, and before the ReplicaSet has said a word about it there's
// another image. That it served is the last that's known.
//
//book:exercise 2h
func TestAnOldOneServesUntilItSaysThatItDoesNot(t *testing.T) {
	alone(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, web())
		c.Settle()
		says(t, c, "v1", 3)
		resize(c, 5)
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 5}, wanted(c))
		update(c, "v2")
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 5, "v2": 5}, wanted(c),
			"v1 has said that 3 of its Pods are available, and nothing since it was told to be 5")
		says(t, c, "v1", 0)
		c.Settle()
		assert.Equal(t, map[string]int32{"v1": 0, "v2": 5}, wanted(c), "now it says that none is")
	})
}

//book:exercise 2h
func TestADeploymentThatIsScaledInTheMiddleIsSwappedAtItsNewSize(t *testing.T) {
	onANode(t, func(c *kubetest.Cluster) {
		update(c, "v2")
		c.Advance(time.Second)
		resize(c, 5)
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 3, "v2": 5}, wanted(c))
		c.Advance(20 * time.Second)
		assert.Equal(t, map[string]int32{"v1": 0, "v2": 5}, wanted(c))
	})
}

// All of the new answer at the size that it has, and in that moment Ada asks for
// more; and for fewer when the swap is over.
//
//book:exercise 2h
func TestWhatIsWantedNowHasToCome(t *testing.T) {
	alone(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, web())
		c.Settle()
		says(t, c, "v1", 3)
		update(c, "v2")
		c.Settle()
		says(t, c, "v2", 3)
		resize(c, 5)
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 3, "v2": 5}, wanted(c), "3 of 5 are available")
		says(t, c, "v2", 5)
		c.Settle()
		require.Equal(t, map[string]int32{"v1": 0, "v2": 5}, wanted(c))
		resize(c, 2)
		c.Settle()
		assert.Equal(t, map[string]int32{"v1": 0, "v2": 2}, wanted(c))
	})
}

//book:exercise 2h
func TestASwapThatIsRefusedIsTriedAgain(t *testing.T) {
	for _, verb := range []string{"create", "update"} {
		onANode(t, func(c *kubetest.Cluster) {
			c.Client.Fail(func(call kubetest.Call) error {
				if call.Verb == verb && call.Kind == deployment.ReplicaSetKind {
					return errors.New("not now")
				}
				return nil
			})
			update(c, "v2")
			c.Advance(20 * time.Second) // all that could wake it has happened
			c.Client.Fail(nil)
			c.Advance(time.Minute)
			assert.Equal(t, map[string]int32{"v1": 0, "v2": 3}, wanted(c), verb)
		})
	}
}

// It's refused until all has happened that could wake the controller.
//
//book:exercise 2h
func TestANewSizeThatIsRefusedIsTriedAgain(t *testing.T) {
	alone(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, web())
		c.Settle()
		says(t, c, "v1", 3)
		c.Settle()
		refused := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update" && call.Kind == deployment.ReplicaSetKind {
				refused++
				return errors.New("not now")
			}
			return nil
		})
		resize(c, 5)
		c.Advance(20 * time.Second)
		require.NotZero(t, refused, "the size of v1 was to be written")
		c.Client.Fail(nil)
		c.Advance(time.Minute)
		assert.Equal(t, map[string]int32{"v1": 5}, wanted(c), "a minute after the last time that it was refused")
	})
}
