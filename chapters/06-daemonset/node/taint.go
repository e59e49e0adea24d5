package node

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

type complaint struct {
	is     corev1.NodeConditionType
	status corev1.ConditionStatus
	taint  string
}

// complaints are the conditions of a Node that keep Pods away, and by which
// taint. (Kubernetes: nodeConditionToTaintKeyStatusMap in
// pkg/controller/nodelifecycle/node_lifecycle_controller.go.)
var complaints = []complaint{
	{corev1.NodeReady, corev1.ConditionFalse, corev1.TaintNodeNotReady},
	{corev1.NodeReady, corev1.ConditionUnknown, corev1.TaintNodeUnreachable},
	{corev1.NodeMemoryPressure, corev1.ConditionTrue,
		corev1.TaintNodeMemoryPressure},
	{corev1.NodeDiskPressure, corev1.ConditionTrue,
		corev1.TaintNodeDiskPressure},
	{corev1.NodeNetworkUnavailable, corev1.ConditionTrue,
		corev1.TaintNodeNetworkUnavailable},
	{corev1.NodePIDPressure, corev1.ConditionTrue,
		corev1.TaintNodePIDPressure},
}

// taintsFor returns the taints that a Node should have, and whether it has
// others: one for each complaint, one if it is cordoned, and evicting, if that
// is not "", by which its Pods have to go. Taints that others have put there
// stay, in their order.
func taintsFor(
	node *corev1.Node, evicting string,
) (taints []corev1.Taint, differ bool) {
	wanted := keepingAway(node)
	if evicting != "" {
		wanted = append(wanted, corev1.Taint{
			Key: evicting, Effect: corev1.TaintEffectNoExecute,
		})
	}
	for _, t := range node.Spec.Taints {
		if !isOurs(&t) || hasTaint(wanted, &t) {
			taints = append(taints, t)
		}
	}
	differ = len(taints) < len(node.Spec.Taints)
	for _, t := range wanted {
		if !hasTaint(taints, &t) {
			t.TimeAdded = new(controlloop.Now())
			taints, differ = append(taints, t), true
		}
	}
	return taints, differ
}

// keepingAway returns the taints under which no Pod comes.
func keepingAway(node *corev1.Node) (taints []corev1.Taint) {
	for _, c := range complaints {
		says := nodeCondition(node, c.is)
		if says != nil && says.Status == c.status {
			taints = append(taints, corev1.Taint{
				Key: c.taint, Effect: corev1.TaintEffectNoSchedule,
			})
		}
	}
	if node.Spec.Unschedulable {
		taints = append(taints, corev1.Taint{
			Key:    corev1.TaintNodeUnschedulable,
			Effect: corev1.TaintEffectNoSchedule,
		})
	}
	return taints
}

// isOurs reports whether it is the node lifecycle controller that puts such a
// taint on a Node, and takes it off.
func isOurs(taint *corev1.Taint) bool {
	switch taint.Effect {
	case corev1.TaintEffectNoExecute:
		return taint.Key == corev1.TaintNodeNotReady ||
			taint.Key == corev1.TaintNodeUnreachable
	case corev1.TaintEffectNoSchedule:
		return taint.Key == corev1.TaintNodeUnschedulable ||
			slices.ContainsFunc(complaints, func(c complaint) bool {
				return c.taint == taint.Key
			})
	}
	return false
}

// hasTaint reports whether one of all is the same taint, whatever its value.
func hasTaint(all []corev1.Taint, taint *corev1.Taint) bool {
	return slices.ContainsFunc(all, func(t corev1.Taint) bool {
		return t.MatchTaint(taint)
	})
}
