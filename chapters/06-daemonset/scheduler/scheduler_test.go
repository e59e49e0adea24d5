package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/kubetest"
)

func TestAPodGoesToTheNodeWithTheMostLeft(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, server("b"))
		for _, name := range []string{"p", "q", "r"} {
			kubetest.Create(c, guest(name, requesting("cpu=1 memory=1Gi")))
			c.Settle()
		}
		assert.Equal(t, "p@a q@b r@a", where(c))
		assert.Equal(t, []string{
			"Normal Scheduled default-scheduler: Successfully assigned default/p to a",
			"Normal Scheduled default-scheduler: Successfully assigned default/q to b",
			"Normal Scheduled default-scheduler: Successfully assigned default/r to a",
		}, c.Events())
	})
}

func TestAPodThatFitsNowhereIsToldWhy(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a", withTaint("gpu", "NoSchedule")))
		kubetest.Create(c, server("b", having("cpu=1 memory=8Gi pods=10")))
		kubetest.Create(c, server("c", having("cpu=1 memory=1Gi pods=0")))
		kubetest.Create(c, guest("p", requesting("cpu=2 memory=4Gi")))
		c.Settle()
		assert.Equal(t, "0/3 nodes are available: 1 Insufficient memory, "+
			"1 Too many pods, 1 node(s) had untolerated taint(s), 2 Insufficient cpu. "+
			"preemption: 0/3 nodes are available: "+
			"3 Preemption is not helpful for scheduling.", why(c, "p"))
		writes := len(c.Writes())
		c.Resync()
		c.Settle()
		assert.Len(t, c.Writes(), writes)
	})
}
