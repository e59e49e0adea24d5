package statefulset_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// Sets of several sizes come up on nodes that take a second for each Pod: how
// long that takes, how often the controller reconciles, and the writes it makes.
func TestRunOfComingUp(t *testing.T) {
	var log bytes.Buffer
	fmt.Fprintln(&log, "policy        Pods  seconds  reconciles  writes")
	for _, p := range []struct {
		name   string
		change func(*appsv1.StatefulSet)
	}{{"OrderedReady", func(*appsv1.StatefulSet) {}}, {"Parallel", parallel}} {
		for _, n := range []int32{1, 10, 100} {
			setup := ordered
			setup.Invariants, setup.DetectMutations = nil, false
			looks := &lookCount{}
			setup.Trace = looks.record
			in(t, setup, func(c *kubetest.Cluster) {
				kubetest.Create(c, web(n, p.change))
				c.Settle()
				seconds := 0
				for kubetest.Get(c, web(n)).Status.ReadyReplicas < n {
					c.Advance(time.Second)
					seconds++
					serve(c)
					c.Settle()
				}
				fmt.Fprintf(&log, "%-12s %5d %8d %11d %7d\n", p.name, n, seconds, looks.count, c.Client.Writes())
			})
		}
	}
	kubetest.Recorded(t, "coming-up.txt", log.Bytes())
}

// lookCount counts how often the controller of StatefulSets reconciles.
type lookCount struct{ count int }

func (l *lookCount) record(step controlloop.Step) {
	if step.Lane == "statefulset" && step.Action == "reconcile" {
		l.count++
	}
}
