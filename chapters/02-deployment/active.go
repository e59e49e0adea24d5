package deployment

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// isActive reports whether a Pod counts as a replica: it has not ended, and is
// not about to.
func isActive(pod *corev1.Pod) bool {
	return !hasEnded(pod) && pod.DeletionTimestamp == nil
}

func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded ||
		pod.Status.Phase == corev1.PodFailed
}

// readySince returns since when a Pod has been ready.
func readySince(pod *corev1.Pod) (time.Time, bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time, true
		}
	}
	return time.Time{}, false
}

func isReady(pod *corev1.Pod) bool {
	_, ready := readySince(pod)
	return ready
}

// untilAvailable returns how long it takes until a Pod has been ready for
// minReady seconds: 0 when it has, false when it is not ready at all.
func untilAvailable(pod *corev1.Pod, minReady int32) (time.Duration, bool) {
	since, ready := readySince(pod)
	if !ready {
		return 0, false
	}
	wait := time.Duration(minReady) * time.Second
	return max(0, time.Until(since.Add(wait))), true
}

// ofType returns the objects of one type, for caches hold interfaces.
func ofType[T controlloop.Object](objs []controlloop.Object) []T {
	typed := make([]T, 0, len(objs))
	for _, obj := range objs {
		typed = append(typed, obj.(T))
	}
	return typed
}

// byController is the IndexFunc of controlloop.ByOwner: the uid of the object
// that controls obj.
func byController(obj controlloop.Object) []string {
	if owner := metav1.GetControllerOf(obj); owner != nil {
		return []string{string(owner.UID)}
	}
	return nil
}

// Orphans is the index, by namespace, of the objects that no other controls.
const Orphans = "orphans"

func orphans(obj controlloop.Object) []string {
	if metav1.GetControllerOf(obj) == nil {
		return []string{obj.GetNamespace()}
	}
	return nil
}
