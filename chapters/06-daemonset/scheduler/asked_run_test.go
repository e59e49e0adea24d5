package scheduler_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/internal/kubetest"
)

// How many nodes of a cluster are asked whether they take a Pod: one that any
// takes, with all nodes open and with every other cordoned off; one that names its
// node, as a DaemonSet's does; and one that none takes.
func TestRunAsked(t *testing.T) {
	var log bytes.Buffer
	fmt.Fprintf(&log, "%5s  %8s  %13s  %7s  %9s\n",
		"nodes", "any node", "half cordoned", "by name", "too large")
	for _, nodes := range []int{100, 500, 1_000, 5_000} {
		fmt.Fprintf(&log, "%5d  %8d  %13d  %7d  %9d\n", nodes,
			asks(t, nodes, 1),
			asks(t, nodes, 2),
			asks(t, nodes, 1, func(p *corev1.Pod) { aimedAt(p, 7) }),
			asks(t, nodes, 1, requesting("cpu=99")))
	}
	kubetest.Recorded(t, "../../testdata/asked.txt", log.Bytes())
}

// asks is how many nodes are asked for a Pod. One in so many of them is open.
func asks(t *testing.T, nodes, open int, changes ...podChange) (asked int) {
	store := controlloop.NewStore(schedulerKinds)
	for i := range nodes {
		node := server(fmt.Sprintf("node-%05d", i))
		node.Spec.Unschedulable = i%open > 0
		stored(t, store, node)
	}
	stored(t, store, guest("p", changes...))
	system := &controlloop.System{Client: store}
	deciding(func(d scheduler.Decision) { asked = len(d.Said) })(system)
	_, err := system.Step(t.Context(), controlloop.InOrder)
	require.NoError(t, err)
	return asked
}
