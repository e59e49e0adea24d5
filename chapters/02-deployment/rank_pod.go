package deployment

import (
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// first puts the one for which it is true before the other.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// latest puts the later before the earlier: a new Pod has done least yet.
func latest(a, b time.Time) int { return b.Compare(a) }

func progress(pod *corev1.Pod) int {
	order := []corev1.PodPhase{
		corev1.PodPending, corev1.PodUnknown, corev1.PodRunning,
	}
	return slices.Index(order, pod.Status.Phase)
}

func readyAt(pod *corev1.Pod) time.Time {
	since, _ := readySince(pod)
	return since
}

// restarts returns the count of the container that has most.
func restarts(pod *corev1.Pod) (most int32) {
	for _, c := range pod.Status.ContainerStatuses {
		most = max(most, c.RestartCount)
	}
	return most
}

// deletionCost returns the cost of losing a Pod, as its annotation states it.
func deletionCost(pod *corev1.Pod) int64 {
	text, given := pod.Annotations[corev1.PodDeletionCost]
	if !given {
		return 0 // as nearly always, and an error would cost more than all else
	}
	cost, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return cost
}
