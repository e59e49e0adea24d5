package kubetest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/internal/kubetest"
)

func TestNodesAreInTheStoreWhenAskedFor(t *testing.T) {
	for _, asked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := kubetest.New(t, kubetest.Setup{Nodes: 2, NodeObjects: asked})
			kubetest.Create(c, kubetest.Pod("web"))
			c.Advance(time.Second)
			nodes := kubetest.All[*corev1.Node](c, controlloop.NodeKind)
			if !asked {
				assert.Empty(t, nodes)
				return
			}
			assert.Len(t, nodes, 2)
			assert.Equal(t, "172.18.0.2", c.Pod("web").Status.HostIP)
		})
	}
}

// A scheduler is one controller for all nodes; it takes FirstCome's place.
func TestTheControllersOfANodeCanBeOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{
			Nodes: 2, PerNode: []kubetest.OfNode{kubelet.New},
			Controllers: []kubetest.Controller{
				func(s *controlloop.System) *controlloop.Controller {
					return kubelet.NewFirstCome(s, "node-2")
				},
			},
		})
		for _, name := range []string{"a", "b"} {
			kubetest.Create(c, kubetest.Pod(name))
		}
		c.Advance(time.Second)
		assert.Equal(t, "node-2", c.Pod("a").Spec.NodeName)
		assert.Equal(t, "node-2", c.Pod("b").Spec.NodeName)
		assert.True(t, kubetest.Ready(c.Pod("b")))
	})
}
