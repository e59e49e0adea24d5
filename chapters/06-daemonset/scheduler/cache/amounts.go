package cache

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler/request"
)

// Amounts are resources: thousandths of a CPU, bytes, bytes, pieces.
type Amounts struct {
	CPU, Memory, Storage int64
	Others               map[corev1.ResourceName]int64
}

// add adds so many times what another amounts to: 1 or -1.
func (a *Amounts) add(b *Amounts, times int64) {
	a.CPU += times * b.CPU
	a.Memory += times * b.Memory
	a.Storage += times * b.Storage
	for name, n := range b.Others {
		a.set(name, a.Others[name]+times*n)
	}
}

func (a *Amounts) set(name corev1.ResourceName, n int64) {
	if a.Others == nil {
		a.Others = map[corev1.ResourceName]int64{}
	}
	a.Others[name] = n
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

// requestsOf returns what a Pod requests of all resources.
func requestsOf(spec *corev1.PodSpec) Amounts {
	a := Amounts{
		CPU:     request.Of(spec, corev1.ResourceCPU, 0),
		Memory:  request.Of(spec, corev1.ResourceMemory, 0),
		Storage: request.Of(spec, corev1.ResourceEphemeralStorage, 0),
	}
	for _, list := range requestsIn(spec) {
		for name := range list {
			if isCounted(name) {
				a.set(name, request.Of(spec, name, 0))
			}
		}
	}
	return a
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
