package statefulset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

func TestADeletionIsToldOfOnceThoughTheCacheIsLate(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		const told = "Normal SuccessfulDelete statefulset-controller: Delete Pod web-0 in StatefulSet web successful"
		sets := c.Reconciler("statefulset").(*statefulset.StatefulSets)
		c.Client.Late(5*time.Second, controlloop.PodKind)
		for range 2 { // the second Pod has the first one's name, and an event of its own
			pod := c.Bind(kubetest.Create(c, kubetest.Pod("web-0")), "node-1")
			c.Advance(10 * time.Second)
			for range 3 {
				require.NoError(t, sets.Remove(tContext(), web(1), pod))
			}
			assert.Equal(t, 1, sets.Told())
			c.Advance(10 * time.Second) // a reconcile that had begun before still has the old Pod
			require.NoError(t, sets.Remove(tContext(), web(1), pod))
			c.DeletePod("web-0", kubetest.Grace(0))
			c.Advance(10 * time.Second)
			assert.Zero(t, sets.Told(), "it has gone, and is remembered")
		}
		assert.Equal(t, []string{told, told}, c.Events())
	})
}

func TestADeletionAfterItsPodHasLeftTheCacheIsNotRemembered(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		sets := c.Reconciler("statefulset").(*statefulset.StatefulSets)
		pod := kubetest.Create(c, kubetest.Pod("web-0"))
		c.DeletePod("web-0", kubetest.Grace(0))
		c.Settle()
		require.NoError(t, sets.Remove(tContext(), web(1), pod))
		assert.Len(t, c.Events(), 1)
		assert.Zero(t, sets.Told())
	})
}
