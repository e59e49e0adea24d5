package daemonset

import (
	"bytes"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// byCounting is podsShouldBeOnNode as one would write it at first: one Pod is to
// run.
func byCounting(n nodePods) (needsPod bool, podsToDelete []*corev1.Pod) {
	_, running := split(notTerminating(n.pods))
	if !n.shouldRun {
		return false, running
	}
	return len(running) == 0, running[min(1, len(running)):]
}

// What each of the two decides about some nodes.
func TestRunOfOneNode(t *testing.T) {
	pod := func(name string, phase corev1.PodPhase) *corev1.Pod {
		pod := kubetest.Pod(name)
		pod.Status.Phase = phase
		return pod
	}
	first, second := pod("first", corev1.PodRunning), pod("second", corev1.PodRunning)
	leaving := pod("leaving", corev1.PodRunning)
	leaving.DeletionTimestamp = new(controlloop.Now())
	failed := pod("failed", corev1.PodFailed)
	var log bytes.Buffer
	row := func(what, naive, decided string) {
		fmt.Fprintf(&log, "%-39s  %-14s  %s\n", what, naive, decided)
	}
	row("", "by counting", "podsShouldBeOnNode")
	for _, node := range []struct {
		what      string
		shouldRun bool
		pods      []*corev1.Pod
	}{
		{"no Pod", true, nil},
		{"a Pod that runs", true, []*corev1.Pod{first}},
		{"two Pods that run", true, []*corev1.Pod{first, second}},
		{"a Pod that is being deleted", true, []*corev1.Pod{leaving}},
		{"a Pod that has failed", true, []*corev1.Pod{failed}},
		{"a Pod that runs, and a taint NoSchedule", false, []*corev1.Pod{first}},
	} {
		n := nodePods{
			shouldRun: node.shouldRun, shouldContinueRunning: true, pods: node.pods,
		}
		row(node.what, inWords(byCounting(n)), inWords(podsShouldBeOnNode(n)))
	}
	kubetest.Recorded(t, "node.txt", log.Bytes())
}

func inWords(needsPod bool, podsToDelete []*corev1.Pod) string {
	switch {
	case needsPod:
		return "create"
	case len(podsToDelete) > 0:
		return "delete " + podsToDelete[0].Name
	}
	return "-"
}
