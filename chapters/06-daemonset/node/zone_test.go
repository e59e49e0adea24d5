package node_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/chapters/06-daemonset/node/zone"
	"reconcile/internal/kubetest"
)

func TestAZoneIsDisruptedInPartWhenThreeAndMostOfItHaveFailed(t *testing.T) {
	for _, test := range []struct {
		ready, failed int
		want          zone.Disruption
	}{
		{0, 0, zone.Normal}, {5, 0, zone.Normal},
		{0, 1, zone.Full}, {0, 9, zone.Full},
		{1, 2, zone.Normal}, // two thirds, but two
		{1, 3, zone.Partial}, {3, 3, zone.Normal},
		{9, 11, zone.Partial}, // 55% of 20
		{46, 54, zone.Normal}, {45, 55, zone.Partial},
	} {
		assert.Equal(t, test.want, zone.Judge(test.ready, test.failed),
			"%d ready, %d failed", test.ready, test.failed)
	}
}

func TestASmallZoneInPartDisruptedIsNotEmptiedAndALargeOneSlowly(t *testing.T) {
	for _, test := range []struct {
		is    zone.Disruption
		nodes int
		want  time.Duration
	}{
		{zone.Normal, 3, 10 * time.Second},
		{zone.Normal, 500, 10 * time.Second},
		{zone.Full, 3, 10 * time.Second},
		{zone.Partial, 50, 0},
		{zone.Partial, 51, 100 * time.Second},
	} {
		assert.Equal(t, test.want, zone.Pace(test.is, test.nodes),
			"%v of %d", test.is, test.nodes)
	}
}

// inZones has the nodes of each zone be in it: {"a": 3, "b": 2} is node-1 to
// node-3 in a, node-4 and node-5 in b.
func inZones(
	t *testing.T, sizes []int, test func(c *kubetest.Cluster, x *cables, zones [][]string),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var zones [][]string
		n := 0
		for _, size := range sizes {
			var names []string
			for range size {
				n++
				names = append(names, fmt.Sprintf("node-%d", n))
			}
			zones = append(zones, names)
		}
		x := newCables()
		setup := living(n, x)
		setup.PerNode = []kubetest.OfNode{x.of(x.heartbeat)}
		c := kubetest.New(t, setup)
		for i, names := range zones {
			for _, name := range names {
				kubetest.Edit(c, nodeNamed(c, name), func(n *corev1.Node) {
					n.Labels[corev1.LabelTopologyZone] = string(rune('a' + i))
				})
			}
		}
		c.Settle()
		test(c, x, zones)
	})
}

// emptied says when each node got the taint by which its Pods have to go: in
// seconds after from.
func emptied(c *kubetest.Cluster, from time.Duration) string {
	var all []string
	for _, w := range c.Writes() {
		node, ok := w.Object.(*corev1.Node)
		if !ok || w.Type != watch.Modified || w.At < from {
			continue
		}
		has, had := len(evicting(node)), len(evicting(w.Old.(*corev1.Node)))
		at := (w.At - from).Round(time.Second).Seconds()
		name := strings.TrimPrefix(node.Name, "node-")
		switch {
		case has > 0 && had == 0:
			all = append(all, fmt.Sprintf("%s@%.0f", name, at))
		case has == 0 && had > 0:
			all = append(all, fmt.Sprintf("-%s@%.0f", name, at))
		}
	}
	return strings.Join(all, " ")
}

func TestNodesOfAZoneAreEmptiedOneEveryTenSeconds(t *testing.T) {
	inZones(t, []int{8}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		x.pull(zones[0][:4]...)
		c.Advance(3 * time.Minute)
		assert.Equal(t, "1@50 2@60 3@70 4@80", emptied(c, 0))
	})
}

func TestZonesAreEmptiedEachAtItsOwnPace(t *testing.T) {
	inZones(t, []int{4, 4}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		x.pull("node-1", "node-2", "node-5", "node-6")
		c.Advance(3 * time.Minute)
		assert.Equal(t, "1@50 5@50 2@60 6@60", emptied(c, 0))
	})
}

func TestAZoneOfWhichMostHasFailedIsNotEmptied(t *testing.T) {
	inZones(t, []int{5, 2}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		x.pull(zones[0][:3]...)
		c.Advance(3 * time.Minute)
		assert.Empty(t, emptied(c, 0))
		before := c.Elapsed()
		x.plug("node-3")
		c.Advance(time.Minute)
		assert.Equal(t, "1@11 2@21", emptied(c, before),
			"heard of again after a second, and ten seconds later the first goes")
	})
}

func TestAZoneThatIsGoneIsEmptiedWhileAnotherStands(t *testing.T) {
	inZones(t, []int{3, 1}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		x.pull(zones[0]...)
		c.Advance(3 * time.Minute)
		assert.Equal(t, "1@50 2@60 3@70", emptied(c, 0))
	})
}

// It is then more likely that nobody hears us.
func TestWhenNoNodeIsReadyAnywhereNobodyIsEmptied(t *testing.T) {
	inZones(t, []int{3, 3}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		x.pull("node-1")
		c.Advance(time.Minute)
		require.Equal(t, "1@50", emptied(c, 0))
		before := c.Elapsed()
		x.pull(slices.Concat(zones...)...)
		c.Advance(5 * time.Minute)
		assert.Equal(t, "-1@50", emptied(c, before), "and who was to be, is not any more")
		for n := 1; n <= 6; n++ {
			name := fmt.Sprintf("node-%d", n)
			assert.Equal(t, "unreachable:NoSchedule", taintsOf(c, name))
		}

		before = c.Elapsed()
		x.plug("node-6")
		c.Advance(3 * time.Minute)
		assert.Equal(t, "1@11 4@11 2@21 5@21 3@31", emptied(c, before),
			"the first that is heard of again starts the clocks")
	})
}

func TestANodeThatComesBackLeavesTheLine(t *testing.T) {
	inZones(t, []int{8}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		x.pull(zones[0][:4]...)
		c.Advance(52 * time.Second)
		x.plug("node-2", "node-3")
		c.Advance(2 * time.Minute)
		assert.Equal(t, "1@50 4@60", emptied(c, 0))
	})
}

func TestANodeThatTellsNothingOfItsZoneIsNotCounted(t *testing.T) {
	inZones(t, []int{4, 1}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		kubetest.Edit(c, nodeNamed(c, "node-4"), func(n *corev1.Node) {
			n.Labels["node.kubernetes.io/exclude-disruption"] = ""
		})
		x.pull(zones[0][:2]...)
		x.pull("node-4")
		c.Advance(3 * time.Minute)
		assert.Equal(t, "1@50 2@60 4@70", emptied(c, 0), "two of three are no disruption")
	})
}

// A controller that starts knows all nodes before it judges the first.
func TestARestartOfTheControllerTakesNoTaintOff(t *testing.T) {
	inZones(t, []int{3, 2}, func(c *kubetest.Cluster, x *cables, zones [][]string) {
		x.pull("node-1")
		c.Advance(2 * time.Minute)
		before := c.Elapsed()
		c.Restart()
		c.Advance(2 * time.Minute)
		assert.Empty(t, emptied(c, before))
	})
}
