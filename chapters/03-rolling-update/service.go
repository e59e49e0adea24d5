package rollingupdate

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// defaultService fills in what was left out of a Service, but for its address.
func defaultService(obj controlloop.Object) {
	s := obj.(*corev1.Service)
	controlloop.Fill(&s.Spec.Type, corev1.ServiceTypeClusterIP)
	controlloop.Fill(&s.Spec.SessionAffinity, corev1.ServiceAffinityNone)
	for i := range s.Spec.Ports {
		port := &s.Spec.Ports[i]
		controlloop.Fill(&port.Protocol, corev1.ProtocolTCP)
		if port.TargetPort == intstr.FromInt32(0) ||
			port.TargetPort == intstr.FromString("") {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
	}
	if s.Spec.Type != corev1.ServiceTypeExternalName {
		sameAddress(&s.Spec)
	}
}

// sameAddress fills in the other of two ways to say an address: the list or its
// first.
func sameAddress(spec *corev1.ServiceSpec) {
	if len(spec.ClusterIPs) > 0 {
		controlloop.Fill(&spec.ClusterIP, spec.ClusterIPs[0])
	}
	if len(spec.ClusterIPs) == 0 && spec.ClusterIP != "" {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
}

// addresses is the Allotment of 10.96.0.0/12.
var addresses = controlloop.Allotment{Of: addressOf, Give: giveAddress}

// addressOf returns the address that a Service has to itself: none, if its Pods
// are to be asked for by their own addresses, or a host elsewhere.
func addressOf(obj controlloop.Object) []string {
	ip := obj.(*corev1.Service).Spec.ClusterIP
	if ip == "" || ip == corev1.ClusterIPNone {
		return nil
	}
	return []string{ip}
}

// giveAddress lets a Service keep the address that it has, or gives it the first
// that is free.
func giveAddress(
	obj, old controlloop.Object, taken func(string) bool,
) field.ErrorList {
	s := obj.(*corev1.Service)
	if s.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	if old != nil {
		controlloop.Fill(&s.Spec.ClusterIP, old.(*corev1.Service).Spec.ClusterIP)
	}
	if ip := s.Spec.ClusterIP; ip != "" && taken(ip) {
		return field.ErrorList{field.Invalid(
			field.NewPath("spec", "clusterIPs"), s.Spec.ClusterIPs, fmt.Sprintf(
				"failed to allocate IP %s: provided IP is already allocated", ip))}
	}
	for n := firstFor(s); s.Spec.ClusterIP == ""; n++ {
		if ip := addressAt(n); !taken(ip) {
			s.Spec.ClusterIP = ip
		}
	}
	sameAddress(&s.Spec)
	return nil
}

// firstFor returns where the search for an address begins. It follows from the
// name, so that a Service has the same one in every run.
func firstFor(s *corev1.Service) uint32 {
	h := fnv.New32a()
	h.Write([]byte(controlloop.KeyOf(s).String() + "/"))
	return h.Sum32()
}

// addressAt returns one of the addresses 256 to 1,048,574, for people
// choose from the first.
func addressAt(n uint32) string {
	const first, most = 10<<24 | 96<<16, 1 << 20
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], first+256+n%(most-257))
	return netip.AddrFrom4(ip).String()
}

// keepAddress refuses another address: clients hold on to it, and so the
// Service must, for as long as it has one.
func keepAddress(obj, old controlloop.Object) field.ErrorList {
	now, was := obj.(*corev1.Service).Spec, old.(*corev1.Service).Spec
	if now.ClusterIP == was.ClusterIP ||
		now.Type == corev1.ServiceTypeExternalName ||
		was.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	return field.ErrorList{field.Invalid(
		field.NewPath("spec", "clusterIPs").Index(0), now.ClusterIPs,
		"may not change once set")}
}

func defaultEndpointSlice(obj controlloop.Object) {
	s := obj.(*discoveryv1.EndpointSlice)
	for i := range s.Ports {
		controlloop.Fill(&s.Ports[i].Name, new(""))
		controlloop.Fill(&s.Ports[i].Protocol, new(corev1.ProtocolTCP))
	}
}
