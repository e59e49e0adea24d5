package controlloop

import (
	"iter"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateProbes(at place, c corev1.Container) {
	for name, probe := range probes(c) {
		if probe == nil {
			continue
		}
		at := at.child(name)
		validateHandler(at, probe.ProbeHandler)
		nonnegative(at.child("initialDelaySeconds"), probe.InitialDelaySeconds)
		nonnegative(at.child("timeoutSeconds"), probe.TimeoutSeconds)
		nonnegative(at.child("periodSeconds"), probe.PeriodSeconds)
		nonnegative(at.child("successThreshold"), probe.SuccessThreshold)
		nonnegative(at.child("failureThreshold"), probe.FailureThreshold)
		// Only readiness comes back: a container that failed another probe
		// was restarted.
		if name != "readinessProbe" && probe.SuccessThreshold != 1 {
			at = at.child("successThreshold")
			at.invalid(probe.SuccessThreshold, "must be 1")
		}
	}
}

// validateHandler wants one handler: which of two answers would count?
func validateHandler(at place, h corev1.ProbeHandler) {
	handlers := 0
	first := func(name string) bool {
		if handlers++; handlers > 1 {
			at.child(name).forbidden("may not specify more than 1 handler type")
		}
		return handlers == 1
	}
	if h.Exec != nil && first("exec") {
		at.child("exec").child("command").required(len(h.Exec.Command) > 0)
	}
	if h.HTTPGet != nil && first("httpGet") {
		at := at.child("httpGet")
		at.child("path").required(h.HTTPGet.Path != "")
		validatePort(at.child("port"), h.HTTPGet.Port)
		oneOf(at.child("scheme"), h.HTTPGet.Scheme,
			corev1.URISchemeHTTP, corev1.URISchemeHTTPS)
	}
	if h.TCPSocket != nil && first("tcpSocket") {
		validatePort(at.child("tcpSocket").child("port"), h.TCPSocket.Port)
	}
	if h.GRPC != nil && first("grpc") {
		at.child("grpc").child("port").port(h.GRPC.Port)
	}
	if handlers == 0 {
		at.add(field.Required(at.path, "must specify a handler type"))
	}
}

// validatePort takes a number, or the name of one of the container's ports.
func validatePort(at place, port intstr.IntOrString) {
	if port.Type == intstr.String {
		at.invalid(port.StrVal, validation.IsValidPortName(port.StrVal)...)
	} else {
		at.port(port.IntVal)
	}
}

// forbidProbes: nobody asks an init container how it is, only how it ended.
func forbidProbes(at place, c corev1.Container) {
	for name, probe := range probes(c) {
		if probe != nil {
			at.child(name).forbidden("may not be set for init containers " +
				"without restartPolicy=Always")
		}
	}
}

// probes are those a container may have, by the names of their fields.
func probes(c corev1.Container) iter.Seq2[string, *corev1.Probe] {
	return func(yield func(string, *corev1.Probe) bool) {
		_ = yield("livenessProbe", c.LivenessProbe) &&
			yield("readinessProbe", c.ReadinessProbe) &&
			yield("startupProbe", c.StartupProbe)
	}
}
