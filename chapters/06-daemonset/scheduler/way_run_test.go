package scheduler_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/internal/kubetest"
)

// A cycle is one of a Pod's scheduling cycles, as figures/way.svg has it.
type cycle struct {
	At      string           `json:"at"`
	Nodes   int              `json:"nodes"`
	Refused map[string]int   `json:"refused"` // by filter
	Sums    map[string]int64 `json:"sums,omitempty"`
	Node    string           `json:"node,omitempty"`
}

func cycleOf(d scheduler.Decision, at time.Duration) cycle {
	now := cycle{At: at.String(), Nodes: len(d.Said), Refused: map[string]int{}, Sums: map[string]int64{}, Node: d.Node}
	for _, said := range d.Said {
		if said.Refusal != nil {
			now.Refused[said.Refusal.Filter]++
		} else {
			now.Sums[said.Node] = said.Sum
		}
	}
	return now
}

// No node takes a Pod. Ten seconds later a node gets a label, and after ten more
// there are two other nodes.
func TestRunOfAPodsWay(t *testing.T) {
	var cycles []cycle
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("node-1", withTaint("gpu", noSchedule)))
		kubetest.Create(c, server("node-2", having("cpu=1 memory=8Gi pods=10")))
		kubetest.Create(c, server("node-3", having("cpu=1 memory=8Gi pods=10")))
		c.Settle()
		began := c.Elapsed()
		c.Controller("scheduler").Reconciler.(*scheduler.Scheduler).OnDecision = func(d scheduler.Decision) {
			cycles = append(cycles, cycleOf(d, c.Elapsed()-began))
		}
		kubetest.Create(c, guest("web", requesting("cpu=2 memory=1Gi")))
		c.Advance(10 * time.Second)
		kubetest.Edit(c, server("node-3"), withLabel("disk", "ssd"))
		c.Advance(10 * time.Second)
		require.Len(t, cycles, 1, "a label doesn't help a Pod that lacks CPU")
		kubetest.Create(c, server("node-4"))
		kubetest.Create(c, server("node-5", having("cpu=8 memory=8Gi pods=10")))
		c.Settle()
	})
	assert.Len(t, cycles, 2)
	kubetest.RecordedJSON(t, "../../testdata/way.json", map[string]any{"cycles": cycles})
}
