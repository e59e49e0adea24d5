// Package unsupported lists what a Pod may ask for and cannot have: from one table,
// real containers refuse it by name, and the lab's API server warns of it when
// the Pod is made. It also tells who may not be root.
package unsupported

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// lack is a field that a runtime doesn't act on, and what becomes of a Pod that
// has it, "" for nothing.
type lack[T any] struct {
	field           string
	asked           func(T) bool
	simulated, real string
}

const (
	ignored  = "the simulated runtime ignores it"
	notThere = "real containers of this lab do not have that"
	unknown  = "the kubelet of this lab ignores it"
	noGRPC   = "this lab has no gRPC, and the probe fails"
)

var ofPods = []lack[*corev1.PodSpec]{
	{"hostNetwork", func(s *corev1.PodSpec) bool { return s.HostNetwork }, "", notThere},
	{"hostPID", func(s *corev1.PodSpec) bool { return s.HostPID }, ignored, notThere},
	{"hostIPC", func(s *corev1.PodSpec) bool { return s.HostIPC }, ignored, notThere},
	{"shareProcessNamespace", func(s *corev1.PodSpec) bool {
		return is(s.ShareProcessNamespace)
	}, ignored, notThere},
	{"securityContext.sysctls", func(s *corev1.PodSpec) bool {
		return s.SecurityContext != nil && len(s.SecurityContext.Sysctls) > 0
	}, ignored, notThere},
}

var ofContainers = []lack[*corev1.Container]{
	{"securityContext.privileged", func(c *corev1.Container) bool {
		return c.SecurityContext != nil && is(c.SecurityContext.Privileged)
	}, ignored, notThere},
	{"restartPolicyRules", func(c *corev1.Container) bool {
		return len(c.RestartPolicyRules) > 0
	}, unknown, unknown},
	{"livenessProbe.grpc", func(c *corev1.Container) bool {
		return isGRPC(c.LivenessProbe)
	}, noGRPC, noGRPC},
	{"readinessProbe.grpc", func(c *corev1.Container) bool {
		return isGRPC(c.ReadinessProbe)
	}, noGRPC, noGRPC},
	{"startupProbe.grpc", func(c *corev1.Container) bool {
		return isGRPC(c.StartupProbe)
	}, noGRPC, noGRPC},
}

func is(b *bool) bool { return b != nil && *b }

func isGRPC(p *corev1.Probe) bool { return p != nil && p.GRPC != nil }

// OfPod returns the error of a Pod that real containers refuse as a whole, or nil.
func OfPod(spec *corev1.PodSpec) error { return first(ofPods, spec, "spec.") }

// OfContainer returns the error of a container that they refuse, or nil.
func OfContainer(c *corev1.Container) error { return first(ofContainers, c, "") }

func first[T any](lacks []lack[T], of T, path string) error {
	for _, l := range lacks {
		if l.real == notThere && l.asked(of) {
			return Of(path + l.field)
		}
	}
	return nil
}

// Of returns the error of a field that real containers refuse.
func Of(field string) error { return fmt.Errorf("%s: %s", field, notThere) }

// Warnings says what becomes of what a Pod asks for in vain, field by field; its
// spec is at path.
func Warnings(spec *corev1.PodSpec, path string, real bool) (all []error) {
	all = warnings(ofPods, spec, path, real)
	for i := range spec.InitContainers {
		at := fmt.Sprintf("%s.initContainers[%d]", path, i)
		all = append(all, warnings(ofContainers, &spec.InitContainers[i], at, real)...)
	}
	for i := range spec.Containers {
		at := fmt.Sprintf("%s.containers[%d]", path, i)
		all = append(all, warnings(ofContainers, &spec.Containers[i], at, real)...)
	}
	return all
}

func warnings[T any](lacks []lack[T], of T, path string, real bool) (all []error) {
	for _, l := range lacks {
		why := l.simulated
		if real {
			why = l.real
		}
		if why != "" && l.asked(of) {
			all = append(all, fmt.Errorf("%s.%s: %s", path, l.field, why))
		}
	}
	return all
}
