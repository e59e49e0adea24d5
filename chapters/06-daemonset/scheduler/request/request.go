package request

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// All returns what a Pod requests of all resources. (Kubernetes: PodRequests in
// k8s.io/component-helpers/resource/helpers.go.)
func All(spec *corev1.PodSpec) Amounts {
	a := Amounts{
		CPU:     Of(spec, corev1.ResourceCPU, 0),
		Memory:  Of(spec, corev1.ResourceMemory, 0),
		Storage: Of(spec, corev1.ResourceEphemeralStorage, 0),
	}
	for _, list := range requestsIn(spec) {
		for name := range list {
			if IsCounted(name) {
				a.Set(name, Of(spec, name, 0))
			}
		}
	}
	return a
}

// A container that says nothing is taken to take this much where a score
// compares nodes: otherwise all those would end on the same node. (Kubernetes:
// pkg/scheduler/util/pod_resources.go.)
const (
	guessedCPU    = 100
	guessedMemory = 200 << 20
)

// Guess returns what a Pod probably takes, for a score that compares nodes.
func Guess(spec *corev1.PodSpec) Amounts {
	containers := *spec
	containers.Resources = nil // so Kubernetes has it: NewFit in noderesources
	return guess(&containers, func(corev1.ResourceName) bool { return true })
}

// GuessOnNode makes a guess of a Pod that is on a node.
func GuessOnNode(spec *corev1.PodSpec) Amounts {
	return guess(spec, func(name corev1.ResourceName) bool {
		return !asksAsAWhole(spec) || !isAskedFor(spec, name)
	})
}

// guess makes a guess of the resources of which it may.
func guess(spec *corev1.PodSpec, may func(corev1.ResourceName) bool) Amounts {
	var cpu, memory int64
	if may(corev1.ResourceCPU) {
		cpu = guessedCPU
	}
	if may(corev1.ResourceMemory) {
		memory = guessedMemory
	}
	return Amounts{
		CPU:    Of(spec, corev1.ResourceCPU, cpu),
		Memory: Of(spec, corev1.ResourceMemory, memory),
	}
}

// Of returns what a Pod requests of one resource: what its containers add
// up to, or what it asks for as a whole; and what running it costs. A container
// that says nothing requests unsaid.
func Of(
	spec *corev1.PodSpec, name corev1.ResourceName, unsaid int64,
) int64 {
	sum := AddUp(spec, func(c *corev1.Container) int64 {
		if quantity, ok := c.Resources.Requests[name]; ok {
			return unitsOf(name, quantity)
		}
		return unsaid
	})
	if spec.Resources != nil && isOfPods(name) {
		if quantity, ok := spec.Resources.Requests[name]; ok {
			sum = unitsOf(name, quantity)
		}
	}
	if quantity, ok := spec.Overhead[name]; ok {
		sum += unitsOf(name, quantity)
	}
	return sum
}

// AddUp returns the most that a Pod needs at any time, where of says what each
// of its containers needs. Init containers run one after the other; a sidecar,
// once begun, runs beside all that follows.
//
//	init 3, sidecar 1, init 2, containers 1 and 1
//	3       1          1+2     1+1+1                the most is 3
//
//book:exercise 6.4
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

// IsSidecar reports whether an init container is restarted always.
func IsSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil &&
		*c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// requestsIn returns all the lists of a Pod in which a resource may be named.
func requestsIn(spec *corev1.PodSpec) []corev1.ResourceList {
	lists := []corev1.ResourceList{spec.Overhead}
	if spec.Resources != nil {
		lists = append(lists, spec.Resources.Requests)
	}
	for i := range spec.InitContainers {
		lists = append(lists, spec.InitContainers[i].Resources.Requests)
	}
	for i := range spec.Containers {
		lists = append(lists, spec.Containers[i].Resources.Requests)
	}
	return lists
}

// asksAsAWhole reports whether a Pod itself requests something.
func asksAsAWhole(spec *corev1.PodSpec) bool {
	if spec.Resources != nil {
		for name := range spec.Resources.Requests {
			if isOfPods(name) {
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

// isOfPods reports whether a Pod as a whole can request a resource.
func isOfPods(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}
