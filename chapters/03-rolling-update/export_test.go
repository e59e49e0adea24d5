package rollingupdate

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
)

// These are exported to the tests alone.

var (
	FencePosts = fencePosts
	Grown      = grown
	Assign     = assign
	Target     = target
	Outdated   = outdated
	UntilStuck = untilStuck
	EndpointOf = endpointOf
	IsEndpoint = isEndpoint
	PortsOf    = portsOf
	Chosen     = chosen
)

// Shrink returns the sizes of the old ReplicaSets after all steps.
func Shrink(
	latest *appsv1.ReplicaSet, old []*appsv1.ReplicaSet, atLeast int32,
) []int32 {
	sizes := make([]int32, len(old))
	for i, rs := range old {
		sizes[i] = *rs.Spec.Replicas
	}
	for _, s := range shrink(latest, old, atLeast) {
		sizes[s.set] = s.size
	}
	return sizes
}

// Shares returns the sizes of ReplicaSets after their Deployment was resized.
func Shares(d *appsv1.Deployment, sets []*appsv1.ReplicaSet) []int32 {
	sizes := make([]int32, len(sets))
	for i, rs := range sets {
		sizes[i] = *rs.Spec.Replicas
	}
	for _, s := range shares(d, sets) {
		sizes[s.set] = s.size
	}
	return sizes
}

// Packed returns the slices of a Service that has these for these Pods. A new
// one has its number for a name.
func Packed(
	service *corev1.Service, have []*discoveryv1.EndpointSlice, pods []*corev1.Pod,
) []*discoveryv1.EndpointSlice {
	made := 0
	return pack(have, poolsOf(service, pods), func() *discoveryv1.EndpointSlice {
		s := emptySlice(service)
		made++
		s.Name = fmt.Sprintf("%s-%d-%d", service.Name, len(have), made)
		return s
	})
}
