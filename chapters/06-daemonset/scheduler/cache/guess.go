package cache

import (
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler/request"
)

// A container that says nothing is taken to take this much where a score
// compares nodes: otherwise all those would end on the same node. (Kubernetes:
// pkg/scheduler/util/pod_resources.go.)
const (
	GuessedCPU    = 100
	GuessedMemory = 200 << 20
)

// guess returns what a Pod probably takes. may reports of which resources a
// guess may be made.
func guess(spec *corev1.PodSpec, may func(corev1.ResourceName) bool) Amounts {
	var cpu, memory int64
	if may(corev1.ResourceCPU) {
		cpu = GuessedCPU
	}
	if may(corev1.ResourceMemory) {
		memory = GuessedMemory
	}
	return Amounts{
		CPU:    request.Of(spec, corev1.ResourceCPU, cpu),
		Memory: request.Of(spec, corev1.ResourceMemory, memory),
	}
}

// guessForScore makes a guess of the Pod that is being scheduled.
func guessForScore(spec corev1.PodSpec) Amounts {
	spec.Resources = nil // so Kubernetes has it: NewFit in noderesources
	return guess(&spec, func(corev1.ResourceName) bool { return true })
}

// guessOnNode makes a guess of a Pod that is on a node.
func guessOnNode(spec *corev1.PodSpec) Amounts {
	return guess(spec, func(name corev1.ResourceName) bool {
		return !asksAsAWhole(spec) || !isAskedFor(spec, name)
	})
}

// asksAsAWhole reports whether a Pod itself requests something.
func asksAsAWhole(spec *corev1.PodSpec) bool {
	if spec.Resources != nil {
		for name := range spec.Resources.Requests {
			if request.IsOfPods(name) {
				return true
			}
		}
	}
	return false
}

func isAskedFor(spec *corev1.PodSpec, name corev1.ResourceName) bool {
	for _, list := range requestsIn(spec) {
		if _, ok := list[name]; ok {
			return true
		}
	}
	return false
}
