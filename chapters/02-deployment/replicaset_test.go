package deployment_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/kubetest"
)

// written lists the writes from the n-th on: the event, the kind
// and the name, and of a ReplicaSet how many Pods it says there
// are, and how many are leaving.
func written(c *kubetest.Cluster, from int) (all []string) {
	for _, w := range c.Writes()[from:] {
		kind := w.Object.GetObjectKind().GroupVersionKind().Kind
		line := fmt.Sprintf("%s %s %s", w.Type, kind, w.Object.GetName())
		if rs, ok := w.Object.(*appsv1.ReplicaSet); ok {
			line += fmt.Sprintf(", %d", rs.Status.Replicas)
			if n := rs.Status.TerminatingReplicas; n != nil && *n > 0 {
				line += fmt.Sprintf(" and %d leaving", *n)
			}
		}
		all = append(all, line)
	}
	return all
}

func TestAReplicaSetMakesItsPodsOfItsTemplate(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := replicaSet("web", 3)
		rs.Spec.Template.Annotations = map[string]string{"colour": "red"}
		rs.Spec.Template.Labels["tier"] = "front"
		rs.Spec.Template.Finalizers = []string{"example.com/hold"}
		rs = kubetest.Create(c, rs)
		c.Settle()
		var made []string
		for _, pod := range c.Pods() {
			assert.Regexp(t, "^web-.{5}$", pod.Name)
			assert.Equal(t, map[string]string{"app": "web", "tier": "front"}, pod.Labels)
			assert.Equal(t, map[string]string{"colour": "red"}, pod.Annotations)
			assert.Equal(t, []string{"example.com/hold"}, pod.Finalizers)
			assert.Equal(t, rs.Spec.Template.Spec.Containers, pod.Spec.Containers)
			assert.Equal(t, []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: rs.UID,
				Controller: new(true), BlockOwnerDeletion: new(true),
			}}, pod.OwnerReferences)
			made = append(made, "Normal SuccessfulCreate replicaset-controller: Created pod: "+pod.Name)
		}
		assert.Len(t, made, 3)
		assert.Equal(t, made, c.Events())
	})
}

func TestAReplicaSetOfThreeWritesThreePodsAndHowManyThereAre(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		kubetest.Create(c, replicaSet("web", 3))
		c.Settle()
		var created []string
		for _, w := range c.Writes() {
			if pod, ok := w.Object.(*corev1.Pod); ok {
				created = append(created, "ADDED Pod "+pod.Name)
			}
		}
		require.Len(t, created, 3)
		assert.Equal(t, append(append([]string{"ADDED ReplicaSet web, 0"}, created...),
			"MODIFIED ReplicaSet web, 0", // seen, nothing there yet
			"MODIFIED ReplicaSet web, 3"), written(c, 0))
		c.AssertQuiet(0)
	})
}

func TestAReplicaSetFollowsTheNumberItIsGiven(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 1))
		for _, want := range []int32{3, 1, 0, 4, 4, 2} {
			scale(c, rs, want)
			c.Settle()
			assert.Len(t, c.Pods(), int(want))
			assert.EqualValues(t, want, kubetest.Get(c, rs).Status.Replicas)
			c.AssertQuiet(0)
		}
	})
}

func TestOfTooManyTheLeastUsefulGoes(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 4))
		c.Settle()
		keep := c.Pods()[2]
		pods := c.Pods()
		for i, pod := range pods {
			kubetest.Edit(c, pod, func(p *corev1.Pod) {
				p.Annotations = map[string]string{
					corev1.PodDeletionCost: []string{"0", "-10", "7", "3"}[i],
				}
			})
		}
		c.Settle()
		before := len(c.Writes())
		scale(c, rs, 1)
		c.Settle()
		require.Len(t, c.Pods(), 1)
		assert.Equal(t, keep.Name, c.Pods()[0].Name)
		assert.Equal(t, []string{
			"MODIFIED ReplicaSet web, 4", // by us
			"DELETED Pod " + pods[1].Name,
			"DELETED Pod " + pods[0].Name,
			"DELETED Pod " + pods[3].Name,
			"MODIFIED ReplicaSet web, 4", // the new spec was seen
			"MODIFIED ReplicaSet web, 1",
		}, written(c, before))
		assert.Equal(t, "Normal SuccessfulDelete replicaset-controller: Deleted pod: "+
			pods[1].Name, c.Events()[4])
	})
}

// Two ReplicaSets of one Deployment do the same work: where one has a Pod, the
// other's is of less use.
func TestPodsOfTheSameOwnerAreACrowd(t *testing.T) {
	for _, young := range [][]string{{"node-1", "node-2"}, {"node-2", "node-1"}} {
		in(t, replicaSets, func(c *kubetest.Cluster) {
			both := []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "of both",
				Controller: new(true),
			}}
			first := replicaSet("old", 1)
			first.OwnerReferences = both
			second := replicaSet("young", 2)
			second.OwnerReferences = both
			kubetest.Create(c, first)
			second = kubetest.Create(c, second)
			c.Settle()
			nodes := map[string][]string{"old": {"node-1"}, "young": young}
			var crowded *corev1.Pod
			for _, pod := range c.Pods() {
				app := pod.Labels["app"]
				node := nodes[app][0]
				nodes[app] = nodes[app][1:]
				pod = c.Bind(pod, node)
				if app == "young" && node == "node-1" {
					crowded = pod
				}
			}
			scale(c, second, 1)
			c.Settle()
			require.NotNil(t, crowded)
			assert.NotNil(t, c.Pod(crowded.Name).DeletionTimestamp,
				"it shares its node with a Pod of the other ReplicaSet")
		})
	}
}

func TestWithoutAnOwnerThereIsNoCrowd(t *testing.T) {
	var gone []int
	for alone := range 3 {
		in(t, replicaSets, func(c *kubetest.Cluster) {
			rs := kubetest.Create(c, replicaSet("web", 3))
			c.Settle()
			pods := c.Pods()
			for i, pod := range pods {
				node := "node-1"
				if i == alone {
					node = "node-2"
				}
				c.Bind(pod, node)
			}
			scale(c, rs, 2)
			c.Settle()
			for i, pod := range pods {
				if c.Pod(pod.Name).DeletionTimestamp != nil {
					gone = append(gone, i)
				}
			}
		})
	}
	require.Len(t, gone, 3)
	assert.Equal(t, []int{gone[0], gone[0], gone[0]}, gone,
		"whoever is alone on a node, the same one goes")
}

func TestAPodOnItsWayOutIsReplacedAtOnceAndCountedApart(t *testing.T) {
	setup := replicaSets
	in(t, setup, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 2))
		c.Settle()
		leaving := c.Bind(c.Pods()[0], "node-1")
		c.DeletePod(leaving.Name)
		c.Settle()
		require.Len(t, c.Pods(), 3)
		status := kubetest.Get(c, rs).Status
		assert.EqualValues(t, 2, status.Replicas)
		assert.EqualValues(t, 1, *status.TerminatingReplicas)
		kubetest.Edit(c, c.Pod(leaving.Name), func(p *corev1.Pod) { p.Labels["app"] = "other" })
		c.Settle()
		assert.Zero(t, *kubetest.Get(c, rs).Status.TerminatingReplicas,
			"what is selected no more is not counted")
		kubetest.Edit(c, c.Pod(leaving.Name), func(p *corev1.Pod) { p.Labels["app"] = "web" })
		setStatus(t, c, leaving, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		c.Settle()
		assert.Zero(t, *kubetest.Get(c, rs).Status.TerminatingReplicas,
			"what has ended does not run any more")
		c.DeletePod(leaving.Name, kubetest.Grace(0))
		c.Settle()
		assert.Len(t, c.Pods(), 2)
	})
}

func TestAPodThatHasEndedIsReplacedAndStays(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 1))
		c.Settle()
		setStatus(t, c, c.Pods()[0], func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		c.Settle()
		require.Len(t, c.Pods(), 2)
		status := kubetest.Get(c, rs).Status
		assert.EqualValues(t, 1, status.Replicas)
		assert.Zero(t, *status.TerminatingReplicas)
	})
}

func TestWhoIsBeingDeletedMakesNoMorePods(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := replicaSet("web", 2)
		rs.Finalizers = []string{"example.com/hold"}
		rs = kubetest.Create(c, rs)
		c.Settle()
		remove(t, c, rs)
		c.DeletePod(c.Pods()[0].Name, kubetest.Grace(0))
		c.Settle()
		assert.Len(t, c.Pods(), 1)
		assert.EqualValues(t, 1, kubetest.Get(c, rs).Status.Replicas, "but it says how many there are")
	})
}

func TestThePodThatWasMeantIsDeletedAndNotItsSuccessor(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 1))
		c.Settle()
		name := c.Pods()[0].Name
		scale(c, rs, 0)
		meanwhile(c, "delete", "Pod", func() {
			c.DeletePod(name, kubetest.Grace(0))
			kubetest.Create(c, kubetest.Pod(name))
		})
		c.Advance(time.Minute)
		assert.Len(t, c.Pods(), 1, "the other one was nobody's to delete")
	})
}

func TestAReplicaSetOfThousandsIsMadeInBursts(t *testing.T) {
	setup := replicaSets
	setup.Invariants, setup.DetectMutations = nil, false
	in(t, setup, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 1200))
		c.Settle()
		require.Len(t, c.Pods(), 1200)
		var seen []int32
		for _, w := range c.WritesOf(rs) {
			seen = append(seen, w.Object.(*appsv1.ReplicaSet).Status.Replicas)
		}
		assert.Equal(t, []int32{0, 0, 500, 1000, 1200}, seen)
		scale(c, rs, 0)
		c.Settle()
		assert.Empty(t, c.Pods())
	})
}
