package statefulset

import (
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// tell notes the step as an event, in Kubernetes' words (recordPodEvent in
// pkg/controller/statefulset/stateful_pod_control.go). Of a deletion it tells once.
func (s *StatefulSets) tell(
	set *appsv1.StatefulSet, did string, pod *corev1.Pod, err error,
) {
	if did == "delete" && err == nil && !s.isNews(pod) {
		return
	}
	did = strings.ToUpper(did[:1]) + did[1:]
	if err == nil {
		s.Recorder.Eventf(set, corev1.EventTypeNormal, "Successful"+did,
			"%s Pod %s in StatefulSet %s successful", did, pod.Name, set.Name)
		return
	}
	s.Recorder.Eventf(set, corev1.EventTypeWarning, "Failed"+did,
		"%s Pod %s in StatefulSet %s failed error: %s",
		did, pod.Name, set.Name, err)
}

// deletions holds the uids of Pods whose deletion has been told of, until the cache
// has them no more. Where the API is in this process, a set's own status often brings
// the set back before the cache has heard of the deletion. Without deletions, the event
// would then say that two Pods had gone.
type deletions struct {
	mu   sync.Mutex
	told map[types.UID]bool
}

// isNews reports whether a deletion has not been told of yet.
func (s *StatefulSets) isNews(pod *corev1.Pod) bool {
	s.deletions.mu.Lock()
	defer s.deletions.mu.Unlock()
	if s.deletions.told[pod.UID] {
		return false
	}
	// One that has left the cache meanwhile would never be forgotten.
	if now, ok := s.Pods.Get(controlloop.KeyOf(pod)); ok && now.GetUID() == pod.UID {
		s.deletions.told[pod.UID] = true
	}
	return true
}

// replaced forgets a Pod in whose place the cache has another.
func (s *StatefulSets) replaced(old, pod controlloop.Object) {
	if old.GetUID() != pod.GetUID() {
		s.forget(old)
	}
}

func (s *StatefulSets) forget(pod controlloop.Object) {
	s.deletions.mu.Lock()
	defer s.deletions.mu.Unlock()
	delete(s.deletions.told, pod.GetUID())
}
