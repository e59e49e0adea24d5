package kubelet

import corev1 "k8s.io/api/core/v1"

// This is exported to the tests alone.

// Probe returns the verdict of a probe after a row of results.
func Probe(passing bool, spec *corev1.Probe, results ...bool) bool {
	p := &probe{passing: passing}
	for _, ok := range results {
		p.observe(ok, spec)
	}
	return p.passing
}
