package deployment

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// leastUseful returns the n Pods to delete first. The others say where they are
// crowded: all active Pods that serve the same purpose.
func leastUseful(pods, others []*corev1.Pod, n int) []*corev1.Pod {
	crowd := map[string]int{}
	for _, pod := range others {
		if isActive(pod) {
			crowd[pod.Spec.NodeName]++
		}
	}
	use := func(a, b *corev1.Pod) int { return compareUse(a, b, crowd) }
	least := make([]*corev1.Pod, 0, n+1) // in order
	for _, pod := range pods {
		if len(least) < n || n > 0 && use(pod, least[n-1]) < 0 {
			at, _ := slices.BinarySearchFunc(least, pod, use)
			least = slices.Insert(least, at, pod)
			least = least[:min(n, len(least))]
		}
	}
	return least
}

// compareUse returns a negative number when a is of less use than b. Each line
// is a reason, and decides where those above it do not. (Kubernetes:
// ActivePodsWithRanks in pkg/controller/controller_utils.go.)
//
//book:exercise 2d
func compareUse(a, b *corev1.Pod, crowd map[string]int) int {
	return cmp.Or(
		first(a.Spec.NodeName == "", b.Spec.NodeName == ""),
		cmp.Compare(progress(a), progress(b)),
		first(!controlloop.IsReady(a), !controlloop.IsReady(b)),
		cmp.Compare(deletionCost(a), deletionCost(b)),
		cmp.Compare(crowd[b.Spec.NodeName], crowd[a.Spec.NodeName]),
		latest(readyAt(a), readyAt(b)),
		cmp.Compare(restarts(b), restarts(a)),
		latest(a.CreationTimestamp.Time, b.CreationTimestamp.Time),
		cmp.Compare(a.Name, b.Name),
	)
}
