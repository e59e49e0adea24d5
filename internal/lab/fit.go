package lab

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// refusal is why a node does not take a Pod, in the words of the scheduler's
// plugin that says so.
type refusal struct{ plugin, reason string }

// refusals returns what speaks against a Pod on a node on which there is so
// much already: of the first plugin that refuses it, as the scheduler has it.
func refusals(pod *corev1.Pod, wants load, node *corev1.Node, has load) []refusal {
	if against := closed(pod, node); against != nil {
		return against
	}
	if against := affinity(pod, node); against != nil {
		return against
	}
	if against := ports(wants, has); against != nil {
		return against
	}
	return resources(wants, node, has)
}

// closed looks at taints. Until chapter 6 nobody taints a node that is not
// ready: its condition does.
func closed(pod *corev1.Pod, node *corev1.Node) []refusal {
	unschedulable := corev1.Taint{
		Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
	}
	if node.Spec.Unschedulable && !tolerates(pod, unschedulable) {
		return []refusal{{"NodeUnschedulable", "node(s) were unschedulable"}}
	}
	taints := node.Spec.Taints
	if key := notReady(node); key != "" {
		taints = append(taints[:len(taints):len(taints)],
			corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	}
	for _, taint := range taints {
		if taint.Effect != corev1.TaintEffectPreferNoSchedule &&
			!tolerates(pod, taint) {
			return []refusal{{"TaintToleration", "node(s) had untolerated taint(s)"}}
		}
	}
	return nil
}

func notReady(node *corev1.Node) (taint string) {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return ""
		} else if c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown {
			return corev1.TaintNodeUnreachable
		}
	}
	return corev1.TaintNodeNotReady
}

func tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	for _, t := range pod.Spec.Tolerations {
		switch {
		case t.Effect != "" && t.Effect != taint.Effect,
			t.Key != "" && t.Key != taint.Key:
		case t.Operator == corev1.TolerationOpExists,
			t.Key != "" && t.Value == taint.Value:
			return true
		}
	}
	return false
}

// affinity looks at the node selector and the node affinity that is required.
func affinity(pod *corev1.Pod, node *corev1.Node) []refusal {
	if pod.Spec.NodeSelector == nil && pod.Spec.Affinity == nil {
		return nil
	}
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); ok && err == nil {
		return nil
	}
	return []refusal{{
		"NodeAffinity", "node(s) didn't match Pod's node affinity/selector"}}
}

func ports(wants, has load) []refusal {
	for a := range wants.ports {
		for b := range has.ports {
			if a.port == b.port && a.protocol == b.protocol &&
				(a.ip == b.ip || a.ip == "" || b.ip == "") {
				return []refusal{{"NodePorts",
					"node(s) didn't have free ports for the requested pod ports"}}
			}
		}
	}
	return nil
}

func resources(wants load, node *corev1.Node, has load) (against []refusal) {
	all := node.Status.Allocatable
	if has.pods+wants.pods > all.Pods().Value() {
		against = append(against, refusal{"OutOfpods", "Too many pods"})
	}
	if wants.cpu > 0 && has.cpu+wants.cpu > all.Cpu().MilliValue() {
		against = append(against, refusal{"OutOfcpu", "Insufficient cpu"})
	}
	if wants.memory > 0 && has.memory+wants.memory > all.Memory().Value() {
		against = append(against, refusal{"OutOfmemory", "Insufficient memory"})
	}
	return against
}

// shortage is what a kubelet says of a resource of which a node has no more
// left; plugin is that of the refusal.
func shortage(plugin string, wants load, node *corev1.Node, has load) string {
	all := node.Status.Allocatable
	name := strings.TrimPrefix(plugin, "OutOf")
	requested, used, capacity := wants.pods, has.pods, all.Pods().Value()
	switch name {
	case "cpu":
		requested, used, capacity = wants.cpu, has.cpu, all.Cpu().MilliValue()
	case "memory":
		requested, used, capacity = wants.memory, has.memory, all.Memory().Value()
	}
	return fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, "+
		"used: %d, capacity: %d", name, requested, used, capacity)
}
