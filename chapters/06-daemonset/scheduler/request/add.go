package request

import corev1 "k8s.io/api/core/v1"

// AddUp returns the most that a Pod needs at any time, where of returns what a
// container needs. Init containers run one after the other; a sidecar,
// once begun, runs beside all that follows.
//
//	init 3, sidecar 1, init 2, containers 1 and 1
//	3       1          1+2     1+1+1                the most is 3
//
//book:exercise 6k
func AddUp(spec *corev1.PodSpec, of func(*corev1.Container) int64) int64 {
	var most, sidecars int64
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		most = max(most, sidecars+of(c))
		if IsSidecar(c) {
			sidecars += of(c)
		}
	}
	together := sidecars
	for i := range spec.Containers {
		together += of(&spec.Containers[i])
	}
	return max(most, together)
}
