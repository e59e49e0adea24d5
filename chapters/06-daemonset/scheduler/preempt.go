package scheduler

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// sacrifice says which Pods have to leave a node so that another fits.
type sacrifice struct {
	node    *cache.Node
	victims []*cache.PodInfo // the most important first
	broken  int              // how many of them a budget would have kept
}

// preempt looks for a node from which less important Pods can be sent away, and
// says what it found. (Kubernetes: pkg/scheduler/framework/preemption.)
func (s *Scheduler) preempt(c *Cycle, found search, d *decision) (says string) {
	if why := c.mayNotPreempt(found); why != "" {
		return why
	}
	options, said := c.sacrifices(found, s.allBudgets())
	if len(options) == 0 {
		d.nominate = new("")
		return sentence(len(c.List()), said, &Refusal{Reasons: []string{
			"Preemption is not helpful for scheduling"}})
	}
	d.makeRoom = leastBad(options)
	d.nominate = &d.makeRoom.node.Name
	return fmt.Sprintf(
		"found a potential placement for pod on node %s, preempting %d victims",
		d.makeRoom.node.Name, len(d.makeRoom.victims))
}

func (s *Scheduler) allBudgets() (all []*policyv1.PodDisruptionBudget) {
	for _, obj := range s.budgets.List() {
		all = append(all, obj.(*policyv1.PodDisruptionBudget))
	}
	return all
}

// mayNotPreempt says why a Pod sends no other away: it does not want to, or it
// has done so and they have not gone yet.
func (c *Cycle) mayNotPreempt(found search) string {
	policy := c.Pod.Spec.PreemptionPolicy
	if policy != nil && *policy == corev1.PreemptNever {
		return "not eligible due to preemptionPolicy=Never."
	}
	n := c.Node(c.Pod.Status.NominatedNodeName)
	if n == nil || c.isLost(n, found) {
		return ""
	}
	if slices.ContainsFunc(n.Pods, func(d *cache.PodInfo) bool {
		return d.Priority < c.Pod.Priority && isPreempted(d.Pod)
	}) {
		return "not eligible due to a terminating pod on the nominated node."
	}
	return ""
}

// isLost reports whether a node does not take the Pod, whichever others leave
// it.
func (c *Cycle) isLost(n *cache.Node, found search) bool {
	for i := range found.refused {
		if found.refused[i].node == n {
			return found.refused[i].refusal.Final
		}
	}
	return c.others() != nil
}

// isPreempted reports whether a Pod is about to go because another needs its
// place.
func isPreempted(pod *corev1.Pod) bool {
	c := controlloop.PodCondition(pod, corev1.DisruptionTarget)
	return pod.DeletionTimestamp != nil && c != nil &&
		c.Status == corev1.ConditionTrue &&
		c.Reason == corev1.PodReasonPreemptionByScheduler
}

// sacrifices looks at the nodes that would take the Pod if others left, until
// it has found enough of them, one of which at least breaks no budget. It
// returns what each would cost, or what speaks against it.
func (c *Cycle) sacrifices(
	found search, budgets []*policyv1.PodDisruptionBudget,
) (options []sacrifice, said []verdict) {
	nodes := slices.DeleteFunc(slices.Clone(found.refused),
		func(v verdict) bool { return v.refusal.Final })
	enough, kind := max(len(nodes)/10, 100), false
	for _, v := range nodes {
		option, refusal := c.sacrificeOn(v.node, budgets)
		if refusal != nil {
			said = append(said, verdict{v.node, refusal})
			continue
		}
		options = append(options, option)
		kind = kind || option.broken == 0
		if kind && len(options) >= enough {
			break
		}
	}
	return options, said
}

// leastBad returns the node from which others are sent away: where the fewest
// budgets are broken; whose most important victim is the least important; where
// they are the least together; where they are the fewest; where the most
// important have run for the shortest time; the first. (Kubernetes:
// pickOneNodeForPreemption.)
func leastBad(options []sacrifice) *sacrifice {
	best := &options[0]
	for i := range options[1:] {
		if next := &options[i+1]; next.compare(best) < 0 {
			best = next
		}
	}
	return best
}
