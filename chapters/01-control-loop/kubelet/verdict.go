package kubelet

import (
	corev1 "k8s.io/api/core/v1"
)

// observe counts one more result. A probe changes its mind only when enough in
// a row say so.
//
//book:exercise 1k
func (p *probe) observe(ok bool, spec *corev1.Probe) {
	if ok {
		p.successes, p.failures = p.successes+1, 0
	} else {
		p.successes, p.failures = 0, p.failures+1
	}
	switch {
	case p.successes >= spec.SuccessThreshold:
		p.passing = true
	case p.failures >= spec.FailureThreshold:
		p.passing = false
	}
}

// passing reports the verdict on an attempt of a container. It is good if there
// is no probe; before the first result, only a liveness probe's is good.
//
//book:exercise 1k
func (m *memory) passing(
	c *corev1.Container, kind probeKind, attempt int32,
) bool {
	if specOf(c, kind) == nil {
		return true
	}
	p := m.probes[probeKey{c.Name, kind}]
	if p == nil || p.attempt != attempt {
		return kind == liveness
	}
	return p.passing
}
