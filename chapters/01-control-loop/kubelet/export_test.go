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

// Beside reports whether a container that no probe has asked yet is taken for ready
// and for alive, beside another whose probes have said so.
func Beside(ready, alive bool) (isReady, isAlive bool) {
	m := &memory{probes: map[probeKey]*probe{
		{"other", readiness}: {passing: ready}, {"other", liveness}: {passing: alive},
	}}
	c := &corev1.Container{
		Name: "app", ReadinessProbe: &corev1.Probe{}, LivenessProbe: &corev1.Probe{},
	}
	return m.passing(c, readiness, 0), m.passing(c, liveness, 0)
}
