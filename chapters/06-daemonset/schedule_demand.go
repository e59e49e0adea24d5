package daemonset

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// demand is a Pod with what it asks of a node, worked out once: a scheduler
// compares it with thousands of nodes.
type demand struct {
	*corev1.Pod
	priority int32
	takes    amounts // what it requests
	guess    amounts // as takes, for scores: who says nothing takes something
	counted  amounts // as guess, once it is on a node
	ports    []hostPort
	terms    affinityTerms
	leaving  bool   // it is about to go
	node     string // on which it is counted
}

func demandOf(pod *corev1.Pod) *demand {
	d := &demand{
		Pod: pod, takes: requestsOf(&pod.Spec), ports: hostPortsOf(pod),
		leaving: pod.DeletionTimestamp != nil,
	}
	if pod.Spec.Priority != nil {
		d.priority = *pod.Spec.Priority
	}
	containers := pod.Spec
	containers.Resources = nil // Kubernetes forgets here what it asks for as a whole
	d.guess = guessOf(&containers, func(corev1.ResourceName) bool { return true })
	d.counted = guessOf(&pod.Spec, func(name corev1.ResourceName) bool {
		return !asksAsAWhole(&pod.Spec) || !isAskedFor(&pod.Spec, name)
	})
	d.terms = affinityTermsOf(pod)
	return d
}

// isAssumed reports whether a Pod is counted on a node of which it was not yet
// heard that it has it.
func (d *demand) isAssumed() bool { return d.Spec.NodeName == "" }

// amounts are resources: thousandths of a CPU, bytes, bytes, pieces.
type amounts struct {
	cpu, memory, storage int64
	others               map[corev1.ResourceName]int64
}

// add adds so many times what another amounts to: 1 or -1.
func (a *amounts) add(b *amounts, times int64) {
	a.cpu += times * b.cpu
	a.memory += times * b.memory
	a.storage += times * b.storage
	for name, n := range b.others {
		if a.others == nil {
			a.others = map[corev1.ResourceName]int64{}
		}
		a.others[name] += times * n
	}
}

// requestsOf is what a Pod requests. (Kubernetes: PodRequests in
// k8s.io/component-helpers/resource/helpers.go.)
func requestsOf(spec *corev1.PodSpec) amounts {
	a := amounts{
		cpu:     requestOf(spec, corev1.ResourceCPU, 0),
		memory:  requestOf(spec, corev1.ResourceMemory, 0),
		storage: requestOf(spec, corev1.ResourceEphemeralStorage, 0),
	}
	for _, list := range requestsIn(spec) {
		for name := range list {
			if isCounted(name) {
				if a.others == nil {
					a.others = map[corev1.ResourceName]int64{}
				}
				a.others[name] = requestOf(spec, name, 0)
			}
		}
	}
	return a
}

// What a container that says nothing is taken to take, where a score compares
// nodes: else all those that say nothing would end on the same one.
// (Kubernetes: pkg/scheduler/util/pod_resources.go.)
const (
	guessedCPU    = 100
	guessedMemory = 200 << 20
)

// guessOf is what a Pod probably takes. Of which resources it is guessed, may
// says.
func guessOf(
	spec *corev1.PodSpec, may func(corev1.ResourceName) bool,
) (guess amounts) {
	var cpu, memory int64
	if may(corev1.ResourceCPU) {
		cpu = guessedCPU
	}
	if may(corev1.ResourceMemory) {
		memory = guessedMemory
	}
	return amounts{
		cpu:    requestOf(spec, corev1.ResourceCPU, cpu),
		memory: requestOf(spec, corev1.ResourceMemory, memory),
	}
}

// requestOf is what a Pod requests of one resource: what its containers add up
// to, or what it asks for as a whole; and what running it costs.
func requestOf(
	spec *corev1.PodSpec, name corev1.ResourceName, unsaid int64,
) int64 {
	sum := addUp(spec, func(c *corev1.Container) int64 {
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

// addUp returns the most that a Pod needs at any time, where of says what each
// of its containers needs. Init containers run one after the other; a sidecar,
// once begun, runs beside all that follows.
//
//	init 3, sidecar 1, init 2, containers 1 and 1
//	3       1          1+2     1+1+1                the most is 3
//
//book:exercise 6.4
func addUp(spec *corev1.PodSpec, of func(*corev1.Container) int64) int64 {
	var most, sidecars int64
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		most = max(most, sidecars+of(c))
		if isSidecar(c) {
			sidecars += of(c)
		}
	}
	together := sidecars
	for i := range spec.Containers {
		together += of(&spec.Containers[i])
	}
	return max(most, together)
}

func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil &&
		*c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// requestsIn are all the lists of a Pod in which a resource may be named.
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

// isCounted reports whether a resource is one of those that come in pieces.
// (Kubernetes: IsScalarResourceName in pkg/scheduler/util/utils.go.)
func isCounted(name corev1.ResourceName) bool {
	s := string(name)
	return strings.HasPrefix(s, corev1.ResourceHugePagesPrefix) ||
		strings.HasPrefix(s, corev1.ResourceAttachableVolumesPrefix) ||
		strings.Contains(s, "/") &&
			!strings.HasPrefix(s, corev1.DefaultResourceRequestsPrefix)
}

func unitsOf(name corev1.ResourceName, quantity resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return quantity.MilliValue()
	}
	return quantity.Value()
}
