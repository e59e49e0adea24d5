package rules

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

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
			fill(&subset.Ports[i].Protocol, corev1.ProtocolTCP)
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
		if _, err := netip.ParseAddr(address.IP); err != nil {
			errs = append(errs, field.Invalid(path.Index(i).Child("ip"), address.IP,
				"must be a valid IP address"))
		}
	}
	return errs
}

// EndpointSlice returns the rules of discovery.k8s.io/v1 EndpointSlice.
func EndpointSlice() controlloop.Rules {
	return typed[*discoveryv1.EndpointSlice]{
		fill:  defaultSlice,
		check: checkSlice,
		change: func(s, old *discoveryv1.EndpointSlice) field.ErrorList {
			return validation.ValidateImmutableField(
				s.AddressType, old.AddressType, field.NewPath("addressType"))
		},
	}.rules()
}

func defaultSlice(s *discoveryv1.EndpointSlice) {
	for i := range s.Ports {
		fill(&s.Ports[i].Name, new(""))
		fill(&s.Ports[i].Protocol, new(corev1.ProtocolTCP))
	}
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
			errs = append(errs, checkAddress(s.AddressType, address, at.Index(i))...)
		}
	}
	return errs
}

func checkAddress(
	kind discoveryv1.AddressType, address string, path *field.Path,
) field.ErrorList {
	switch kind {
	case discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6:
	case discoveryv1.AddressTypeFQDN:
		return utilvalidation.IsFullyQualifiedDomainName(path, address)
	default:
		return nil // of a type that is not, which is said of the type
	}
	if errs := utilvalidation.IsValidIP(path, address); len(errs) > 0 {
		return errs
	}
	is4 := netip.MustParseAddr(address).Is4()
	if is4 != (kind == discoveryv1.AddressTypeIPv4) {
		return field.ErrorList{field.Invalid(
			path, address, "must be an "+string(kind)+" address")}
	}
	return nil
}
