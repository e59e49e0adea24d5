package statefulset

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// tell notes the step as an event, in Kubernetes' words (recordPodEvent in
// pkg/controller/statefulset/stateful_pod_control.go).
func (s *StatefulSets) tell(
	set *appsv1.StatefulSet, did string, pod *corev1.Pod, err error,
) {
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
