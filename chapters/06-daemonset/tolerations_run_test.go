package daemonset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// To which nodes an agent goes, with these tolerations: exercise 6e.
func TestRunOfAnAgentsTolerations(t *testing.T) {
	var log bytes.Buffer
	exists := corev1.TolerationOpExists
	for _, agent := range []struct {
		name  string
		host  bool
		bears []corev1.Toleration
	}{
		{"none", false, nil},
		{"none, host", true, nil},
		{"Exists NoExecute", false, []corev1.Toleration{{Operator: exists, Effect: corev1.TaintEffectNoExecute}}},
		{"Exists NoSchedule", false, []corev1.Toleration{{Operator: exists, Effect: corev1.TaintEffectNoSchedule}}},
		{"gpu", false, []corev1.Toleration{{Key: "gpu"}}},
		{"gpu Exists", false, []corev1.Toleration{{Key: "gpu", Operator: exists}}},
		{"Exists", false, []corev1.Toleration{{Operator: exists}}},
	} {
		set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent"}}
		set.Spec.Template.Spec.HostNetwork = agent.host
		set.Spec.Template.Spec.Tolerations = agent.bears
		var meant []string
		for _, n := range []struct {
			name  string
			taint corev1.Taint
		}{
			{"plain", corev1.Taint{}},
			{"cordon", corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}},
			{"new", corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}},
			{"cloud", corev1.Taint{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule}},
			{"silent", corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}},
			{"gpu", corev1.Taint{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoExecute}},
		} {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.name}}
			if n.taint.Key != "" {
				node.Spec.Taints = []corev1.Taint{n.taint}
			}
			name := "-"
			if is, _ := daemonset.NodeShouldRunPod(set, node); is {
				name = n.name
			}
			meant = append(meant, fmt.Sprintf("%-7s", name))
		}
		fmt.Fprintf(&log, "%-18s %s\n", agent.name, strings.TrimSpace(strings.Join(meant, "")))
	}
	kubetest.Recorded(t, "../exercises/6e.txt", log.Bytes())
}
