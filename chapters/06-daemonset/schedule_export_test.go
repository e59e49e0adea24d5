package daemonset

import (
	corev1 "k8s.io/api/core/v1"
)

// What only tests may see.
var (
	Tolerates      = tolerates
	Matches        = matches
	Wants          = wants
	AddUp          = addUp
	LeastAllocated = leastAllocated
	BackoffFor     = backoffFor
	EnoughOf       = enoughOf
)

// Requests is what a Pod requests of a resource.
func Requests(pod *corev1.Pod, name corev1.ResourceName) int64 {
	return requestOf(&pod.Spec, name, 0)
}
