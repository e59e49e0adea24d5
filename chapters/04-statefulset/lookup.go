package statefulset

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Found holds what a name stands for. A name that exists may stand for nothing:
// svc and a namespace are there for the names below them.
type Found struct {
	Exists    bool
	Addresses []netip.Addr
	Alias     string // of a name elsewhere, instead
	Ports     []Port
}

// Port says where a named port is: at which host and number.
type Port struct {
	Host   string // below the zone's domain, and with it
	At     netip.Addr
	Number int32
}

// LookUp finds what a name stands for, by its labels below the zone's domain,
// the last first: svc, default, nginx, web-0.
//
//	svc.default.nginx            a Service: its address or, of a headless one,
//	                             those of its ready Pods, if there are any
//	svc.default.nginx.web-0      the Pod of that host name
//	svc.default.nginx._tcp._web  the host and number of the port web
//	pod.default.10-244-1-2       an address, whichever Pod bears it
func (z *Zone) LookUp(labels []string) Found {
	switch {
	case len(labels) == 0:
		return Found{Exists: true}
	case labels[0] == "pod":
		return dashed(labels[1:])
	case labels[0] != "svc":
		return Found{}
	case len(labels) == 1:
		return Found{Exists: true}
	case len(labels) == 2:
		return Found{Exists: len(z.services.Lookup(
			controlloop.ByNamespace, labels[1])) > 0}
	}
	obj, ok := z.services.Get(
		controlloop.Key{Namespace: labels[1], Name: labels[2]})
	if !ok {
		return Found{}
	}
	service := obj.(*corev1.Service)
	below := labels[3:]
	switch {
	case service.Spec.Type == corev1.ServiceTypeExternalName:
		return Found{Exists: len(below) == 0, Alias: service.Spec.ExternalName}
	case len(below) == 0:
		return z.whole(service)
	case len(below) == 1:
		return z.member(service, below[0])
	case len(below) == 2:
		return z.port(service, below[1], below[0])
	}
	return Found{}
}

// whole finds a Service. A headless one without a ready Pod does not exist
// (Kubernetes: the DNS specification's section 2.4.1, and findServices in
// CoreDNS' plugin/kubernetes/kubernetes.go).
func (z *Zone) whole(service *corev1.Service) Found {
	if address, ok := parse(service.Spec.ClusterIP); ok {
		return Found{Exists: true, Addresses: []netip.Addr{address}}
	}
	var found Found
	for _, e := range z.ready(service) {
		found.Exists = true
		found.Addresses = append(found.Addresses, e.address)
	}
	found.Addresses = slices.Compact(found.Addresses)
	return found
}

// member finds one Pod of a Service, headless or not.
func (z *Zone) member(service *corev1.Service, host string) Found {
	var found Found
	key := host + "." + controlloop.KeyOf(service).String()
	for _, obj := range z.slices.Lookup(byHost, key) {
		for e := range ready(obj) {
			if e.host == host {
				found.Exists = true
				found.Addresses = append(found.Addresses, e.address)
			}
		}
	}
	slices.SortFunc(found.Addresses, netip.Addr.Compare)
	found.Addresses = slices.Compact(found.Addresses)
	return found
}
