package rules

import (
	"encoding/binary"
	"hash/fnv"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Services get addresses of 10.96.0.0/12, kubeadm's range, and ports of nodes
// from 30000 to 32767, as in Kubernetes. There an allocator hands them out;
// here they follow from the Service's name, so that the same Service has the
// same address in every run, and no state is kept. Two Services of a million
// addresses may get the same one.
const (
	firstAddress  = 10<<24 | 96<<16
	addresses     = 1 << 20
	firstNodePort = 30000
	nodePorts     = 2768
)

// allocate gives a Service its address, and its ports on the nodes.
func allocate(s *corev1.Service) {
	spec := &s.Spec
	if spec.ClusterIP == "" && len(spec.ClusterIPs) > 0 {
		spec.ClusterIP = spec.ClusterIPs[0]
	}
	fill(&spec.ClusterIP, addressOf(s))
	if len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
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

// addressOf leaves out the first 256 addresses, which people choose from, and
// the last.
func addressOf(s *corev1.Service) string {
	offset := 256 + number(s.Namespace, s.Name)%(addresses-257)
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], firstAddress+offset)
	return netip.AddrFrom4(ip).String()
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

// changeService: clients hold on to an address, and so the Service must.
func changeService(s, old *corev1.Service) field.ErrorList {
	now, was := &s.Spec, &old.Spec
	if now.Type == corev1.ServiceTypeExternalName ||
		was.Type == corev1.ServiceTypeExternalName ||
		now.ClusterIP == was.ClusterIP {
		return nil
	}
	return field.ErrorList{field.Invalid(specPath.Child("clusterIPs").Index(0),
		now.ClusterIPs, "may not change once set")}
}
