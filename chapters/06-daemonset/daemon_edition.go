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

// edition is what the nodes of a set are looked at by: its spec as it is now,
// and what follows from that for all nodes alike.
type edition struct {
	set      *appsv1.DaemonSet
	hash     string // of the revision that new Pods are of
	template *corev1.PodTemplateSpec
	selector labels.Selector
	surges   bool // a new Pod may come before the old one has gone
}

func newEdition(ds *appsv1.DaemonSet, hash string) *edition {
	e := &edition{
		set: ds, hash: hash, template: templateFor(ds, hash),
		selector: deployment.SelectorOf(ds.Spec.Selector),
	}
	e.surges = e.maxSurge(1) > 0
	return e
}

// maxSurge returns on how many nodes at once a new Pod may be beside an old one
// that works; of so many nodes in all.
func (e *edition) maxSurge(nodes int) int {
	update := e.set.Spec.UpdateStrategy
	if !isRolling(e.set) || update.RollingUpdate == nil {
		return 0
	}
	return shareOf(update.RollingUpdate.MaxSurge, nodes)
}

// maxUnavailable returns on how many nodes at once the Pod may be missing. With
// neither surge nor this nothing would ever move.
func (e *edition) maxUnavailable(nodes int) int {
	update := e.set.Spec.UpdateStrategy
	if update.RollingUpdate == nil {
		return 1
	}
	return max(1, shareOf(update.RollingUpdate.MaxUnavailable, nodes))
}

// shareOf returns a number of nodes, or a share of them rounded up. Text that
// is neither was refused when the set was written.
func shareOf(part *intstr.IntOrString, nodes int) int {
	if part == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(part, nodes, true)
	if err != nil {
		return 0
	}
	return n
}

// spot is what there is to know of one node.
type spot struct {
	node  *corev1.Node // nil: there is none
	meant bool         // a Pod is to be here
	stays bool         // one that is here may stay
	// Those of the set that are here, or are to come here, the first of which
	// counts. One that has ended and is told to go belongs to none any more.
	pods []*corev1.Pod
}

// spotOf says what there is to know of a node.
func (e *edition) spotOf(node *corev1.Node, pods []*corev1.Pod) spot {
	p := spot{node: node}
	if node != nil {
		p.meant, p.stays = meant(&e.template.Spec, node)
	}
	for _, pod := range pods {
		if !controlloop.HasEnded(pod) || pod.DeletionTimestamp == nil {
			p.pods = append(p.pods, pod)
		}
	}
	slices.SortFunc(p.pods, byPrecedence)
	return p
}

// meant reports whether a node is one of those that a Pod is for, and whether a
// Pod that is there may stay: taints that only keep others away do not drive
// out a Pod that is there. (Kubernetes: NodeShouldRunDaemonPod.)
func meant(
	spec *corev1.PodSpec, node *corev1.Node,
) (meant, stays bool) {
	if spec.NodeName != "" && spec.NodeName != node.Name || !Wants(spec, node) {
		return false, false
	}
	stays = Untolerated(
		node, spec.Tolerations, corev1.TaintEffectNoExecute) == nil
	return stays && Untolerated(
		node, spec.Tolerations, corev1.TaintEffectNoSchedule) == nil, stays
}

// byPrecedence puts first a Pod that is on the node already, then the older
// one.
func byPrecedence(a, b *corev1.Pod) int {
	waits := func(pod *corev1.Pod) int {
		if pod.Spec.NodeName == "" {
			return 1
		}
		return 0
	}
	return cmp.Or(waits(a)-waits(b),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Name, b.Name))
}

// isUpdated reports whether a Pod is of the newest revision.
func (e *edition) isUpdated(pod *corev1.Pod) bool {
	return revisionOf(pod) == e.hash
}

// isAvailable reports whether a Pod has been ready for long enough.
func (e *edition) isAvailable(pod *corev1.Pod) bool {
	wait, ready := deployment.UntilAvailable(pod, e.set.Spec.MinReadySeconds)
	return ready && wait == 0
}

// ripens returns when the next Pod of a node becomes available by the mere
// passing of time; 0: none does.
func (e *edition) ripens(p spot) (next time.Duration) {
	for _, pod := range p.pods {
		wait, _ := deployment.UntilAvailable(pod, e.set.Spec.MinReadySeconds)
		next = controlloop.Sooner(next, wait)
	}
	return next
}
