package scheduler

import (
	"slices"

	policyv1 "k8s.io/api/policy/v1"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// sacrificeOn finds which Pods have to leave a node: all that are less
// important leave; if the Pod fits then, one after the other comes back, the
// most important first, and stays if the Pod still fits. Those that a budget
// keeps come back before all others. (Kubernetes: SelectVictimsOnNode in
// plugins/defaultpreemption/default_preemption.go.)
func (c *Cycle) sacrificeOn(
	n *cache.Node, budgets []*policyv1.PodDisruptionBudget,
) (sacrifice, *Refusal) {
	var weaker []*cache.PodInfo
	for _, d := range n.Pods {
		if d.Priority < c.Pod.Priority {
			weaker = append(weaker, d)
		}
	}
	if len(weaker) == 0 {
		return sacrifice{}, noVictims
	}
	slices.SortFunc(weaker, byImportance)
	for _, d := range weaker {
		c.leave(n, d)
	}
	if r := c.refusal(n); r != nil {
		for _, d := range weaker {
			c.come(n, d)
		}
		return sacrifice{}, r
	}
	return c.spare(n, weaker, budgets), nil
}

// spare lets those come back that can. In the end all are back: it was a
// question.
func (c *Cycle) spare(
	n *cache.Node, weaker []*cache.PodInfo, budgets []*policyv1.PodDisruptionBudget,
) sacrifice {
	s := sacrifice{node: n}
	kept, others := keptBy(budgets, weaker)
	for i, d := range slices.Concat(kept, others) {
		c.come(n, d)
		if c.refusal(n) == nil {
			continue
		}
		c.leave(n, d)
		s.victims = append(s.victims, d)
		if i < len(kept) {
			s.broken++
		}
	}
	for _, d := range s.victims {
		c.come(n, d)
	}
	slices.SortFunc(s.victims, byImportance)
	return s
}
