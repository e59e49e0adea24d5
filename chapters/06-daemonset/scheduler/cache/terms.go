package cache

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	deployment "reconcile/chapters/02-deployment"
)

// Terms are what a Pod says of the Pods that it wants near, or not near.
// (Kubernetes: the four lists of PodInfo.)
type Terms struct {
	RequiredAffinity, RequiredAntiAffinity   []Term
	PreferredAffinity, PreferredAntiAffinity []Term
}

// isEmpty reports whether a Pod says nothing of others.
func (t *Terms) isEmpty() bool {
	return len(t.RequiredAffinity)+len(t.RequiredAntiAffinity)+
		len(t.PreferredAffinity)+len(t.PreferredAntiAffinity) == 0
}

// Term is one of them: in the same domain as a Pod that it selects.
// (Kubernetes: AffinityTerm.)
type Term struct {
	TopologyKey       string
	Weight            int64 // of a preferred one
	selector          labels.Selector
	namespaces        []string
	namespaceSelector labels.Selector // more namespaces, by their labels
}

func termsOf(pod *corev1.Pod) (t Terms) {
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return t
	}
	if a := affinity.PodAffinity; a != nil {
		t.RequiredAffinity = requiredTerms(
			pod, a.RequiredDuringSchedulingIgnoredDuringExecution)
		t.PreferredAffinity = preferredTerms(
			pod, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := affinity.PodAntiAffinity; a != nil {
		t.RequiredAntiAffinity = requiredTerms(
			pod, a.RequiredDuringSchedulingIgnoredDuringExecution)
		t.PreferredAntiAffinity = preferredTerms(
			pod, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return t
}

func requiredTerms(pod *corev1.Pod, all []corev1.PodAffinityTerm) (terms []Term) {
	for i := range all {
		terms = append(terms, termOf(pod, &all[i], 0))
	}
	return terms
}

func preferredTerms(
	pod *corev1.Pod, all []corev1.WeightedPodAffinityTerm,
) (terms []Term) {
	for i := range all {
		terms = append(terms,
			termOf(pod, &all[i].PodAffinityTerm, int64(all[i].Weight)))
	}
	return terms
}

// termOf parses a term. A selector that cannot be read matches nothing.
func termOf(pod *corev1.Pod, t *corev1.PodAffinityTerm, weight int64) Term {
	parsed := Term{
		TopologyKey: t.TopologyKey, Weight: weight,
		selector:          deployment.SelectorOf(t.LabelSelector),
		namespaces:        t.Namespaces,
		namespaceSelector: deployment.SelectorOf(t.NamespaceSelector),
	}
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		parsed.namespaces = []string{pod.Namespace}
	}
	parsed.selector = WithKeys(
		parsed.selector, pod, t.MatchLabelKeys, selection.In)
	parsed.selector = WithKeys(
		parsed.selector, pod, t.MismatchLabelKeys, selection.NotIn)
	return parsed
}

// WithKeys narrows a selector down to what has the same values as a Pod, or
// others. Which version of a Deployment a Pod is of, for example, is known only
// when it is made. (Kubernetes does this when the Pod is created:
// applyMatchLabelKeysAndMismatchLabelKeys in
// pkg/registry/core/pod/strategy.go.)
func WithKeys(
	selector labels.Selector, pod *corev1.Pod, keys []string, op selection.Operator,
) labels.Selector {
	for _, key := range keys {
		if value, ok := pod.Labels[key]; ok {
			if same, err := labels.NewRequirement(key, op, []string{value}); err == nil {
				selector = selector.Add(*same)
			}
		}
	}
	return selector
}

// Matches reports whether a term is about a Pod.
func (t *Term) Matches(pod *corev1.Pod, all *Nodes) bool {
	if !t.selector.Matches(labels.Set(pod.Labels)) {
		return false
	}
	if slices.Contains(t.namespaces, pod.Namespace) || t.namespaceSelector.Empty() {
		return true
	}
	its, known := all.labelsOf(pod.Namespace)
	return known && t.namespaceSelector.Matches(its)
}
