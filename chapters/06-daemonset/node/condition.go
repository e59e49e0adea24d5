package node

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// nodeCondition returns a Node's condition of that type, or nil.
func nodeCondition(
	node *corev1.Node, want corev1.NodeConditionType,
) *corev1.NodeCondition {
	return controlloop.Find(node.Status.Conditions,
		func(c corev1.NodeCondition) bool { return c.Type == want })
}

// Readiness returns True, False or Unknown; "" if the node has never said.
func Readiness(node *corev1.Node) corev1.ConditionStatus {
	if ready := nodeCondition(node, corev1.NodeReady); ready != nil {
		return ready.Status
	}
	return ""
}

// saysAll reports whether a Node has all these conditions, whenever they were
// said.
func saysAll(node *corev1.Node, all []corev1.NodeCondition) bool {
	for _, c := range all {
		has := nodeCondition(node, c.Type)
		if has == nil || has.Status != c.Status ||
			has.Reason != c.Reason || has.Message != c.Message {
			return false
		}
	}
	return true
}

// setNodeCondition has a Node say c as of now; since when, it says only if the
// status is another one.
func setNodeCondition(node *corev1.Node, c corev1.NodeCondition) {
	now := controlloop.Now()
	c.LastHeartbeatTime, c.LastTransitionTime = now, now
	was := nodeCondition(node, c.Type)
	if was == nil {
		node.Status.Conditions = append(node.Status.Conditions, c)
		return
	}
	if was.Status == c.Status {
		c.LastTransitionTime = was.LastTransitionTime
	}
	*was = c
}

// silent returns a Node of which it is not known how it is, or nil if it says
// so already. When it was last heard of stays as it was; what it says of the
// network is not the kubelet's. (Kubernetes: tryUpdateNodeHealth in
// pkg/controller/nodelifecycle/node_lifecycle_controller.go.)
func silent(node *corev1.Node) *corev1.Node {
	if Readiness(node) == corev1.ConditionUnknown {
		return nil
	}
	next, now := controlloop.Copy(node), controlloop.Now()
	for _, want := range []corev1.NodeConditionType{
		corev1.NodeReady, corev1.NodeMemoryPressure,
		corev1.NodeDiskPressure, corev1.NodePIDPressure,
	} {
		switch c := nodeCondition(next, want); {
		case c == nil:
			next.Status.Conditions = append(next.Status.Conditions,
				corev1.NodeCondition{
					Type: want, Status: corev1.ConditionUnknown,
					Reason:             "NodeStatusNeverUpdated",
					Message:            "Kubelet never posted node status.",
					LastHeartbeatTime:  node.CreationTimestamp,
					LastTransitionTime: now,
				})
		case c.Status != corev1.ConditionUnknown:
			c.Status, c.LastTransitionTime = corev1.ConditionUnknown, now
			c.Reason = "NodeStatusUnknown"
			c.Message = "Kubelet stopped posting node status."
		}
	}
	return next
}
