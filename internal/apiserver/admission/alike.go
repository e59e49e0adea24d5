package admission

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// selectAlike writes into a new Pod's selectors of other Pods the terms that
// they take from its own labels: with matchLabelKeys [pod-template-hash] they
// are those of its own version. (Kubernetes: mutatePodAffinity and
// mutateTopologySpreadConstraints in pkg/registry/core/pod.)
func selectAlike(pod *corev1.Pod) {
	if a := pod.Spec.Affinity.DeepCopy(); a != nil {
		pod.Spec.Affinity = a
		if of := a.PodAffinity; of != nil {
			selectNear(pod.Labels, of.RequiredDuringSchedulingIgnoredDuringExecution,
				of.PreferredDuringSchedulingIgnoredDuringExecution)
		}
		if of := a.PodAntiAffinity; of != nil {
			selectNear(pod.Labels, of.RequiredDuringSchedulingIgnoredDuringExecution,
				of.PreferredDuringSchedulingIgnoredDuringExecution)
		}
	}
	spread := pod.Spec.TopologySpreadConstraints
	pod.Spec.TopologySpreadConstraints = nil
	for _, c := range spread {
		c.LabelSelector = c.LabelSelector.DeepCopy()
		addKeys(c.LabelSelector, metav1.LabelSelectorOpIn, c.MatchLabelKeys, pod.Labels)
		pod.Spec.TopologySpreadConstraints =
			append(pod.Spec.TopologySpreadConstraints, c)
	}
}

func selectNear(
	labels map[string]string, must []corev1.PodAffinityTerm,
	wish []corev1.WeightedPodAffinityTerm,
) {
	add := func(term *corev1.PodAffinityTerm) {
		addKeys(term.LabelSelector, metav1.LabelSelectorOpIn, term.MatchLabelKeys, labels)
		addKeys(term.LabelSelector, metav1.LabelSelectorOpNotIn,
			term.MismatchLabelKeys, labels)
	}
	for i := range must {
		add(&must[i])
	}
	for i := range wish {
		add(&wish[i].PodAffinityTerm)
	}
}

// addKeys adds a term for each key to a selector. A nil selector selects
// nothing, and stays nil.
func addKeys(
	to *metav1.LabelSelector, operator metav1.LabelSelectorOperator,
	keys []string, labels map[string]string,
) {
	if to == nil {
		return
	}
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			to.MatchExpressions = append(to.MatchExpressions,
				metav1.LabelSelectorRequirement{
					Key: key, Operator: operator, Values: []string{value},
				})
		}
	}
}
