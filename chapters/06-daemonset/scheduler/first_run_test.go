package scheduler_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// Six replicas on three nodes, each of which would take them all: by a scheduler
// that takes the first node which fits, and by one that compares.
func TestRunOfTheFirstNodeThatFits(t *testing.T) {
	var log bytes.Buffer
	for _, by := range []struct {
		name   string
		scores []scheduler.Score
	}{{"the first that fits", nil}, {"the best", plugins.Scores()}} {
		synctest.Test(t, func(t *testing.T) {
			c := kubetest.New(t, kubetest.Setup{
				Kinds: schedulerKinds, Nodes: 3,
				Controllers: []kubetest.Controller{deployment.NewReplicaSets,
					func(s *controlloop.System) *controlloop.Controller {
						return plugins.NewSchedulerWith(s, by.scores)
					}},
			})
			for _, node := range c.Nodes {
				kubetest.Create(c, server(node.Name, having("cpu=4 memory=8Gi pods=10")))
			}
			web := replicaSet("web")
			web.Spec.Replicas = new(int32(6))
			web.Spec.Template.Spec.Containers = guest("web", requesting("cpu=500m")).Spec.Containers
			kubetest.Create(c, web)
			c.Settle()
			on := map[string]int{}
			for _, pod := range c.Pods() {
				on[pod.Spec.NodeName]++
			}
			fmt.Fprintf(&log, "%-20s  node-1: %d  node-2: %d  node-3: %d\n",
				by.name, on["node-1"], on["node-2"], on["node-3"])
		})
	}
	kubetest.Recorded(t, "../../testdata/first.txt", log.Bytes())
}
