package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// Pods come and go, and nodes are given other labels and taints: a scheduler that
// has counted all the time rates nodes as one that counts now.
func TestSumsThatAreKeptAreThoseThatAreCounted(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				keepSums(t, seed)
			})
		})
	}
}

func keepSums(t *testing.T, seed uint64) {
	const plugin = "PodTopologySpread"
	first := map[string]scheduler.Decision{}
	setup := scheduling()
	setup.Controllers = []kubetest.Controller{deciding(
		func(d scheduler.Decision) {
			if _, again := first[d.Pod.Name]; !again {
				first[d.Pod.Name] = d
			}
		})}
	c, dice := kubetest.New(t, setup), rand.New(rand.NewPCG(seed, 11))
	for step := range 60 {
		shift(c, dice, step)
		c.Settle()
		machines, pods := kubetest.All[*corev1.Node](c, controlloop.NodeKind), c.Pods()
		web := guest(fmt.Sprint("p-", step), app("web"), spreads[dice.IntN(len(spreads))])
		kubetest.Create(c, web)
		c.Settle()
		require.Equal(t, countedNow(plugin, web, machines, pods), pointsOf(plugin, first[web.Name]), "step %d", step)
	}
}

// shift has something happen to the nodes, or to the Pods on them.
func shift(c *kubetest.Cluster, dice *rand.Rand, step int) {
	machines := kubetest.All[*corev1.Node](c, controlloop.NodeKind)
	if len(machines) < 3 {
		kubetest.Create(c, server(fmt.Sprint("n-", step), withLabel("disk", "ssd"),
			inZone(fmt.Sprint(dice.IntN(3))), having("cpu=40 memory=80Gi pods=100")))
		return
	}
	pods, node := c.Pods(), machines[dice.IntN(len(machines))]
	switch dice.IntN(10) {
	case 0:
		kubetest.Edit(c, node, inZone(fmt.Sprint(dice.IntN(3))))
	case 1:
		kubetest.Edit(c, node, func(n *corev1.Node) { delete(n.Labels, zoneKey) })
	case 2:
		kubetest.Edit(c, node, withTaint(fmt.Sprint("t-", step), corev1.TaintEffectNoSchedule))
	case 3:
		kubetest.Edit(c, node, func(n *corev1.Node) { n.Spec.Taints = nil })
	case 4:
		kubetest.Create(c, server(fmt.Sprint("a-", step), inZone("4"),
			having("cpu=40 memory=80Gi pods=100")))
	case 5:
		deleteNode(c, node.Name)
	case 6, 7, 8:
		if len(pods) > 0 {
			c.DeletePod(pods[dice.IntN(len(pods))].Name, kubetest.Grace(int64(dice.IntN(2)*30)))
		}
	}
}

// spreads are Pods that would rather be spread, for which other nodes count, each of them.
var spreads = []podChange{
	anyway(zoneKey), anyway(zoneKey), anyway(corev1.LabelHostname),
	anyway(zoneKey, corev1.LabelHostname), anyway("disk", zoneKey),
	spreading(zoneKey, 1), spreading(corev1.LabelHostname, 1),
	func(p *corev1.Pod) { anyway(zoneKey)(p); selecting("disk", "ssd")(p) },
	func(p *corev1.Pod) {
		anyway(zoneKey)(p)
		p.Spec.TopologySpreadConstraints[0].NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
	},
}

func anyway(keys ...string) podChange {
	return func(p *corev1.Pod) {
		for _, key := range keys {
			spreading(key, 1, func(c *corev1.TopologySpreadConstraint) {
				c.WhenUnsatisfiable = corev1.ScheduleAnyway
			})(p)
		}
	}
}

// pointsOf are those of a plug-in: "a 100, b 50, c PodTopologySpread", which
// refuses it.
func pointsOf(plugin string, d scheduler.Decision) string {
	var all []string
	for _, said := range d.Said {
		if said.Refusal != nil {
			all = append(all, fmt.Sprint(said.Node, " ", said.Refusal.Filter))
		}
		for _, p := range said.Points {
			if p.Score == plugin {
				all = append(all, fmt.Sprint(said.Node, " ", p.Points))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// countedNow is pointsOf of what would be said by one who has just come.
func countedNow(plugin string, pod *corev1.Pod, machines []*corev1.Node, pods []*corev1.Pod) string {
	all := cache.NewNodes(machines, pods)
	cycle := plugins.NewCycle(all, pod)
	var said []string
	var fit []*cache.Node
	for _, n := range all.List() {
		if r := cycle.Refusal(n); r != nil {
			said = append(said, n.Name+" "+r.Filter)
		} else {
			fit = append(fit, n)
		}
	}
	if len(fit) > 1 {
		said = append(said, strings.Split(ratedOf(plugin, cycle, fit), ", ")...)
	}
	slices.Sort(said)
	return strings.Join(said, ", ")
}
