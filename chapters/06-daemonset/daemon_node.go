package daemonset

import corev1 "k8s.io/api/core/v1"

// nodeShouldRunPod reports whether a node should run a Pod, and whether a Pod
// that runs on it should continue: a NoSchedule taint evicts no Pod.
// (Kubernetes: NodeShouldRunDaemonPod in
// pkg/controller/daemon/daemon_controller.go.)
func nodeShouldRunPod(
	spec *corev1.PodSpec, node *corev1.Node,
) (shouldRun, shouldContinueRunning bool) {
	if spec.NodeName != "" && spec.NodeName != node.Name || !Wants(spec, node) {
		return false, false
	}
	shouldContinueRunning = Untolerated(
		node, spec.Tolerations, corev1.TaintEffectNoExecute) == nil
	shouldRun = shouldContinueRunning && Untolerated(
		node, spec.Tolerations, corev1.TaintEffectNoSchedule) == nil
	return shouldRun, shouldContinueRunning
}

// podsShouldBeOnNode decides whether a node needs a Pod, and which of its Pods are
// to be deleted: all, if none should continue running; those that have ended; and
// of several that run all but the first. Until a Pod that is being deleted has
// gone, no other is created. (Kubernetes: the same name in
// pkg/controller/daemon/daemon_controller.go.)
//
//book:exercise 6g
func podsShouldBeOnNode(
	n nodePods,
) (needsPod bool, podsToDelete []*corev1.Pod) {
	remaining := notTerminating(n.pods)
	if !n.shouldContinueRunning {
		return false, remaining
	}
	ended, running := split(remaining)
	podsToDelete = append(ended, running[min(1, len(running)):]...)
	return n.shouldRun && len(n.pods) == 0, podsToDelete
}
