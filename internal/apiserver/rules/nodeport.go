package rules

import (
	"errors"
	"fmt"
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

// Services get ports of nodes from 30000 to 32767, as in Kubernetes. The first
// that is tried follows from the Service's name, so that the same Service has
// the same ports in every run.
const (
	firstNodePort = 30000
	mostNodePorts = 2768
)

var nodePorts = controlloop.Allotment{Of: nodePortsOf, Give: giveNodePorts}

// nodePortsOf returns the ports of nodes that a Service has to itself.
func nodePortsOf(obj controlloop.Object) []string {
	var all []string
	for _, port := range obj.(*corev1.Service).Spec.Ports {
		if port.NodePort != 0 {
			all = append(all, claim(port.NodePort))
		}
	}
	if port := obj.(*corev1.Service).Spec.HealthCheckNodePort; port != 0 {
		all = append(all, claim(port))
	}
	return all
}

func claim(nodePort int32) string { return fmt.Sprintf("port %d", nodePort) }

// wantsNodePorts reports whether a Service is given ports that it lacks.
func wantsNodePorts(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeNodePort ||
		spec.Type == corev1.ServiceTypeLoadBalancer &&
			ptr.Deref(spec.AllocateLoadBalancerNodePorts, true)
}

// refusedPort returns why a port that a Service asks for cannot be its own, if so.
func refusedPort(path *field.Path, port int32, taken func(string) bool) field.ErrorList {
	switch {
	case port < firstNodePort || port >= firstNodePort+mostNodePorts:
		return field.ErrorList{field.Invalid(path, port, fmt.Sprintf("provided port is not in the "+
			"valid range. The range of valid ports is %d-%d",
			firstNodePort, firstNodePort+mostNodePorts-1))}
	case taken(claim(port)):
		return field.ErrorList{field.Invalid(path, port, "provided port is already allocated")}
	}
	return nil
}

// wantsHealthCheck reports whether a Service is given a port at which a load balancer
// asks a node whether it has Pods of the Service.
func wantsHealthCheck(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeLoadBalancer &&
		spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// giveHealthCheck gives a Service that port, or keeps the one that it had.
func giveHealthCheck(
	s, old *corev1.Service, own sets.Set[int32], taken func(string) bool,
) field.ErrorList {
	path, port := specPath.Child("healthCheckNodePort"), &s.Spec.HealthCheckNodePort
	if !wantsHealthCheck(&s.Spec) {
		return nil
	}
	if *port == 0 && old != nil && wantsHealthCheck(&old.Spec) {
		*port = old.Spec.HealthCheckNodePort
	}
	if *port != 0 {
		return refusedPort(path, *port, taken)
	}
	n, ok := freePort(number(s.Namespace, s.Name, "health check"), own, taken)
	if !ok {
		return field.ErrorList{field.InternalError(path,
			errors.New("failed to allocate a nodePort: range is full"))}
	}
	*port = n
	own.Insert(n)
	return nil
}

// giveNodePorts lets a Service keep the ports that it has, by their names, and
// gives each other one that is free.
func giveNodePorts(
	obj, old controlloop.Object, taken func(string) bool,
) field.ErrorList {
	s := obj.(*corev1.Service)
	was, _ := old.(*corev1.Service)
	if was != nil && wantsNodePorts(&s.Spec) {
		keepNodePorts(s.Spec.Ports, was.Spec.Ports)
	}
	var errs field.ErrorList
	own := sets.Set[int32]{}
	for i, port := range s.Spec.Ports {
		own.Insert(port.NodePort)
		if port.NodePort != 0 {
			errs = append(errs, refusedPort(specPath.Child("ports").Index(i).Child("nodePort"),
				port.NodePort, taken)...)
		}
	}
	errs = append(errs, giveHealthCheck(s, was, own, taken)...)
	if len(errs) > 0 || !wantsNodePorts(&s.Spec) {
		return errs
	}
	for i := range s.Spec.Ports {
		port := &s.Spec.Ports[i]
		if port.NodePort != 0 {
			continue
		}
		n, ok := freePort(number(s.Namespace, s.Name, port.Name), own, taken)
		if !ok {
			return append(errs, field.InternalError(specPath.Child("ports").Index(i),
				errors.New("failed to allocate a nodePort: range is full")))
		}
		port.NodePort = n
		own.Insert(n)
	}
	return nil
}

// keepNodePorts lets ports keep the numbers that they had under their names,
// but for those that another of them has by now.
func keepNodePorts(ports, were []corev1.ServicePort) {
	had, used := map[string]int32{}, sets.Set[int32]{}
	for _, port := range were {
		had[port.Name] = port.NodePort
	}
	for _, port := range ports {
		used.Insert(port.NodePort)
	}
	for i := range ports {
		if n := had[ports[i].Name]; ports[i].NodePort == 0 && !used.Has(n) {
			ports[i].NodePort = n
		}
	}
}

// freePort returns the first from the n-th on that is not taken.
func freePort(
	n uint32, own sets.Set[int32], taken func(string) bool,
) (port int32, ok bool) {
	for i := range uint32(mostNodePorts) {
		port = firstNodePort + int32((n+i)%mostNodePorts)
		if !own.Has(port) && !taken(claim(port)) {
			return port, true
		}
	}
	return 0, false
}

// number returns the same for the same names, and mostly another for others.
func number(names ...string) uint32 {
	h := fnv.New32a()
	for _, name := range names {
		h.Write([]byte(name + "/"))
	}
	return h.Sum32()
}
