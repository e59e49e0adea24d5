package apiserver

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

// retyped merges for a Service whose type changes: fields that the new type
// doesn't use are dropped, unless the client sets them as well; then validation
// refuses them. (Kubernetes: dropTypeDependentFields in
// pkg/registry/core/service/strategy.go.)
func retyped(shown, live controlloop.Object) (controlloop.Object, error) {
	if live == nil {
		return shown, nil
	}
	next, was := &shown.(*corev1.Service).Spec, &live.(*corev1.Service).Spec
	readdress(was, next)
	if loses(was, next, hasNodePorts) && !asksForPorts(was, next) {
		for i := range next.Ports {
			next.Ports[i].NodePort = 0
		}
	}
	if loses(was, next, isChecked) && next.HealthCheckNodePort == was.HealthCheckNodePort {
		next.HealthCheckNodePort = 0
	}
	if loses(was, next, isBalanced) {
		if ptr.Equal(next.AllocateLoadBalancerNodePorts, was.AllocateLoadBalancerNodePorts) {
			next.AllocateLoadBalancerNodePorts = nil
		}
		if ptr.Equal(next.LoadBalancerClass, was.LoadBalancerClass) {
			next.LoadBalancerClass = nil
		}
	}
	if loses(was, next, isOutside) && next.ExternalTrafficPolicy == was.ExternalTrafficPolicy {
		next.ExternalTrafficPolicy = ""
	}
	return shown, nil
}

// readdress does so of its addresses.
func readdress(was, next *corev1.ServiceSpec) {
	if loses(was, next, hasAddress) {
		if next.ClusterIP == was.ClusterIP && slices.Equal(next.ClusterIPs, was.ClusterIPs) {
			next.ClusterIP, next.ClusterIPs = "", nil
		}
		if slices.Equal(next.IPFamilies, was.IPFamilies) {
			next.IPFamilies = nil
		}
		if ptr.Equal(next.IPFamilyPolicy, was.IPFamilyPolicy) {
			next.IPFamilyPolicy = nil
		}
	}
	if next.ClusterIP != was.ClusterIP && next.ClusterIP != "" &&
		slices.Equal(next.ClusterIPs, was.ClusterIPs) {
		next.ClusterIPs = []string{next.ClusterIP}
	}
	if hasAddress(was) && hasAddress(next) {
		controlloop.Fill(&next.IPFamilyPolicy, was.IPFamilyPolicy)
		if len(next.IPFamilies) == 0 {
			next.IPFamilies = was.IPFamilies
		}
	}
}

func loses(was, next *corev1.ServiceSpec, has func(*corev1.ServiceSpec) bool) bool {
	return has(was) && !has(next)
}

func hasAddress(s *corev1.ServiceSpec) bool { return s.Type != corev1.ServiceTypeExternalName }

func isBalanced(s *corev1.ServiceSpec) bool { return s.Type == corev1.ServiceTypeLoadBalancer }

// isChecked reports whether a load balancer asks nodes whether they have Pods.
func isChecked(s *corev1.ServiceSpec) bool {
	return isBalanced(s) && s.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

func hasNodePorts(s *corev1.ServiceSpec) bool {
	return s.Type == corev1.ServiceTypeNodePort || isBalanced(s)
}

func isOutside(s *corev1.ServiceSpec) bool {
	return hasNodePorts(s) || s.Type == corev1.ServiceTypeClusterIP && len(s.ExternalIPs) > 0
}

// asksForPorts reports whether next has a port of the nodes' that it had not.
func asksForPorts(was, next *corev1.ServiceSpec) bool {
	return slices.ContainsFunc(next.Ports, func(port corev1.ServicePort) bool {
		return port.NodePort != 0 && !slices.ContainsFunc(was.Ports,
			func(old corev1.ServicePort) bool { return old.NodePort == port.NodePort })
	})
}
