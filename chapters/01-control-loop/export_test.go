package controlloop

import corev1 "k8s.io/api/core/v1"

// What only the tests may see.

// PlanFor returns how many Pods to create, and which to delete.
func PlanFor(
	rc *corev1.ReplicationController, pods []*corev1.Pod,
) (create int, remove []*corev1.Pod) {
	p := planFor(rc, pods)
	return p.create, p.remove
}

// Probe is the verdict of a probe after a row of results.
func Probe(passing bool, spec *corev1.Probe, results ...bool) bool {
	p := &probe{passing: passing}
	for _, ok := range results {
		p.observe(ok, spec)
	}
	return p.passing
}
