package why

import (
	corev1 "k8s.io/api/core/v1"
)

// lost says why a node isn't ready, if it isn't.
func (w *walk) lost(n *corev1.Node) bool {
	var ready corev1.NodeCondition
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			ready = c
		}
	}
	machine := ""
	if w.Machine != nil {
		machine = w.Machine(n.Name)
	}
	if ready.Status == corev1.ConditionTrue && machine == "" {
		return false
	}
	switch {
	case machine == "off":
		w.say(n, "is switched off")
	case machine == "cut":
		w.say(n, "is cut off from the network")
	case w.held("heartbeat " + n.Name):
		w.say(n, "isn't heard of")
		return w.loop("heartbeat "+n.Name, n)
	default:
		w.say(n, "isn't ready: %s", ready.Message)
		return w.end(Unready, "")
	}
	return w.end(Unready, "lab node start %s", n.Name)
}
