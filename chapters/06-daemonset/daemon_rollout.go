package daemonset

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// rollout is the spec of a set as it is now, the hash of its revision, and what
// follows from both for all nodes alike.
type rollout struct {
	set         *appsv1.DaemonSet
	hash        string // of the revision that new Pods are of
	template    *corev1.PodTemplateSpec
	selector    labels.Selector
	allowsSurge bool // a new Pod is created before the old one is deleted
}

func newRollout(ds *appsv1.DaemonSet, hash string) *rollout {
	r := &rollout{
		set: ds, hash: hash, template: templateFor(ds, hash),
		selector: deployment.SelectorOf(ds.Spec.Selector),
	}
	r.allowsSurge = r.maxSurge(1) > 0
	return r
}

// maxSurge returns on how many of these nodes at once a new Pod may run beside an
// available old one. (Kubernetes: SurgeCount in
// pkg/controller/daemon/util/daemonset_util.go.)
func (r *rollout) maxSurge(nodes int) int {
	update := r.set.Spec.UpdateStrategy
	if !isRolling(r.set) || update.RollingUpdate == nil {
		return 0
	}
	return scaledValue(update.RollingUpdate.MaxSurge, nodes)
}

// maxUnavailable returns on how many of these nodes at once no Pod need be
// available: at least one, or an update without surge would never begin.
func (r *rollout) maxUnavailable(nodes int) int {
	update := r.set.Spec.UpdateStrategy
	if update.RollingUpdate == nil {
		return 1
	}
	return max(1, scaledValue(update.RollingUpdate.MaxUnavailable, nodes))
}

// scaledValue returns a number of nodes, or a percentage of them rounded up. Text
// that is neither was refused when the set was written.
func scaledValue(value *intstr.IntOrString, nodes int) int {
	if value == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, nodes, true)
	if err != nil {
		return 0
	}
	return n
}

// nodePods is a node, and the set's Pods on it.
type nodePods struct {
	node                  *corev1.Node // nil: it does not exist
	shouldRun             bool         // it should run a Pod
	shouldContinueRunning bool         // a Pod on it may stay
	// The Pods that are on the node, or can only be scheduled to it, the first of
	// which counts. A Pod that has ended and is being deleted is left out.
	pods []*corev1.Pod
}

// podsOn sorts the Pods of a node, and says whether it should run one.
func (r *rollout) podsOn(node *corev1.Node, pods []*corev1.Pod) nodePods {
	n := nodePods{node: node}
	if node != nil {
		n.shouldRun, n.shouldContinueRunning =
			nodeShouldRunPod(&r.template.Spec, node)
	}
	for _, pod := range pods {
		if !controlloop.HasEnded(pod) || pod.DeletionTimestamp == nil {
			n.pods = append(n.pods, pod)
		}
	}
	slices.SortFunc(n.pods, byPrecedence)
	return n
}

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

// byPrecedence puts first a Pod that is scheduled, then the older one.
// (Kubernetes: podByCreationTimestampAndPhase.)
func byPrecedence(a, b *corev1.Pod) int {
	unscheduled := func(pod *corev1.Pod) int {
		if pod.Spec.NodeName == "" {
			return 1
		}
		return 0
	}
	return cmp.Or(unscheduled(a)-unscheduled(b),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Name, b.Name))
}

// isUpdated reports whether a Pod is of the newest revision.
func (r *rollout) isUpdated(pod *corev1.Pod) bool {
	return revisionOf(pod) == r.hash
}

// isAvailable reports whether a Pod has been ready for long enough.
func (r *rollout) isAvailable(pod *corev1.Pod) bool {
	wait, ready := deployment.UntilAvailable(pod, r.set.Spec.MinReadySeconds)
	return ready && wait == 0
}

// nextAvailable returns how long it takes until the next Pod of a node becomes
// available by the mere passing of time; 0: none does.
func (r *rollout) nextAvailable(n nodePods) (next time.Duration) {
	for _, pod := range n.pods {
		wait, _ := deployment.UntilAvailable(pod, r.set.Spec.MinReadySeconds)
		next = controlloop.Sooner(next, wait)
	}
	return next
}
