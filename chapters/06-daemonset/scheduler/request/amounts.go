package request

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Amounts are resources: thousandths of a CPU, bytes, bytes, pieces.
type Amounts struct {
	CPU, Memory, Storage int64
	Others               map[corev1.ResourceName]int64
}

// Add adds so many times what another amounts to: 1 or -1.
func (a *Amounts) Add(b *Amounts, times int64) {
	a.CPU += times * b.CPU
	a.Memory += times * b.Memory
	a.Storage += times * b.Storage
	for name, n := range b.Others {
		a.Set(name, a.Others[name]+times*n)
	}
}

// Set sets how many pieces of a resource there are.
func (a *Amounts) Set(name corev1.ResourceName, n int64) {
	if a.Others == nil {
		a.Others = map[corev1.ResourceName]int64{}
	}
	a.Others[name] = n
}

// IsCounted reports whether a resource is one of those that come in pieces.
// (Kubernetes: IsScalarResourceName in pkg/scheduler/util/utils.go.)
func IsCounted(name corev1.ResourceName) bool {
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
