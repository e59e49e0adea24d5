//lint:file-ignore SA1019 Endpoints are deprecated, and people ask for them still.

package rules

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	controlloop "reconcile/chapters/01-control-loop"
)

// Endpoints returns the rules of core/v1 Endpoints.
func Endpoints() controlloop.Rules {
	return typed[*corev1.Endpoints]{
		fill:  defaultEndpoints,
		check: checkSubsets,
	}.rules()
}

func defaultEndpoints(e *corev1.Endpoints) {
	for _, subset := range e.Subsets {
		for i := range subset.Ports {
			controlloop.Fill(&subset.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	}
}

func checkSubsets(e *corev1.Endpoints) field.ErrorList {
	var errs field.ErrorList
	for i, subset := range e.Subsets {
		path := field.NewPath("subsets").Index(i)
		if len(subset.Addresses)+len(subset.NotReadyAddresses) == 0 {
			errs = append(errs, field.Required(
				path, "must specify `addresses` or `notReadyAddresses`"))
		}
		errs = append(errs, checkHosts(subset.Addresses, path.Child("addresses"))...)
		errs = append(errs,
			checkHosts(subset.NotReadyAddresses, path.Child("notReadyAddresses"))...)
	}
	return errs
}

func checkHosts(all []corev1.EndpointAddress, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, address := range all {
		at := path.Index(i).Child("ip")
		errs = append(errs,
			utilvalidation.IsValidIPForLegacyField(at, address.IP, true, nil)...)
		errs = append(errs, checkReachable(address.IP, at)...)
	}
	return errs
}

// checkReachable refuses addresses that mean another host to each
// client.
func checkReachable(address string, path *field.Path) field.ErrorList {
	ip := netutils.ParseIPSloppy(address)
	var complaints []string
	switch {
	case ip == nil:
		complaints = append(complaints, "must be a valid IP address")
	case ip.IsUnspecified():
		complaints = append(complaints, "may not be unspecified ("+address+")")
	case ip.IsLoopback():
		complaints = append(complaints,
			"may not be in the loopback range (127.0.0.0/8, ::1/128)")
	case ip.IsLinkLocalUnicast():
		complaints = append(complaints,
			"may not be in the link-local range (169.254.0.0/16, fe80::/10)")
	case ip.IsLinkLocalMulticast():
		complaints = append(complaints,
			"may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
	}
	return invalid(address, path, complaints)
}

// EndpointSlice returns the rules of discovery.k8s.io/v1 EndpointSlice beyond
// those of chapter 3.
func EndpointSlice() controlloop.Rules {
	return typed[*discoveryv1.EndpointSlice]{
		check: checkSlice,
		change: func(s, old *discoveryv1.EndpointSlice) field.ErrorList {
			return validation.ValidateImmutableField(
				s.AddressType, old.AddressType, field.NewPath("addressType"))
		},
	}.rules()
}

func checkSlice(s *discoveryv1.EndpointSlice) field.ErrorList {
	return slices.Concat(
		oneOf(s.AddressType, field.NewPath("addressType"),
			discoveryv1.AddressTypeFQDN, discoveryv1.AddressTypeIPv4,
			discoveryv1.AddressTypeIPv6),
		checkSlicePorts(s.Ports, field.NewPath("ports")),
		checkEndpoints(s, field.NewPath("endpoints")))
}

func checkSlicePorts(
	ports []discoveryv1.EndpointPort, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	seen := sets.Set[string]{}
	for i, port := range ports {
		name, at := *port.Name, path.Index(i).Child("name")
		if name != "" {
			errs = append(errs, invalid(name, at, utilvalidation.IsDNS1123Label(name))...)
		}
		if seen.Has(name) {
			errs = append(errs, field.Duplicate(at, name))
		}
		seen.Insert(name)
		errs = append(errs, supported(*port.Protocol, path.Index(i).Child("protocol"),
			corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	}
	return errs
}

func checkEndpoints(s *discoveryv1.EndpointSlice, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, endpoint := range s.Endpoints {
		at := path.Index(i).Child("addresses")
		if len(endpoint.Addresses) == 0 {
			errs = append(errs, field.Required(at, "must contain at least 1 address"))
		}
		for i, address := range endpoint.Addresses {
			errs = append(errs, checkAddress(s.AddressType, address, at, i)...)
		}
	}
	return errs
}

// checkAddress checks one address: the error of a wrong family points to the
// list, as Kubernetes' does, not to the address.
func checkAddress(
	kind discoveryv1.AddressType, address string, list *field.Path, i int,
) field.ErrorList {
	path := list.Index(i)
	switch kind {
	case discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6:
	case discoveryv1.AddressTypeFQDN:
		return utilvalidation.IsFullyQualifiedDomainName(path, address)
	default:
		return nil // the type is unknown, which is reported of the type
	}
	errs := utilvalidation.IsValidIPForLegacyField(path, address, true, nil)
	if len(errs) > 0 {
		return errs
	}
	if netutils.IsIPv4String(address) != (kind == discoveryv1.AddressTypeIPv4) {
		errs = append(errs, field.Invalid(
			list, address, "must be an "+string(kind)+" address"))
	}
	return append(errs, checkReachable(address, path)...)
}
