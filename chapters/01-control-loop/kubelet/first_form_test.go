package kubelet

import corev1 "k8s.io/api/core/v1"

// FirstSteps is nextSteps for those who know one thing: what does not run has
// to be started. The page runs it before the form that is right: see
// first_form_run_test.go.
func FirstSteps(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus,
) (start []*corev1.Container) {
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		if actual[c.Name].State.Running == nil {
			start = append(start, c)
		}
	}
	return start
}
