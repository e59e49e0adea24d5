package unsupported

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
)

// OfRoot returns the *kubelet.ConfigError of a container that may not be
// root and would be, or nil; user is its image's. (Kubernetes: verifyRunAsNonRoot
// in pkg/kubelet/kuberuntime/security_context_others.go.)
func OfRoot(pod *corev1.Pod, c *corev1.Container, user int64) error {
	var as *int64
	var nonRoot bool
	set := func(user *int64, not *bool) {
		if user != nil {
			as = user
		}
		if not != nil {
			nonRoot = *not
		}
	}
	if context := pod.Spec.SecurityContext; context != nil {
		set(context.RunAsUser, context.RunAsNonRoot)
	}
	if context := c.SecurityContext; context != nil {
		set(context.RunAsUser, context.RunAsNonRoot)
	}
	why := ""
	switch {
	case !nonRoot:
	case as != nil && *as == 0:
		why = "container's runAsUser breaks non-root policy"
	case as == nil && user == 0:
		why = "container has runAsNonRoot and image will run as root"
	}
	if why == "" {
		return nil
	}
	return &kubelet.ConfigError{Reason: fmt.Sprintf(
		"%s (pod: \"%s_%s(%s)\", container: %s)",
		why, pod.Name, pod.Namespace, pod.UID, c.Name)}
}
