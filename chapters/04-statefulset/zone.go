package statefulset

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are the kinds that names are made from: chapter 3's, as Kubernetes has
// them.
var (
	serviceKind = corev1.SchemeGroupVersion.WithKind("Service")
	sliceKind   = discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice")
)

// Zone knows the addresses behind the names of a cluster. It keeps nothing: each
// question is put to the caches of its Services and of the slices of their
// endpoints. (Kubernetes: CoreDNS' plugin kubernetes.)
type Zone struct {
	Domain string // "cluster.local"

	services, slices *controlloop.Indexer
}

const (
	ofService = "service" // slices by their Service
	byHost    = "host"    // slices by the names below it
	byAddress = "address" // both by their addresses
)

// NewZone returns the zone of a system's Services.
func NewZone(s *controlloop.System, domain string) *Zone {
	services := s.Informer(serviceKind, controlloop.ListOptions{})
	slices := s.Informer(sliceKind, controlloop.ListOptions{})
	services.Cache.AddIndex(byAddress, addressesOf)
	slices.Cache.AddIndex(byAddress, addressesOf)
	slices.Cache.AddIndex(ofService, func(obj controlloop.Object) []string {
		return []string{serviceOf(obj).String()}
	})
	slices.Cache.AddIndex(byHost, func(obj controlloop.Object) (all []string) {
		for e := range ready(obj) {
			all = append(all, e.host+"."+serviceOf(obj).String())
		}
		return all
	})
	return &Zone{Domain: domain, services: services.Cache, slices: slices.Cache}
}

// addressesOf returns the addresses of a Service, or those in a slice.
func addressesOf(obj controlloop.Object) (all []string) {
	switch obj := obj.(type) {
	case *corev1.Service:
		if !isHeadless(obj) {
			all = []string{obj.Spec.ClusterIP}
		}
	case *discoveryv1.EndpointSlice:
		for _, e := range obj.Endpoints {
			all = append(all, e.Addresses...)
		}
	}
	return all
}

// isHeadless reports whether a Service has no address of its own: its name
// stands for those of its Pods.
func isHeadless(service *corev1.Service) bool {
	return service.Spec.ClusterIP == corev1.ClusterIPNone ||
		service.Spec.ClusterIP == ""
}

// port finds a named port of a Service: "_web", "_tcp".
func (z *Zone) port(service *corev1.Service, name, protocol string) Found {
	matches := func(port string, p corev1.Protocol) bool {
		return "_"+port == name && strings.EqualFold("_"+string(p), protocol)
	}
	var found Found
	if address, ok := parse(service.Spec.ClusterIP); ok {
		for _, p := range service.Spec.Ports {
			if matches(p.Name, p.Protocol) {
				found.Ports = append(found.Ports,
					Port{z.nameOf(service), address, p.Port})
			}
		}
	} else {
		for _, e := range z.ready(service) {
			for _, p := range e.ports {
				if p.Name != nil && p.Port != nil && p.Protocol != nil &&
					matches(*p.Name, *p.Protocol) {
					found.Ports = append(found.Ports,
						Port{e.host + "." + z.nameOf(service), e.address, *p.Port})
				}
			}
		}
	}
	found.Ports = slices.Compact(found.Ports)
	found.Exists = len(found.Ports) > 0
	return found
}

// nameOf returns the whole name of a Service.
func (z *Zone) nameOf(service controlloop.Object) string {
	return service.GetName() + "." + service.GetNamespace() + ".svc." + z.Domain
}

// Reverse returns the names that lead to an address.
func (z *Zone) Reverse(address netip.Addr) (names []string) {
	for _, obj := range z.services.Lookup(byAddress, address.String()) {
		names = append(names, z.nameOf(obj))
	}
	for _, obj := range z.slices.Lookup(byAddress, address.String()) {
		service, ok := z.services.Get(serviceOf(obj))
		for e := range ready(obj) {
			if ok && e.address == address {
				names = append(names, e.host+"."+z.nameOf(service))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// serviceOf returns the key of the Service that a slice is of.
func serviceOf(slice controlloop.Object) controlloop.Key {
	key := controlloop.KeyOf(slice)
	key.Name = slice.GetLabels()[discoveryv1.LabelServiceName]
	return key
}

// endpoint is a Pod behind a Service.
type endpoint struct {
	host    string // its host name or, without one, its address with dashes
	address netip.Addr
	ports   []discoveryv1.EndpointPort
}

// ready yields the endpoints in a slice that are to be asked.
func ready(obj controlloop.Object) iter.Seq[endpoint] {
	slice := obj.(*discoveryv1.EndpointSlice)
	return func(yield func(endpoint) bool) {
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready != nil && !*e.Conditions.Ready {
				continue
			}
			for _, text := range e.Addresses {
				address, ok := parse(text)
				if ok && !yield(endpoint{hostOf(e, text), address, slice.Ports}) {
					return
				}
			}
		}
	}
}

func hostOf(e discoveryv1.Endpoint, address string) string {
	if e.Hostname != nil {
		return *e.Hostname
	}
	return strings.ReplaceAll(address, ".", "-")
}

// ready returns all endpoints of a Service that are to be asked, in order of
// their addresses. One on its way from one slice to another appears twice.
func (z *Zone) ready(service *corev1.Service) (all []endpoint) {
	key := controlloop.KeyOf(service).String()
	for _, obj := range z.slices.Lookup(ofService, key) {
		all = slices.AppendSeq(all, ready(obj))
	}
	slices.SortFunc(all, func(a, b endpoint) int {
		return cmp.Or(a.address.Compare(b.address), cmp.Compare(a.host, b.host))
	})
	return all
}

// dashed finds a name below pod: in each namespace each address has one.
func dashed(labels []string) Found {
	if len(labels) < 2 {
		return Found{Exists: true}
	}
	address, ok := parse(strings.ReplaceAll(labels[1], "-", "."))
	if !ok || len(labels) > 2 {
		return Found{}
	}
	return Found{Exists: true, Addresses: []netip.Addr{address}}
}

// parse reads an address of IPv4. No others are answered.
func parse(text string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(text)
	return address, err == nil && address.Is4()
}
