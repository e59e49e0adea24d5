package daemonset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// While it has not heard of what it has written itself, a set counts and does
// nothing; nor does it say that it has acted upon what it was told meanwhile. In
// the end it stops waiting.
func TestWhoWaitsForNewsOnlyCounts(t *testing.T) {
	for _, creates := range []bool{true, false} {
		onDaemons(t, 1, func(c *kubetest.Cluster) {
			kubetest.Create(c, logs())
			settleDaemons(c)
			daemonset.Expect(c.Controller("daemonset"), kubetest.Get(c, logs()), creates)
			kubetest.Create(c, host("n2"))
			change(c, unavailable("2"))
			c.Settle()
			assert.Equal(t, "2 1 0 1 1 1 1", numbers(c))
			ds := kubetest.Get(c, logs())
			assert.Equal(t, ds.Generation-1, ds.Status.ObservedGeneration)
			c.Advance(5*time.Minute - time.Second)
			assert.Len(t, c.Pods(), 1)
			c.Advance(time.Second)
			assert.Len(t, c.Pods(), 2)
			ds = kubetest.Get(c, logs())
			assert.Equal(t, ds.Generation, ds.Status.ObservedGeneration)
		})
	}
}

// The second look comes before the cache has heard of what the first one did.
func TestAPodThatWasToldToGoIsNotToldTwice(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		kubetest.Edit(c, host("n1"), func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "x", Effect: corev1.TaintEffectNoExecute}}
		})
		_, err := c.System.Informer(controlloop.NodeKind, controlloop.ListOptions{}).Step(t.Context())
		require.NoError(t, err)
		deletes := c.Client.Calls()["delete"]
		for range 2 { // the second status is refused, for it is of an old version
			_, _ = c.Controller("daemonset").Reconciler.Reconcile(t.Context(), kubetest.Named("logs"))
		}
		assert.Equal(t, 1, c.Client.Calls()["delete"]-deletes)
	})
}

// What is heard of it afterwards concerns nobody; what was concerned before is
// to be marked.
func TestAPodThatIsTakenAwayFromASetLeavesItsNode(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		kubetest.Edit(c, podOn(t, c, "n1"), func(p *corev1.Pod) {
			p.OwnerReferences, p.Labels = nil, nil
		})
		settleDaemons(c)
		assert.Equal(t, "n1:1.27", onEach(c))
		assert.Len(t, c.Pods(), 2)
	})
}

func TestARevisionThatIsDeletedIsMadeAgain(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		r := kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind)[0]
		require.NoError(t, c.Store.Delete(t.Context(), daemonset.RevisionKind,
			controlloop.KeyOf(r), metav1.DeleteOptions{}))
		settleDaemons(c)
		assert.Equal(t, "1 "+old, history(c))
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
	})
}

// Who begins has heard of no node going: what was meant for one is found by
// whose it is, and what was on one by whose it could be.
func TestWhoBeginsLooksAtPodsWithoutANode(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, host("n2"))
		kubetest.Create(c, logs(onDelete))
		c.Settle()
		c.Restart()
		removeNode(t, c, "n2")
		stray := kubetest.Pod("logs")
		stray.Spec.NodeName = "n3"
		kubetest.Create(c, stray)
		settleDaemons(c)
		assert.Equal(t, "n1:1.27, n3:1.27 not ready", onEach(c))
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
	})
}

// A kubelet that refuses a Pod, and a person who changes the template: the
// person is not made to wait for what the old one has brought about.
func TestAnotherGenerationBeginsWithoutAPause(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		fail := func() {
			settleDaemons(c)
			says(c, podOn(t, c, "n1"), corev1.PodFailed, false)
			c.Settle()
		}
		for range 6 {
			fail()
			c.Advance(time.Minute)
		}
		fail() // this one is thrown away at once, and the next is not
		fail()
		assert.Equal(t, "n1:1.27 failed", onEach(c), "it is left lying")
		change(c, image(fresh))
		settleDaemons(c)
		assert.Equal(t, "n1:1.28", onEach(c))
	})
}
