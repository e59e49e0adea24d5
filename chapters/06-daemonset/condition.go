package daemonset

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// UpdatePodCondition returns a copy of a Pod with this condition, or nil if the
// Pod says that already. (Kubernetes: UpdatePodCondition in
// pkg/api/v1/pod/util.go.)
func UpdatePodCondition(pod *corev1.Pod, c corev1.PodCondition) *corev1.Pod {
	c.LastTransitionTime = controlloop.Now()
	was := controlloop.PodCondition(pod, c.Type)
	if was != nil && was.Status == c.Status {
		c.LastTransitionTime = was.LastTransitionTime
		if was.Reason == c.Reason && was.Message == c.Message {
			return nil
		}
	}
	next := controlloop.Copy(pod)
	if was == nil {
		next.Status.Conditions = append(next.Status.Conditions, c)
	} else {
		*controlloop.PodCondition(next, c.Type) = c
	}
	return next
}
