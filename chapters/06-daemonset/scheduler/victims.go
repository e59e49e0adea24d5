package scheduler

import (
	"cmp"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

var noVictims = &Refusal{"DefaultPreemption", []string{
	"No preemption victims found for incoming pod"}, true}

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

// byImportance puts the important first, of these those that have run longest.
func byImportance(a, b *cache.PodInfo) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		startOf(a.Pod).Compare(startOf(b.Pod)),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
	)
}

// laterThanAny start: a Pod that has not started yet is the youngest.
var laterThanAny = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// startOf returns since when a Pod runs.
func startOf(pod *corev1.Pod) time.Time {
	if pod.Status.StartTime == nil {
		return laterThanAny
	}
	return pod.Status.StartTime.Time
}

// keptBy returns those whom a budget would keep if all before them left, and
// the others.
func keptBy(
	budgets []*policyv1.PodDisruptionBudget, pods []*cache.PodInfo,
) (kept, others []*cache.PodInfo) {
	allowed := make([]int32, len(budgets))
	selectors := make([]labels.Selector, len(budgets))
	for i, b := range budgets {
		allowed[i] = b.Status.DisruptionsAllowed
		selectors[i] = deployment.SelectorOf(b.Spec.Selector)
	}
	for _, d := range pods {
		isKept := false
		for i, b := range budgets {
			if !isKept && guards(b, selectors[i], d.Pod) {
				allowed[i]--
				isKept = allowed[i] < 0
			}
		}
		if isKept {
			kept = append(kept, d)
		} else {
			others = append(others, d)
		}
	}
	return kept, others
}

// guards reports whether a budget is about a Pod that it does not count as gone
// already.
func guards(
	b *policyv1.PodDisruptionBudget, selector labels.Selector, pod *corev1.Pod,
) bool {
	_, gone := b.Status.DisruptedPods[pod.Name]
	return !gone && b.Namespace == pod.Namespace && len(pod.Labels) > 0 &&
		!selector.Empty() && selector.Matches(labels.Set(pod.Labels))
}

// compare returns less than 0 if a is the lesser evil.
func (a *sacrifice) compare(b *sacrifice) int {
	return cmp.Or(
		cmp.Compare(a.broken, b.broken),
		cmp.Compare(a.victims[0].Priority, b.victims[0].Priority),
		cmp.Compare(a.sum(), b.sum()),
		cmp.Compare(len(a.victims), len(b.victims)),
		b.oldest().Compare(a.oldest()),
		cmp.Compare(a.node.Name, b.node.Name),
	)
}

// sum adds up how important the victims are. Each counts for something, however
// unimportant: two are more than one.
func (s *sacrifice) sum() (sum int64) {
	for _, d := range s.victims {
		sum += int64(d.Priority) + math.MaxInt32 + 1
	}
	return sum
}

// oldest returns since when the first of the most important victims has run.
func (s *sacrifice) oldest() time.Time { return startOf(s.victims[0].Pod) }
