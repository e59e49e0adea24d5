package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// held has a Pod wait for somebody, so that it can be seen going.
func held(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/look"} }

func TestThePodsOfANodeThatIsDeletedGoAfterFortySeconds(t *testing.T) {
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		kubetest.Create(c, podWith("web", hosted("node-2")))
		kubetest.Create(c, podWith("other", hosted("node-1")))
		c.Advance(20 * time.Second)
		x.pull("node-2")
		deleteNode(c, "node-2")
		c.Advance(40*time.Second - time.Nanosecond)
		assert.Equal(t, "other web", pods(c), "it may come back")
		c.Advance(time.Nanosecond)
		assert.Equal(t, "other", pods(c))
	})
}

func TestANodeThatComesBackInTimeKeepsItsPods(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, podWith("web", hosted("node-1")))
		node := controlloop.Copy(nodeNamed(c, "node-1"))
		deleteNode(c, "node-1")
		c.Advance(39 * time.Second)
		node.ResourceVersion, node.UID = "", ""
		kubetest.Create(c, node)
		c.Advance(time.Minute)
		assert.Equal(t, "web", pods(c))
		deleteNode(c, "node-1")
		c.Advance(39 * time.Second)
		assert.Equal(t, "web", pods(c), "it is missed anew")
	})
}

func TestAPodOnANodeThatIsNotThereSaysWhyItGoes(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, podWith("lost", hosted("nosuchnode"), held))
		c.Advance(41 * time.Second)
		pod := c.Pod("lost")
		assert.Equal(t, corev1.PodFailed, pod.Status.Phase)
		assert.EqualValues(t, 1, pod.Status.ObservedGeneration, "of the spec that failed")
		assert.NotNil(t, pod.DeletionTimestamp)
		says := kubetest.Condition(pod, corev1.DisruptionTarget)
		assert.Equal(t, corev1.ConditionTrue, says.Status)
		assert.Equal(t, "DeletionByPodGC", says.Reason)
		assert.Equal(t, "PodGC: node no longer exists", says.Message)
		c.AssertQuiet(4 * time.Second)
	})
}

func TestAPodThatWasNeverPlacedGoesWithoutAKubelet(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, x *cables) {
		x.pull("node-1") // so that no place is found
		kubetest.Create(c, podWith("homeless", held))
		c.Settle()
		require.Empty(t, c.Pod("homeless").Spec.NodeName)
		c.DeletePod("homeless", kubetest.Grace(30))
		c.Settle()
		pod := c.Pod("homeless")
		assert.Equal(t, corev1.PodFailed, pod.Status.Phase)
		assert.Empty(t, kubetest.Condition(pod, corev1.DisruptionTarget))
		assert.Zero(t, *pod.DeletionGracePeriodSeconds)
	})
}

func TestPodsThatAreToGoFromANodeThatIsSwitchedOffDo(t *testing.T) {
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		stays := func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		}
		kubetest.Create(c, podWith("leaving", hosted("node-2"), stays))
		kubetest.Create(c, podWith("staying", hosted("node-2"), stays))
		off := taint(corev1.TaintNodeOutOfService, corev1.TaintEffectNoExecute)
		x.pull("node-2")
		put(c, "node-2", off)
		c.DeletePod("leaving")
		c.Advance(49 * time.Second)
		assert.Equal(t, "leaving staying", pods(c), "while it says that it is ready")
		c.Advance(2 * time.Second)
		assert.Equal(t, "staying", pods(c))
		c.DeletePod("staying")
		c.Settle()
		assert.Empty(t, pods(c))
	})
}
