package kubelet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func TestOfManyNodesThatWantAPodExactlyOneGetsIt(t *testing.T) {
	winners := map[string]bool{}
	for seed := range uint64(20) {
		in(t, kubetest.Setup{Nodes: 3, Seed: seed + 1}, func(c *kubetest.Cluster) {
			kubetest.Create(c, kubetest.Pod("web"))
			c.Settle()
			bound := 0
			for _, w := range c.Writes() {
				was, _ := w.Old.(*corev1.Pod)
				if was != nil && was.Spec.NodeName != w.Object.(*corev1.Pod).Spec.NodeName {
					bound++
				}
			}
			assert.Equal(t, 1, bound, "the neverMoves invariant names who took it away")
			running := 0
			for _, node := range c.Nodes {
				running += len(node.Runtime.Sandboxes())
			}
			assert.Equal(t, 1, running)
			winners[c.Pod("web").Spec.NodeName] = true
		})
	}
	assert.Len(t, winners, 3, "any of them can win")
}

func TestAPodThatIsOnItsWayOutIsPlacedNowhere(t *testing.T) {
	in(t, kubetest.Setup{Nodes: 1}, func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web")
		held(pod)
		kubetest.Create(c, pod)
		c.DeletePod("web")
		c.Settle()
		assert.Empty(t, c.Pod("web").Spec.NodeName)
	})
}

// All nodes see the Pod unbound and write at the same time: the first has it.
func TestPlacementYieldsToWhoWasFaster(t *testing.T) {
	in(t, kubetest.Setup{Nodes: 2}, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web"))
		// node-1 does not learn what node-2 does until it has written itself.
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "bind" {
				c.Client.Fail(nil)
				c.Bind(kubetest.Pod("web"), "node-2")
			}
			return nil
		})
		c.Controller("placement node-1").OnError = func(key controlloop.Key, err error) {
			t.Errorf("to be late is no error: %v", err)
		}
		c.Settle()
		assert.Equal(t, "node-2", c.Pod("web").Spec.NodeName)
	})
}
