package rules

import (
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Services get ports of nodes from 30000 to 32767, as in Kubernetes. There an
// allocator hands them out; here they follow from the Service's name, so that
// the same Service has the same ports in every run, and no state is kept.
const (
	firstNodePort = 30000
	nodePorts     = 2768
)

// allocate gives a Service that has an address its family, and its ports on the
// nodes.
func allocate(s *corev1.Service) {
	spec := &s.Spec
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	fill(&spec.IPFamilyPolicy, new(corev1.IPFamilyPolicySingleStack))
	if spec.Type == corev1.ServiceTypeNodePort ||
		spec.Type == corev1.ServiceTypeLoadBalancer &&
			*spec.AllocateLoadBalancerNodePorts {
		allocatePorts(s)
	}
}

// allocatePorts gives each port that has none another port of the nodes.
func allocatePorts(s *corev1.Service) {
	taken := sets.Set[int32]{}
	for _, port := range s.Spec.Ports {
		taken.Insert(port.NodePort)
	}
	for i := range s.Spec.Ports {
		port := &s.Spec.Ports[i]
		if port.NodePort != 0 {
			continue
		}
		n := number(s.Namespace, s.Name, port.Name)
		for ; taken.Has(nodePort(n)); n++ {
		}
		port.NodePort = nodePort(n)
		taken.Insert(port.NodePort)
	}
}

func nodePort(n uint32) int32 { return firstNodePort + int32(n%nodePorts) }

// number is the same for the same names, and mostly another for others.
func number(names ...string) uint32 {
	h := fnv.New32a()
	for _, name := range names {
		h.Write([]byte(name + "/"))
	}
	return h.Sum32()
}

func checkClusterIP(spec *corev1.ServiceSpec) field.ErrorList {
	path := specPath.Child("clusterIPs")
	if spec.Type == corev1.ServiceTypeExternalName || headless(spec) {
		return nil
	}
	if spec.ClusterIPs[0] != spec.ClusterIP {
		return field.ErrorList{field.Invalid(
			path, spec.ClusterIPs, "first value must match `clusterIP`")}
	}
	var errs field.ErrorList
	for i, ip := range spec.ClusterIPs {
		errs = append(errs, validation.IsValidIP(path.Index(i), ip)...)
	}
	return errs
}
