package rules

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkLifecycle(
	spec *corev1.PodSpec, c *corev1.Container, path *field.Path,
) field.ErrorList {
	if c.Lifecycle == nil {
		return nil
	}
	grace := spec.TerminationGracePeriodSeconds
	return append(checkHook(c.Lifecycle.PostStart, grace, path.Child("postStart")),
		checkHook(c.Lifecycle.PreStop, grace, path.Child("preStop"))...)
}

// checkHook wants one handler, as of a probe; it may also be to sleep, for less
// than the Pod is given to end.
func checkHook(h *corev1.LifecycleHandler, grace *int64, path *field.Path) field.ErrorList {
	if h == nil {
		return nil
	}
	as := corev1.ProbeHandler{Exec: h.Exec, HTTPGet: h.HTTPGet, TCPSocket: h.TCPSocket}
	if get := h.HTTPGet; get != nil {
		as.HTTPGet = get.DeepCopy()
		as.HTTPGet.Path = cmp.Or(get.Path, "/")
		as.HTTPGet.Scheme = cmp.Or(get.Scheme, corev1.URISchemeHTTP)
	}
	if h.Sleep == nil {
		return checkHandler(&as, path)
	}
	if as != (corev1.ProbeHandler{}) {
		return append(checkHandler(&as, path), field.Forbidden(
			path.Child("sleep"), "may not specify more than 1 handler type"))
	}
	if n := h.Sleep.Seconds; grace != nil && (n < 0 || n > *grace) {
		return field.ErrorList{field.Invalid(path.Child("sleep"), n, fmt.Sprintf(
			"must be non-negative and less than terminationGracePeriodSeconds (%d)",
			*grace))}
	}
	return nil
}
