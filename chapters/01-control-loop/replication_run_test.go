package controlloop_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

var replicated = kubetest.Setup{
	Controllers:     []kubetest.Controller{controlloop.NewReplication},
	Nodes:           1,
	Invariants:      []kubetest.Invariant{kubetest.NeverTooMany},
	DetectMutations: true,
}

// in runs a test in a cluster in a bubble.
func in(t *testing.T, setup kubetest.Setup, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, setup)) })
}

func readyPods(c *kubetest.Cluster) (ready int) {
	for _, pod := range c.Pods() {
		if kubetest.Ready(pod) {
			ready++
		}
	}
	return ready
}

func TestAReplicationControllerMakesItsPodsAndSaysWhoseTheyAre(t *testing.T) {
	in(t, replicated, func(c *kubetest.Cluster) {
		rc := kubetest.Create(c, kubetest.ReplicationController("web", 3))
		c.Settle()
		require.Len(t, c.Pods(), 3)
		for _, pod := range c.Pods() {
			assert.Regexp(t, "^web-.{5}$", pod.Name)
			assert.Equal(t, map[string]string{"app": "web"}, pod.Labels)
			assert.Equal(t, []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "ReplicationController", Name: "web", UID: rc.UID,
				Controller: new(true), BlockOwnerDeletion: new(true),
			}}, pod.OwnerReferences)
		}
		c.Advance(5 * time.Second)
		assert.Equal(t, 3, readyPods(c))
		assert.Equal(t, corev1.ReplicationControllerStatus{
			Replicas: 3, FullyLabeledReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3,
			ObservedGeneration: 1,
		}, kubetest.Get(c, rc).Status)
	})
}

func TestAReplicationControllerFollowsTheNumberItIsGiven(t *testing.T) {
	t.Parallel()
	in(t, replicated, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.ReplicationController("web", 1))
		for _, want := range []int32{3, 1, 0, 4, 2} {
			c.Scale("web", want)
			c.Advance(5 * time.Second)
			assert.Len(t, c.Pods(), int(want))
			assert.EqualValues(t, want,
				kubetest.Get(c, kubetest.ReplicationController("web", 0)).Status.ReadyReplicas)
		}
	})
}

func TestAPodThatIsDeletedIsReplacedBeforeItHasGone(t *testing.T) {
	setup := replicated
	setup.Images = simulated.Images{"slow": kubetest.Sleeps(20 * time.Second)}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.ReplicationController("web", 1,
			kubetest.Container("web", "slow")))
		c.Advance(time.Second)
		old := c.Pods()[0]
		c.DeletePod(old.Name)
		c.Advance(time.Second)
		require.Len(t, c.Pods(), 2, "one on its way out, one in its place")
		c.Advance(30 * time.Second)
		require.Len(t, c.Pods(), 1)
		assert.NotEqual(t, old.UID, c.Pods()[0].UID)
	})
}

func TestAPodThatHasFailedIsReplaced(t *testing.T) {
	setup := replicated
	setup.Images = simulated.Images{"slow": kubetest.Sleeps(0)}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.ReplicationController("web", 1,
			kubetest.Container("web", "slow")))
		c.Advance(time.Second)
		old := c.Pods()[0]
		failed := edited(old, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		mustUpdateStatus(t, c.Store, failed)
		c.Settle()
		require.Len(t, c.Pods(), 2)
		assert.EqualValues(t, 1,
			kubetest.Get(c, kubetest.ReplicationController("web", 0)).Status.Replicas)
	})
}

func TestPodsOfOthersWithTheSameLabelsAreLeftAlone(t *testing.T) {
	in(t, replicated, func(c *kubetest.Cluster) {
		orphan := kubetest.Pod("orphan")
		orphan.Labels = map[string]string{"app": "web"}
		kubetest.Create(c, orphan)
		other := kubetest.ReplicationController("other", 2)
		other.Spec.Template.Labels = orphan.Labels
		kubetest.Create(c, other)
		kubetest.Create(c, kubetest.ReplicationController("web", 1))
		c.Settle()
		require.Len(t, c.Pods(), 4)
		c.Scale("web", 0)
		c.Settle()
		owners := map[string]int{}
		for _, pod := range c.Pods() {
			if owner := metav1.GetControllerOf(pod); owner != nil {
				owners[owner.Name]++
			} else {
				owners[pod.Name]++
			}
		}
		c.Advance(time.Second)
		assert.Len(t, c.Pods(), 3)
		assert.Equal(t, 2, owners["other"])
		assert.Equal(t, 1, owners["orphan"])
	})
}

func TestAPodOfAControllerThatWasReplacedByAnotherOfItsNameIsNotItsOwn(t *testing.T) {
	setup := replicated
	setup.Nodes = 0
	in(t, setup, func(c *kubetest.Cluster) {
		old := kubetest.Create(c, kubetest.ReplicationController("web", 2))
		c.Settle()
		require.NoError(t, c.Store.Delete(t.Context(), controlloop.RCKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		young := kubetest.Create(c, kubetest.ReplicationController("web", 2))
		c.Settle()
		owned := map[any]int{}
		for _, pod := range c.Pods() {
			owned[metav1.GetControllerOf(pod).UID]++
		}
		assert.Equal(t, map[any]int{old.UID: 2, young.UID: 2}, owned)
	})
}

// replaceAt replaces a Pod by another of its name at the moment when a
// controller is about to delete it.
func replaceAt(c *kubetest.Cluster, name string) (young *corev1.Pod) {
	c.Client.Fail(func(call kubetest.Call) error {
		if call.Verb == "delete" && call.Key.Name == name {
			c.Client.Fail(nil)
			c.DeletePod(name, kubetest.Grace(0))
			young = kubetest.Create(c, kubetest.Pod(name))
		}
		return nil
	})
	c.Advance(time.Minute)
	return young
}

func TestAControllerDeletesThePodThatItMeantAndNotItsSuccessor(t *testing.T) {
	setup := replicated
	setup.Nodes = 0
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.ReplicationController("web", 1))
		c.Settle()
		c.Scale("web", 0)
		young := replaceAt(c, c.Pods()[0].Name)
		require.NotNil(t, young)
		assert.Len(t, c.Pods(), 1, "the other one was nobody's to delete")
	})
}

func TestAControllerThatIsOnItsWayOutMakesNoMorePods(t *testing.T) {
	in(t, replicated, func(c *kubetest.Cluster) {
		rc := kubetest.ReplicationController("web", 2)
		rc.Finalizers = []string{"example.com/hold"}
		kubetest.Create(c, rc)
		c.Settle()
		require.NoError(t, c.Store.Delete(t.Context(), controlloop.RCKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		c.DeletePod(c.Pods()[0].Name, kubetest.Grace(0))
		c.Settle()
		assert.Len(t, c.Pods(), 1)
	})
}

func TestASecondReconcileWritesNothing(t *testing.T) {
	in(t, replicated, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.ReplicationController("web", 3))
		kubetest.Create(c, kubetest.Pod("alone"))
		c.Advance(time.Minute)
		c.AssertQuiet(2 * time.Second)
	})
}

func TestStatusFollowsThePodsStepByStep(t *testing.T) {
	in(t, replicated, func(c *kubetest.Cluster) {
		rc := kubetest.Create(c, kubetest.ReplicationController("web", 2))
		c.Advance(5 * time.Second)
		var seen []string
		for _, w := range c.WritesOf(rc) {
			s := w.Object.(*corev1.ReplicationController).Status
			seen = append(seen, fmt.Sprintf("%d of %d", s.ReadyReplicas, s.Replicas))
			assert.NotEqual(t, watch.Deleted, w.Type)
		}
		assert.Equal(t, "0 of 0", seen[0])
		assert.Equal(t, "2 of 2", seen[len(seen)-1])
	})
}
