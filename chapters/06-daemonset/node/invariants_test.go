package node_test

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/chapters/06-daemonset/node"
	"reconcile/internal/kubetest"
)

// leavesBy returns the Pod that a write tells to go, if it goes for a reason.
func leavesBy(w kubetest.Write, reason string) (*corev1.Pod, bool) {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Old == nil || w.Old.GetDeletionTimestamp() != nil ||
		w.Type != watch.Deleted && pod.DeletionTimestamp == nil ||
		pod.Annotations["by"] == "hand" {
		return nil, false
	}
	return pod, kubetest.Condition(pod, corev1.DisruptionTarget).Reason == reason
}

// span is since when a node has had its taints.
type span struct {
	since  time.Duration
	taints []corev1.Taint
}

// inItsTime: no Pod that goes because of a taint goes before the time that it
// tolerates it is over. The time counts from when the taint was put there, or
// the Pod; under a taint that it does not tolerate at all there is none.
func inItsTime(w kubetest.Write, before []kubetest.Write) error {
	pod, leaves := leavesBy(w, "DeletionByTaintManager")
	if !leaves {
		return nil
	}
	bound, spans := sinceTainted(pod, before)
	if len(spans) == 0 {
		return fmt.Errorf("%s goes, and its node has no taint", pod.Name)
	}
	now := spans[len(spans)-1].taints
	if node.Stay(now, pod.Spec.Tolerations) == 0 {
		return nil
	}
	for _, s := range spans {
		may := node.Stay(s.taints, pod.Spec.Tolerations)
		if may > 0 && w.At-max(s.since, bound) >= may {
			return nil
		}
	}
	return fmt.Errorf("%s goes at %s: it is there since %s, and under %v",
		pod.Name, w.At, bound, spans)
}

// sinceTainted is since when a Pod has been on its node, and what has driven out
// Pods there since the last time that nothing did.
func sinceTainted(
	pod *corev1.Pod, before []kubetest.Write,
) (bound time.Duration, spans []span) {
	bound = -1
	for _, b := range before {
		switch obj := b.Object.(type) {
		case *corev1.Pod:
			if obj.UID == pod.UID && obj.Spec.NodeName != "" && bound < 0 {
				bound = b.At
			}
		case *corev1.Node:
			if obj.Name != pod.Spec.NodeName {
				continue
			}
			taints := evicting(obj)
			if len(taints) == 0 || b.Type == watch.Deleted {
				spans = nil
			} else {
				spans = append(spans, span{b.At, taints})
			}
		}
	}
	return bound, spans
}

func evicting(node *corev1.Node) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(node.Spec.Taints),
		func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectNoExecute })
}

// withinBudget: when one that is ready is evicted, as many stay as there have to
// be. It holds where nobody goes for any other reason.
func withinBudget(w kubetest.Write, before []kubetest.Write) error {
	pod, leaves := leavesBy(w, "EvictionByEvictionAPI")
	if !leaves || !kubetest.Ready(pod) {
		return nil
	}
	desired, ready := 0, map[string]bool{}
	for _, b := range append(slices.Clone(before), w) {
		switch obj := b.Object.(type) {
		case *policyv1.PodDisruptionBudget:
			desired = int(obj.Status.DesiredHealthy)
		case *corev1.Pod:
			delete(ready, obj.Name)
			if b.Type != watch.Deleted && obj.DeletionTimestamp == nil &&
				kubetest.Ready(obj) && obj.Labels["app"] == "web" {
				ready[obj.Name] = true
			}
		}
	}
	if len(ready) < desired {
		return fmt.Errorf("%s is evicted, and of %d stay %d",
			pod.Name, desired, len(ready))
	}
	return nil
}

// paidFor: nothing is spent that a budget does not have, one at a time, and none
// that is ready is evicted before it was paid for.
func paidFor(w kubetest.Write, before []kubetest.Write) error {
	if budget, ok := w.Object.(*policyv1.PodDisruptionBudget); ok && w.Old != nil {
		was := w.Old.(*policyv1.PodDisruptionBudget).Status
		for name := range budget.Status.DisruptedPods {
			if _, known := was.DisruptedPods[name]; !known &&
				budget.Status.DisruptionsAllowed != was.DisruptionsAllowed-1 {
				return fmt.Errorf("%s costs %d of %d", name, was.DisruptionsAllowed-
					budget.Status.DisruptionsAllowed, was.DisruptionsAllowed)
			}
		}
		if budget.Status.DisruptionsAllowed < 0 {
			return fmt.Errorf("%d are allowed", budget.Status.DisruptionsAllowed)
		}
	}
	pod, leaves := leavesBy(w, "EvictionByEvictionAPI")
	if !leaves || !kubetest.Ready(pod) || pod.Labels["app"] != "web" {
		return nil
	}
	for _, b := range slices.Backward(before) {
		if budget, ok := b.Object.(*policyv1.PodDisruptionBudget); ok {
			if _, paid := budget.Status.DisruptedPods[pod.Name]; !paid {
				return fmt.Errorf("%s is evicted, and not paid for", pod.Name)
			}
			return nil
		}
	}
	return fmt.Errorf("there is no budget")
}
