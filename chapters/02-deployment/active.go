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
	return !controlloop.HasEnded(pod) && pod.DeletionTimestamp == nil
}

// readySince returns since when a Pod has been ready.
func readySince(pod *corev1.Pod) (time.Time, bool) {
	c := controlloop.PodCondition(pod, corev1.PodReady)
	if c == nil || c.Status != corev1.ConditionTrue {
		return time.Time{}, false
	}
	return c.LastTransitionTime.Time, true
}

// UntilAvailable returns how long it takes until a Pod has been ready for
// minReady seconds: 0 when it has, false when it is not ready at all.
func UntilAvailable(pod *corev1.Pod, minReady int32) (time.Duration, bool) {
	since, ready := readySince(pod)
	if !ready || minReady == 0 {
		return 0, ready
	}
	wait := time.Duration(minReady) * time.Second
	return max(0, time.Until(since.Add(wait))), true
}

// OfType returns objects, which a cache holds as interfaces, by their type.
func OfType[T controlloop.Object](objs []controlloop.Object) []T {
	typed := make([]T, 0, len(objs))
	for _, obj := range objs {
		typed = append(typed, obj.(T))
	}
	return typed
}

// Orphans is the index, by namespace, of the objects that have no controller.
const Orphans = "orphans"

// OrphanIn returns the namespace of an obj that has no controller; it is the
// IndexFunc of Orphans.
func OrphanIn(obj controlloop.Object) []string {
	if metav1.GetControllerOfNoCopy(obj) == nil {
		return []string{obj.GetNamespace()}
	}
	return nil
}
