//lint:file-ignore SA1019 Endpoints are deprecated, and people ask for them still.

package columns

import (
	"cmp"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"
)

// Endpoints is what a table shows of Endpoints.
var Endpoints = of(endpointsCells,
	name,
	text("Endpoints", corev1.Endpoints{}.SwaggerDoc()["subsets"]),
	created,
)

func endpointsCells(e *corev1.Endpoints, now time.Time) []any {
	cell := "<none>"
	if len(e.Subsets) > 0 {
		cell = shorten(hosts(e))
	}
	return []any{e.Name, cell, age(e.CreationTimestamp, now)}
}

// hosts returns all addresses with all ports: a headless Service may have none.
func hosts(e *corev1.Endpoints) []string {
	var all []string
	for _, subset := range e.Subsets {
		for _, address := range subset.Addresses {
			if len(subset.Ports) == 0 {
				all = append(all, address.IP)
			}
		}
		for _, port := range subset.Ports {
			for _, address := range subset.Addresses {
				all = append(all, net.JoinHostPort(
					address.IP, strconv.Itoa(int(port.Port))))
			}
		}
	}
	return all
}

// EndpointSlice is what a table shows of EndpointSlices.
var EndpointSlice = of(sliceCells,
	name,
	text("AddressType", discoveryv1.EndpointSlice{}.SwaggerDoc()["addressType"]),
	text("Ports", discoveryv1.EndpointSlice{}.SwaggerDoc()["ports"]),
	text("Endpoints", discoveryv1.EndpointSlice{}.SwaggerDoc()["endpoints"]),
	created,
)

func sliceCells(s *discoveryv1.EndpointSlice, now time.Time) []any {
	var ports, addresses []string
	for _, port := range s.Ports {
		ports = append(ports, slicePort(port))
	}
	for _, endpoint := range s.Endpoints {
		addresses = append(addresses, endpoint.Addresses...)
	}
	return []any{
		s.Name,
		string(s.AddressType),
		cmp.Or(shorten(ports), "<unset>"),
		cmp.Or(shorten(addresses), "<unset>"),
		age(s.CreationTimestamp, now),
	}
}

func slicePort(port discoveryv1.EndpointPort) string {
	if port.Port != nil {
		return strconv.Itoa(int(*port.Port))
	}
	return ptr.Deref(port.Name, "*")
}
