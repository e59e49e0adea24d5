package deployment_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// Of two that were told to go, either may be the first whose work is over.
func TestRecreateWaitsForTheOtherOfTwoThatHasNotEnded(t *testing.T) {
	for ended := range 2 {
		in(t, deployments, func(c *kubetest.Cluster) {
			d := kubetest.Create(c, recreated("web", 2))
			c.Settle()
			pods := c.Pods()
			require.Len(t, pods, 2)
			for _, pod := range pods {
				c.Bind(pod, "node-1")
			}
			setImage(c, d, "nginx:1.28")
			c.Settle()
			setStatus(t, c, pods[ended], func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
			c.Settle()
			require.EqualValues(t, 1, *sets(c)[0].Status.TerminatingReplicas)
			require.Len(t, sets(c), 1, "Pod %d has ended, and the other has not", ended)
			c.DeletePod(pods[1-ended].Name, kubetest.Grace(0))
			c.Settle()
			assert.Equal(t, map[string]int{kubetest.Nginx: 1, "nginx:1.28": 2}, images(c))
		})
	}
}

// Pods that a ReplicaSet counts exist, though they have not reached a cache.
// Whether they are ready says nothing about whether they run.
func TestRecreateWaitsForPodsThatItHasOnlyHeardOf(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Settle()
		require.Len(t, sets(c), 1)
		old := sets(c)[0]
		setStatus(t, c, old, func(rs *appsv1.ReplicaSet) { rs.Status.Replicas = 1 })
		setImage(c, d, "nginx:1.28")
		c.Settle()
		require.Equal(t, map[string]int32{kubetest.Nginx: 0}, sizes(c), "one is counted")
		setStatus(t, c, old, func(rs *appsv1.ReplicaSet) { rs.Status.Replicas = 0 })
		c.Settle()
		assert.Equal(t, map[string]int32{kubetest.Nginx: 0, "nginx:1.28": 1}, sizes(c))
	})
}

// Its ReplicaSet no longer selects it, and so says nothing when it goes: only
// the Pod itself can bring the Deployment back.
func TestTheEndOfAPodThatNoReplicaSetCountsIsHeardOf(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Settle()
		require.Len(t, c.Pods(), 1)
		pod := c.Pods()[0]
		c.Bind(pod, "node-1")
		setImage(c, d, "nginx:1.28")
		c.Settle()
		kubetest.Edit(c, pod, func(p *corev1.Pod) { delete(p.Labels, "pod-template-hash") })
		c.Settle()
		old := sets(c)[0]
		require.Zero(t, *old.Status.TerminatingReplicas)
		require.Len(t, sets(c), 1, "it still runs")
		c.DeletePod(pod.Name, kubetest.Grace(0))
		c.Settle()
		assert.Same(t, old, kubetest.Get(c, old), "of its end the ReplicaSet says nothing")
		assert.Equal(t, map[string]int{"nginx:1.28": 1}, images(c))
	})
}

// A ReplicaSet may be late with its counts; a Pod that is seen exists.
func TestRecreateWaitsForAPodThatItSeesAndNobodyCounts(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Settle()
		require.Len(t, sets(c), 1)
		kubetest.Create(c, ruledBy(sets(c)[0], deployment.ReplicaSetKind, kubetest.Pod("web-1")))
		setImage(c, d, "nginx:1.28")
		c.Settle()
		require.Equal(t, map[string]int32{kubetest.Nginx: 0}, sizes(c))
		c.DeletePod("web-1")
		c.Settle()
		assert.Equal(t, map[string]int32{kubetest.Nginx: 0, "nginx:1.28": 1}, sizes(c))
	})
}
