package daemonset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// On which nodes a Pod may be scheduled, by its affinity and its tolerations:
// exercise 6d.
func TestRunOfWhereAPodMayRun(t *testing.T) {
	const in, notIn, absent, more = corev1.NodeSelectorOpIn,
		corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpDoesNotExist,
		corev1.NodeSelectorOpGt
	says := func(
		key string, op corev1.NodeSelectorOperator, values ...string,
	) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: op, Values: values}
	}
	term := func(all ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: all}
	}
	gpu := corev1.Toleration{Key: "gpu"}
	anyGPU := corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}
	nodes := []*corev1.Node{
		host("plain"),
		host("fast", hostWith("disk", "ssd"), hostWith("size", "16")),
		host("old", hostWith("disk", "ssd"), hostWith("size", "8"), hostWith("old", "")),
		host("gpu", hostWith("disk", "nvme"), hostWith("size", "large"), func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
		}),
	}
	var log bytes.Buffer
	for _, pod := range []struct {
		name      string
		terms     []corev1.NodeSelectorTerm
		tolerates []corev1.Toleration
	}{
		{"In ssd", []corev1.NodeSelectorTerm{term(says("disk", in, "ssd"))}, nil},
		{"NotIn ssd", []corev1.NodeSelectorTerm{term(says("disk", notIn, "ssd"))}, nil},
		{"NotIn ssd, gpu", []corev1.NodeSelectorTerm{term(says("disk", notIn, "ssd"))}, []corev1.Toleration{gpu}},
		{"NotIn ssd, gpu Exists", []corev1.NodeSelectorTerm{term(says("disk", notIn, "ssd"))}, []corev1.Toleration{anyGPU}},
		{"ssd and not old", []corev1.NodeSelectorTerm{term(says("disk", in, "ssd"), says("old", absent))}, nil},
		{"ssd or not old", []corev1.NodeSelectorTerm{term(says("disk", in, "ssd")), term(says("old", absent))}, nil},
		{"Gt 10", []corev1.NodeSelectorTerm{term(says("size", more, "10"))}, []corev1.Toleration{anyGPU}},
		{"nothing", []corev1.NodeSelectorTerm{term()}, []corev1.Toleration{anyGPU}},
	} {
		spec := &corev1.PodSpec{Tolerations: pod.tolerates, Affinity: &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: pod.terms,
				},
			},
		}}
		var may []string
		for _, node := range nodes {
			name := "-"
			if daemonset.Wants(spec, node) && daemonset.Untolerated(
				node, spec.Tolerations, corev1.TaintEffectNoSchedule) == nil {
				name = node.Name
			}
			may = append(may, fmt.Sprintf("%-6s", name))
		}
		fmt.Fprintf(&log, "%-22s %s\n", pod.name, strings.TrimSpace(strings.Join(may, "")))
	}
	kubetest.Recorded(t, "../exercises/6d.txt", log.Bytes())
}
