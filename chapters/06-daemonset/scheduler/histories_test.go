package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// Whatever happens, in whatever order, and wherever it is cut short: no Pod gets
// two nodes, and no node more than it has. In the end nobody waits who would fit.
func TestRandomHistoriesOverbookNoNode(t *testing.T) {
	kubetest.Histories(t, liveScheduling)
}

func liveScheduling(t *testing.T, n uint64) {
	setup := scheduling()
	setup.Seed, setup.DetectMutations = n, false
	c := kubetest.New(t, setup)
	turmoil(c, rand.New(rand.NewPCG(n, 6)))
	for range 3 {
		c.Advance(6 * time.Minute)
	}
	noneWaitsInVain(t, c)
}

func turmoil(c *kubetest.Cluster, dice *rand.Rand) {
	for step := range 40 {
		name := fmt.Sprint("p-", step)
		switch dice.IntN(8) {
		case 0:
			kubetest.Create(c, server(fmt.Sprint("node-", step), inZone(fmt.Sprint(dice.IntN(2)))))
		case 1:
			if pods := c.Pods(); len(pods) > 0 {
				c.DeletePod(pods[dice.IntN(len(pods))].Name, kubetest.Grace(0))
			}
		case 2:
			c.Advance(time.Duration(dice.IntN(20)) * time.Second)
		case 3:
			c.Client.CrashAtWrite(1+dice.IntN(4), kubetest.When(dice.IntN(2)))
		default:
			kubetest.Create(c, guest(name, app("web"), important(int32(dice.IntN(3))),
				requesting(fmt.Sprintf("cpu=%dm", 500*(1+dice.IntN(6)))), aspect(dice)))
		}
		if dice.IntN(2) == 0 {
			c.Settle()
		}
		if c.Crashed() {
			c.Restart()
		}
	}
	c.Client.Repair()
	c.Settle()
	if c.Crashed() {
		c.Restart()
	}
}

// aspect is what a Pod may be particular about.
func aspect(dice *rand.Rand) podChange {
	return []podChange{
		func(*corev1.Pod) {}, func(*corev1.Pod) {}, spreading(zoneKey, 2),
		apart(corev1.LabelHostname, labels("app", "web")), hostPort("", "", 80),
	}[dice.IntN(5)]
}

// noneWaitsInVain: a Pod that no node took would be taken by none now.
func noneWaitsInVain(t *testing.T, c *kubetest.Cluster) {
	machines := kubetest.All[*corev1.Node](c, controlloop.NodeKind)
	all := cache.NewNodes(machines, c.Pods())
	for _, pod := range c.Pods() {
		if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
			continue
		}
		cycle := plugins.NewCycle(all, pod)
		for _, n := range all.List() {
			for _, other := range c.Pods() {
				if other.Status.NominatedNodeName == n.Name && other.Spec.NodeName == "" {
					return // its place is kept
				}
			}
			require.NotNil(t, cycle.Refusal(n), "%s waits, and %s would take it", pod.Name, n.Name)
		}
	}
}
