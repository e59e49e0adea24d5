package deployment_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// onTwoNodes returns three Pods on one node and two on another, alike in all
// else.
func onTwoNodes() []*corev1.Pod {
	return []*corev1.Pod{
		serving("a", onNode("n1")), serving("b", onNode("n1")), serving("c", onNode("n1")),
		serving("d", onNode("n2")), serving("e", onNode("n2")),
	}
}

func besides(pods, gone []*corev1.Pod) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool {
		return slices.Contains(gone, p)
	})
}

func where(pods []*corev1.Pod) string {
	var all []string
	for _, p := range pods {
		all = append(all, p.Name+" on "+p.Spec.NodeName)
	}
	return strings.Join(all, ", ")
}

// Five Pods are to become two: in one look, and in three.
func TestRunOfACrowdedNode(t *testing.T) {
	var out bytes.Buffer
	fmt.Fprintln(&out, "# part: at-once")
	pods := onTwoNodes()
	gone := deployment.LeastUseful(pods, pods, 3)
	fmt.Fprintln(&out, "Pod  node  beside it  of 5 to 2")
	for _, p := range pods {
		crowd := 0
		for _, other := range pods {
			if other.Spec.NodeName == p.Spec.NodeName {
				crowd++
			}
		}
		verdict := "stays"
		if slices.Contains(gone, p) {
			verdict = "goes"
		}
		fmt.Fprintf(&out, "%-4s %-5s %-10d %s\n", p.Name, p.Spec.NodeName, crowd-1, verdict)
	}
	fmt.Fprintf(&out, "left: %s\n", where(besides(pods, gone)))

	fmt.Fprintln(&out, "# part: one-by-one")
	for len(pods) > 2 {
		gone := deployment.LeastUseful(pods, pods, 1)
		fmt.Fprintf(&out, "of %d to %d: %s goes\n", len(pods), len(pods)-1, where(gone))
		pods = besides(pods, gone)
	}
	fmt.Fprintf(&out, "left: %s\n", where(pods))
	kubetest.Recorded(t, "crowded.txt", out.Bytes())
}
