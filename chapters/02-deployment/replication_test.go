package deployment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// replication is a cluster in which ReplicaSets' code keeps
// ReplicationControllers, beside ReplicaSets of their own.
var replication = kubetest.Setup{
	Kinds: kinds(),
	Controllers: []kubetest.Controller{
		deployment.NewReplicationControllers, deployment.NewReplicaSets,
	},
	DetectMutations: true,
}

func controlledBy(rc *corev1.ReplicationController) []metav1.OwnerReference {
	return []metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ReplicationController", Name: rc.Name, UID: rc.UID,
		Controller: new(true), BlockOwnerDeletion: new(true),
	}}
}

func TestAReplicationControllerIsKeptByTheSameCode(t *testing.T) {
	in(t, replication, func(c *kubetest.Cluster) {
		rc := kubetest.Create(c, kubetest.ReplicationController("web", 3))
		c.Settle()
		require.Len(t, c.Pods(), 3)
		var told []string
		for _, pod := range c.Pods() {
			assert.Equal(t, controlledBy(rc), pod.OwnerReferences)
			assert.Equal(t, rc.Spec.Template.Spec.Containers, pod.Spec.Containers)
			told = append(told,
				"Normal SuccessfulCreate replication-controller: Created pod: "+pod.Name)
		}
		assert.Equal(t, told, c.Events())
		assert.Equal(t, corev1.ReplicationControllerStatus{
			Replicas: 3, FullyLabeledReplicas: 3, ObservedGeneration: 1,
		}, kubetest.Get(c, rc).Status)
		c.AssertQuiet(0)

		kubetest.Edit(c, rc, func(rc *corev1.ReplicationController) {
			rc.Spec.Replicas = new(int32(1))
		})
		c.Settle()
		assert.Len(t, c.Pods(), 1)
		assert.EqualValues(t, 2, kubetest.Get(c, rc).Status.ObservedGeneration)
		require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind,
			controlloop.KeyOf(c.Pods()[0]), metav1.DeleteOptions{}))
		c.Settle()
		assert.Len(t, c.Pods(), 1, "it is replaced")
	})
}

func TestAReplicationControllerTellsReadyFromAvailable(t *testing.T) {
	alive := replication
	alive.Nodes = 1
	in(t, alive, func(c *kubetest.Cluster) {
		rc := kubetest.ReplicationController("web", 2)
		rc.Spec.MinReadySeconds = 10
		rc = kubetest.Create(c, rc)
		want := corev1.ReplicationControllerStatus{
			Replicas: 2, FullyLabeledReplicas: 2, ReadyReplicas: 2, ObservedGeneration: 1,
		}
		c.Advance(5 * time.Second)
		assert.Equal(t, want, kubetest.Get(c, rc).Status)
		want.AvailableReplicas = 2
		c.Advance(10 * time.Second)
		assert.Equal(t, want, kubetest.Get(c, rc).Status)
		c.AssertQuiet(time.Minute)
	})
}

func TestAReplicationControllerAdoptsAndReleases(t *testing.T) {
	in(t, replication, func(c *kubetest.Cluster) {
		bare := kubetest.Pod("bare")
		bare.Labels["app"] = "web"
		kubetest.Create(c, bare)
		rc := kubetest.Create(c, kubetest.ReplicationController("web", 1))
		c.Settle()
		require.Len(t, c.Pods(), 1, "the one that it wants was there already")
		assert.Equal(t, controlledBy(rc), c.Pod("bare").OwnerReferences)
		kubetest.Edit(c, c.Pod("bare"), func(p *corev1.Pod) { p.Labels["app"] = "suspect" })
		c.Settle()
		assert.Empty(t, c.Pod("bare").OwnerReferences)
		assert.Len(t, c.Pods(), 2, "it runs on, alone, and another is in its place")
		c.AssertQuiet(0)
	})
}

func TestAReplicationControllerSaysWhatItIsRefused(t *testing.T) {
	in(t, replication, func(c *kubetest.Cluster) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "create" {
				return nil
			}
			return forbidden()
		})
		rc := kubetest.Create(c, kubetest.ReplicationController("web", 2))
		c.Settle()
		assert.Equal(t, []corev1.ReplicationControllerCondition{{
			Type: corev1.ReplicationControllerReplicaFailure, Status: corev1.ConditionTrue,
			Reason: "FailedCreate", Message: `pods "web-x" is forbidden: exceeded quota`,
			LastTransitionTime: kubetest.Get(c, rc).CreationTimestamp,
		}}, kubetest.Get(c, rc).Status.Conditions)
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Len(t, c.Pods(), 2)
		assert.Empty(t, kubetest.Get(c, rc).Status.Conditions)
	})
}

// A condition that is set already is not set again, however often the create is
// tried, and the condition of another controller stands beside it.
func TestAReplicationControllerThatIsRefusedForLongSaysSoOnce(t *testing.T) {
	in(t, replication, func(c *kubetest.Cluster) {
		told := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" {
				return forbidden()
			}
			told++
			return nil
		})
		rc := kubetest.Create(c, kubetest.ReplicationController("web", 2))
		setStatus(t, c, rc, func(rc *corev1.ReplicationController) {
			rc.Status.Conditions = []corev1.ReplicationControllerCondition{
				{Type: "Liked", Status: corev1.ConditionTrue, Reason: "ByAda", Message: "very much"}}
		})
		c.Settle()
		all := kubetest.Get(c, rc).Status.Conditions
		require.Len(t, all, 2)
		assert.Equal(t, "very much", all[0].Message)
		assert.Equal(t, corev1.ReplicationControllerReplicaFailure, all[1].Type)
		told = 0
		c.Advance(time.Minute)
		assert.Equal(t, all, kubetest.Get(c, rc).Status.Conditions)
		assert.Zero(t, told, "statuses that were written")
		kubetest.Edit(c, rc, func(rc *corev1.ReplicationController) { rc.Spec.Replicas = new(int32(3)) })
		c.Settle()
		assert.Equal(t, all, kubetest.Get(c, rc).Status.Conditions, "what stays is kept whole")
		assert.EqualValues(t, 2, kubetest.Get(c, rc).Status.ObservedGeneration)
	})
}

// A ReplicaSet and a ReplicationController may have the same name.
func TestAReplicationControllerAndAReplicaSetOfOneNameAreTwo(t *testing.T) {
	in(t, replication, func(c *kubetest.Cluster) {
		rc := kubetest.Create(c, kubetest.ReplicationController("web", 2))
		rs := kubetest.Create(c, replicaSet("web", 3))
		c.Settle()
		of := map[string]int{}
		for _, pod := range c.Pods() {
			of[string(pod.OwnerReferences[0].UID)]++
		}
		assert.Equal(t, map[string]int{string(rc.UID): 2, string(rs.UID): 3}, of)
		require.NoError(t, c.Store.Delete(t.Context(), controlloop.RCKind,
			controlloop.KeyOf(rc), metav1.DeleteOptions{}))
		c.Settle()
		assert.Len(t, c.Pods(), 5, "what it owned is the collector's")
		c.AssertQuiet(0)
		for _, pod := range c.Pods() {
			c.DeletePod(pod.Name, kubetest.Grace(0))
		}
		c.Settle()
		assert.Len(t, c.Pods(), 3, "who is gone replaces nobody")
	})
}
