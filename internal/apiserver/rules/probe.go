package rules

import (
	"iter"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkProbes(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, probe := range probes(c) {
		at := path.Child(name)
		errs = append(errs, slices.Concat(
			checkHandler(&probe.ProbeHandler, at),
			nonnegative(probe.InitialDelaySeconds, at.Child("initialDelaySeconds")),
			nonnegative(probe.TimeoutSeconds, at.Child("timeoutSeconds")),
			nonnegative(probe.PeriodSeconds, at.Child("periodSeconds")),
			nonnegative(probe.SuccessThreshold, at.Child("successThreshold")),
			nonnegative(probe.FailureThreshold, at.Child("failureThreshold")))...)
		// Only readiness comes back: a container that failed another probe
		// was restarted.
		if name != "readinessProbe" && probe.SuccessThreshold != 1 {
			errs = append(errs, field.Invalid(at.Child("successThreshold"),
				probe.SuccessThreshold, "must be 1"))
		}
	}
	return errs
}

// checkHandler wants one handler: which of two answers would count?
func checkHandler(h *corev1.ProbeHandler, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	found := 0
	handler := func(name string, given bool, check func(at *field.Path) field.ErrorList) {
		switch {
		case !given:
			return
		case found > 0:
			errs = append(errs, field.Forbidden(
				path.Child(name), "may not specify more than 1 handler type"))
		default:
			errs = append(errs, check(path.Child(name))...)
		}
		found++
	}
	handler("exec", h.Exec != nil, func(at *field.Path) field.ErrorList {
		if len(h.Exec.Command) == 0 {
			return field.ErrorList{field.Required(at.Child("command"), "")}
		}
		return nil
	})
	handler("httpGet", h.HTTPGet != nil, func(at *field.Path) field.ErrorList {
		return checkHTTPGet(h.HTTPGet, at)
	})
	handler("tcpSocket", h.TCPSocket != nil, func(at *field.Path) field.ErrorList {
		return checkTarget(h.TCPSocket.Port, at.Child("port"))
	})
	handler("grpc", h.GRPC != nil, func(at *field.Path) field.ErrorList {
		return checkPort(h.GRPC.Port, at.Child("port"))
	})
	if found == 0 {
		return field.ErrorList{field.Required(path, "must specify a handler type")}
	}
	return errs
}

func checkHTTPGet(get *corev1.HTTPGetAction, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if get.Path == "" {
		errs = append(errs, field.Required(path.Child("path"), ""))
	}
	return slices.Concat(errs,
		checkTarget(get.Port, path.Child("port")),
		oneOf(get.Scheme, path.Child("scheme"),
			corev1.URISchemeHTTP, corev1.URISchemeHTTPS))
}

func forbidProbes(c *corev1.Container, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name := range probes(c) {
		errs = append(errs, field.Forbidden(path.Child(name), "may not be set for "+
			"init containers without restartPolicy=Always"))
	}
	return errs
}

// probes yields those that a container has, by the names of their fields.
func probes(c *corev1.Container) iter.Seq2[string, *corev1.Probe] {
	return func(yield func(string, *corev1.Probe) bool) {
		for _, probe := range []struct {
			name string
			*corev1.Probe
		}{
			{"livenessProbe", c.LivenessProbe},
			{"readinessProbe", c.ReadinessProbe},
			{"startupProbe", c.StartupProbe},
		} {
			if probe.Probe != nil && !yield(probe.name, probe.Probe) {
				return
			}
		}
	}
}
