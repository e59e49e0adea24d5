package statefulset

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// newPod returns the Pod of an ordinal, of one version of the set's
// template: with its name, a host name that is the same, and a place
// below the set's Service.
func newPod(set *appsv1.StatefulSet, v Version, ordinal int) *corev1.Pod {
	pod := controlloop.PodFrom(v.Template, set, StatefulSetKind)
	pod.Name = nameOf(set, ordinal)
	pod.Spec.Hostname = pod.Name
	pod.Spec.Subdomain = set.Spec.ServiceName
	identify(pod, ordinal)
	if v.Revision != "" {
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = v.Revision
	}
	return pod
}

// identify puts on a Pod the labels by which one of many can be selected.
func identify(pod *corev1.Pod, ordinal int) {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[appsv1.StatefulSetPodNameLabel] = pod.Name
	pod.Labels[appsv1.PodIndexLabel] = strconv.Itoa(ordinal)
}

// isIdentified reports whether a Pod can still be selected by its name.
func isIdentified(pod *corev1.Pod) bool {
	return pod.Labels[appsv1.StatefulSetPodNameLabel] == pod.Name
}
