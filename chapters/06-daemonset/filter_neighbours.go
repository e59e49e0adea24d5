package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	deployment "reconcile/chapters/02-deployment"
)

// affinityTerms are what a Pod says of the Pods that it wants near, or not.
type affinityTerms struct {
	near, apart             []term // required
	ratherNear, ratherApart []term // preferred
}

func (t *affinityTerms) any() bool {
	return len(t.near)+len(t.apart)+len(t.ratherNear)+len(t.ratherApart) > 0
}

// term is one of them: in the same domain as a Pod of which this is true.
type term struct {
	topology   string // the key of the label that says which domain it is
	labels     labels.Selector
	namespaces []string
	among      labels.Selector // more namespaces, by their labels
	weight     int64
}

func affinityTermsOf(pod *corev1.Pod) (t affinityTerms) {
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return t
	}
	if a := affinity.PodAffinity; a != nil {
		t.near = requiredTerms(
			pod, a.RequiredDuringSchedulingIgnoredDuringExecution)
		t.ratherNear = preferredTerms(
			pod, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := affinity.PodAntiAffinity; a != nil {
		t.apart = requiredTerms(
			pod, a.RequiredDuringSchedulingIgnoredDuringExecution)
		t.ratherApart = preferredTerms(
			pod, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return t
}

func requiredTerms(pod *corev1.Pod, all []corev1.PodAffinityTerm) (terms []term) {
	for i := range all {
		terms = append(terms, termOf(pod, &all[i], 0))
	}
	return terms
}

func preferredTerms(
	pod *corev1.Pod, all []corev1.WeightedPodAffinityTerm,
) (terms []term) {
	for i := range all {
		terms = append(terms,
			termOf(pod, &all[i].PodAffinityTerm, int64(all[i].Weight)))
	}
	return terms
}

// termOf parses a term. A selector that cannot be read is true of nothing.
func termOf(pod *corev1.Pod, t *corev1.PodAffinityTerm, weight int64) term {
	parsed := term{
		topology: t.TopologyKey, labels: deployment.SelectorOf(t.LabelSelector),
		namespaces: t.Namespaces, among: deployment.SelectorOf(t.NamespaceSelector),
		weight: weight,
	}
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		parsed.namespaces = []string{pod.Namespace}
	}
	parsed.labels = withKeys(
		parsed.labels, pod, t.MatchLabelKeys, selection.In)
	parsed.labels = withKeys(
		parsed.labels, pod, t.MismatchLabelKeys, selection.NotIn)
	return parsed
}

// withKeys narrows a selector down to what has the same values as a Pod, or
// others. Which version of a Deployment a Pod is of, for example, is known only
// when it is made. (Kubernetes does this when the Pod is created:
// applyMatchLabelKeysAndMismatchLabelKeys in pkg/registry/core/pod/strategy.go.)
func withKeys(
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

// means reports whether a term is about a Pod.
func (t *term) means(pod *corev1.Pod, all *Nodes) bool {
	if !t.labels.Matches(labels.Set(pod.Labels)) {
		return false
	}
	if slices.Contains(t.namespaces, pod.Namespace) || t.among.Empty() {
		return true
	}
	its, known := all.labelsOf(pod.Namespace)
	return known && t.among.Matches(its)
}

// domain is all nodes that have this value of this label.
type domain struct{ topology, value string }

// neighbours counts, by domain, the Pods that matter to the one whose turn it
// is.
type neighbours struct {
	wanted   map[domain]int // of whom all of its terms are true
	unwanted map[domain]int // of whom a term is true that wants them apart
	averse   map[domain]int // that want it apart
}

// aboutNeighbours counts those that matter. If the Pod says nothing of others,
// these are only the ones that say something themselves.
func aboutNeighbours(c *Cycle) (bool, *Refusal) {
	terms := &c.pod.terms
	says := len(terms.near)+len(terms.apart) > 0
	if !says && c.choosy == 0 {
		return false, nil
	}
	c.near = &neighbours{map[domain]int{}, map[domain]int{}, map[domain]int{}}
	for _, n := range c.List() {
		pods := n.choosy
		if says {
			pods = n.pods
		}
		for _, d := range pods {
			c.countNeighbour(n, d, 1)
		}
	}
	return says || len(c.near.averse) > 0, nil
}

// countNeighbour counts a Pod that comes to a node, or leaves it.
func (c *Cycle) countNeighbour(n *Node, d *demand, by int) {
	count := func(in map[domain]int, t *term) {
		if value, ok := n.Labels[t.topology]; ok {
			in[domain{t.topology, value}] += by
		}
	}
	for i := range d.terms.apart {
		if t := &d.terms.apart[i]; t.means(c.pod.Pod, c.Nodes) {
			count(c.near.averse, t)
		}
	}
	if c.areTrue(d) {
		for i := range c.pod.terms.near {
			count(c.near.wanted, &c.pod.terms.near[i])
		}
	}
	for i := range c.pod.terms.apart {
		if t := &c.pod.terms.apart[i]; t.means(d.Pod, c.Nodes) {
			count(c.near.unwanted, t)
		}
	}
}

// areTrue reports whether all that the Pod wants to be near is true of another.
func (c *Cycle) areTrue(other *demand) bool {
	for i := range c.pod.terms.near {
		if !c.pod.terms.near[i].means(other.Pod, c.Nodes) {
			return false
		}
	}
	return len(c.pod.terms.near) > 0
}

var (
	alone = &Refusal{"InterPodAffinity", []string{
		"node(s) didn't match pod affinity rules"}, true}
	tooNear = &Refusal{"InterPodAffinity", []string{
		"node(s) didn't match pod anti-affinity rules"}, false}
	unwelcome = &Refusal{"InterPodAffinity", []string{
		"node(s) didn't satisfy existing pods anti-affinity rules"}, false}
)

// nodeNeighbours refuses where a Pod that is wanted is missing, and where one is
// that is not wanted, or does not want this one. (Kubernetes:
// plugins/interpodaffinity/filtering.go.)
func nodeNeighbours(c *Cycle, n *Node) *Refusal {
	switch {
	case c.near == nil:
		return nil
	case !c.isNear(n):
		return alone
	case c.isTooNear(n):
		return tooNear
	case c.isUnwelcome(n):
		return unwelcome
	}
	return nil
}

// isNear reports whether those that a Pod wants are in the domains of a node.
// The first of a group would wait for the others for good, and they for it: it
// may go anywhere if it is one of those that it wants.
func (c *Cycle) isNear(n *Node) bool {
	near := true
	for i := range c.pod.terms.near {
		t := &c.pod.terms.near[i]
		value, ok := n.Labels[t.topology]
		if !ok {
			return false
		}
		near = near && c.near.wanted[domain{t.topology, value}] > 0
	}
	return near || !anyAbove(c.near.wanted) && c.areTrue(c.pod)
}

func anyAbove(counts map[domain]int) bool {
	for _, n := range counts {
		if n > 0 {
			return true
		}
	}
	return false
}

func (c *Cycle) isTooNear(n *Node) bool {
	for i := range c.pod.terms.apart {
		t := &c.pod.terms.apart[i]
		value, ok := n.Labels[t.topology]
		if ok && c.near.unwanted[domain{t.topology, value}] > 0 {
			return true
		}
	}
	return false
}

func (c *Cycle) isUnwelcome(n *Node) bool {
	if len(c.near.averse) == 0 {
		return false
	}
	for key, value := range n.Labels {
		if c.near.averse[domain{key, value}] > 0 {
			return true
		}
	}
	return false
}

// movesNeighbour: one that is wanted has come, one that is not has left, or the
// domains are others.
func movesNeighbour(all *Nodes, d *demand, e *event) bool {
	c := &Cycle{Nodes: all, pod: d}
	switch {
	case e.came != nil && c.areTrue(e.came):
		return true
	case e.left != nil:
		return means(d.terms.apart, e.left.Pod, all) ||
			means(e.left.terms.apart, d.Pod, all)
	}
	return e.isNewNode() || e.isRelabelled()
}

// means reports whether one of the terms is about a Pod.
func means(terms []term, pod *corev1.Pod, all *Nodes) bool {
	return slices.ContainsFunc(terms,
		func(t term) bool { return t.means(pod, all) })
}
