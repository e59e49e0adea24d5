package scheduler

import (
	"cmp"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

var noVictims = &Refusal{"DefaultPreemption", []string{
	"No preemption victims found for incoming pod"}, true}

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

// compare returns a number below 0 if a costs less than b.
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
