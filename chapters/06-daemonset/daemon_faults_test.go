package daemonset_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// The story: a set on two nodes, of which one is taken away and two others come;
// a Pod fails and one is deleted; an update without and one with surge; and a
// taint that drives out.
var daemonStory = kubetest.Story{
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, host("n1"))
			kubetest.Create(c, host("n2"))
			kubetest.Create(c, logs())
		},
		func(t *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, host("n3"))
			says(c, podOn(t, c, "n1"), corev1.PodFailed, false)
		},
		func(t *testing.T, c *kubetest.Cluster) {
			removeNode(t, c, "n1")
			for _, pod := range c.Pods() {
				if pod.Spec.NodeName == "n1" {
					c.DeletePod(pod.Name, kubetest.Grace(0))
				}
			}
			byHand(c, podOn(t, c, "n2"))
		},
		func(_ *testing.T, c *kubetest.Cluster) { change(c, image(fresh)) },
		func(_ *testing.T, c *kubetest.Cluster) { change(c, image(old), surging("1")) },
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Edit(c, host("n3"), tainted("gpu", corev1.TaintEffectNoExecute))
			pod := kubetest.Pod("logs")
			pod.Spec.NodeName = "n2"
			kubetest.Create(c, pod)
		},
	},
	Rest: func(_ *testing.T, c *kubetest.Cluster) { settleDaemons(c) },
	State: func(c *kubetest.Cluster) string {
		return fmt.Sprint(onEach(c), " | ", numbers(c), " | ", history(c))
	},
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Equal(t, "n2:1.27", onEach(c))
		require.Equal(t, "1 1 0 1 1 1 0", numbers(c))
		require.Greater(t, c.Client.Writes(), 20)
	},
	Quiet: time.Hour,
	Each:  true,
}

func tell(t *testing.T, how func(kubetest.Story, *testing.T)) {
	story := daemonStory
	story.Setup = daemons()
	story.Setup.DetectMutations = false
	how(story, t)
}

func TestDaemonsWhenAConnectionBreaksAtAnyEvent(t *testing.T) {
	tell(t, kubetest.Story.ConnectionBroken)
}

func TestDaemonsWhenTheStoreHasForgottenAnEvent(t *testing.T) {
	tell(t, kubetest.Story.VersionForgotten)
}

func TestDaemonsWhenAnyOneEventIsDropped(t *testing.T) {
	tell(t, kubetest.Story.EventDropped)
}

func TestDaemonsWhenTheControllerStopsAtAnyOneWrite(t *testing.T) {
	tell(t, kubetest.Story.StoppedAtAnyWrite)
}

func TestDaemonsInAnyOrderOfSteps(t *testing.T) {
	tell(t, kubetest.Story.AnyOrder)
}

func TestDaemonsWhenOneKindIsHeardOfLate(t *testing.T) {
	tell(t, kubetest.Story.EachKindLate)
}

func TestDaemonsWithAllOfItAtOnce(t *testing.T) {
	tell(t, kubetest.Story.AllAtOnce)
}

func TestDaemonsWhenAnyCallFailsOnce(t *testing.T) {
	tell(t, kubetest.Story.AnyCallFails)
}

// byAffinity puts a node's Pods on it: those that can go nowhere else.
func byAffinity(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", ""),
	})
	first := kubelet.NewFirstCome(s, m.Node)
	place := first.Reconciler
	first.Reconciler = mineOnly{place, m.Node, pods.Cache}
	return first
}

// mineOnly passes on what is meant for one node.
type mineOnly struct {
	controlloop.Reconciler
	node string
	pods *controlloop.Indexer
}

// Reconcile implements controlloop.Reconciler.
func (m mineOnly) Reconcile(ctx context.Context, key controlloop.Key) (controlloop.Result, error) {
	obj, ok := m.pods.Get(key)
	if !ok || daemonset.Target(obj.(*corev1.Pod)) != m.node {
		return controlloop.Result{}, nil
	}
	return m.Reconciler.Reconcile(ctx, key)
}

// All at once, in goroutines, with kubelets and what they run.
func TestDaemonsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		setup := daemons()
		setup.Nodes, setup.NodeObjects = 5, true
		setup.PerNode = []kubetest.OfNode{byAffinity, kubelet.New}
		setup.Images = simulated.Images{fresh: simulated.Nginx}
		c := kubetest.New(t, setup)
		c.Run()
		kubetest.Create(c, logs(unavailable("2")))
		c.Advance(time.Minute)
		assert.Equal(t, "5 5 0 5 5 5 0", numbers(c))
		change(c, image(fresh))
		kubetest.Edit(c, host("node-3"), tainted("gpu", corev1.TaintEffectNoExecute))
		c.Advance(5 * time.Minute)
		assert.Equal(t, "node-1:1.28, node-2:1.28, node-4:1.28, node-5:1.28", onEach(c))
		assert.Equal(t, "4 4 0 4 4 4 0", numbers(c))
		// The node comes back in the middle of the update: half of the others have
		// a new Pod beside the old one, that is not ready for long enough.
		change(c, image(old), surging("50%"), readyFor(30))
		c.Advance(10 * time.Second)
		assert.Equal(t, "node-1:1.27, node-1:1.28, node-2:1.27, node-2:1.28, node-4:1.28, node-5:1.28",
			onEach(c))
		kubetest.Edit(c, host("node-3"), clean)
		c.Advance(5 * time.Minute)
		assert.Equal(t, "node-1:1.27, node-2:1.27, node-3:1.27, node-4:1.27, node-5:1.27", onEach(c))
		assert.Equal(t, "5 5 0 5 5 5 0", numbers(c))
	})
}
