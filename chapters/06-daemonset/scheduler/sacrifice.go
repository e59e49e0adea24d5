package scheduler

import (
	"slices"

	policyv1 "k8s.io/api/policy/v1"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// sacrificeOn finds the victims on a node: it takes off all Pods that are less
// important and, if the Pod fits then, has spare put back as many as it can. If
// the Pod does not fit, it returns why. (Kubernetes: SelectVictimsOnNode in
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

// spare puts Pods back one after the other, the most important first and those that
// a budget keeps before all others. A Pod beside which the new one does not fit is
// a victim. In the end all are back on the node: it was a question.
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
