// Package request adds up what a Pod takes of a node.
package request

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Of returns what a Pod requests of one resource: what its containers add up to,
// or what it asks for as a whole; and what running it costs. A container that
// says nothing requests unsaid. (Kubernetes: PodRequests in
// k8s.io/component-helpers/resource/helpers.go.)
func Of(spec *corev1.PodSpec, name corev1.ResourceName, unsaid int64) int64 {
	sum := AddUp(spec, func(c *corev1.Container) int64 {
		if quantity, ok := c.Resources.Requests[name]; ok {
			return units(name, quantity)
		}
		return unsaid
	})
	if spec.Resources != nil && IsOfPods(name) {
		if quantity, ok := spec.Resources.Requests[name]; ok {
			sum = units(name, quantity)
		}
	}
	if quantity, ok := spec.Overhead[name]; ok {
		sum += units(name, quantity)
	}
	return sum
}

// IsOfPods reports whether a Pod as a whole can request a resource.
func IsOfPods(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory ||
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// units returns thousandths of a CPU, and of all else how much there is.
func units(name corev1.ResourceName, quantity resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return quantity.MilliValue()
	}
	return quantity.Value()
}

// IsSidecar reports whether an init container is restarted always.
func IsSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil &&
		*c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}
