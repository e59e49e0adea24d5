package statefulset

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
)

// ServerAddress is the address that a cluster's Pods ask for names: that of the
// Service kube-dns.
const ServerAddress = "10.96.0.10"

// ndots is how many dots a name needs to be tried as it is first. The kubelet
// writes five into every Pod of the policy ClusterFirst, so that
// nginx.default.svc is one to be completed.
const ndots = 5

// Resolver answers for the programs of one Pod. It does what a C library does
// with the Pod's /etc/resolv.conf.
type Resolver struct {
	zone   *Zone
	search []string
}

// For returns the Resolver of a Pod: a name without an end is looked for in the
// Pod's namespace first.
func (z *Zone) For(pod *corev1.Pod) simulated.Resolver {
	return &Resolver{zone: z, search: []string{
		pod.Namespace + ".svc." + z.Domain, "svc." + z.Domain, z.Domain,
	}}
}

// Conf returns the Pod's /etc/resolv.conf.
func (r *Resolver) Conf() string {
	return fmt.Sprintf("search %s\nnameserver %s\noptions ndots:%d\n",
		strings.Join(r.search, " "), ServerAddress, ndots)
}

// LookupHost implements simulated.Resolver.
func (r *Resolver) LookupHost(
	_ context.Context, host string,
) ([]string, error) {
	for _, name := range r.candidates(host) {
		if found, ok := r.zone.addresses(name); ok {
			return found, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// LookupAddr returns the names of an address, as net.Resolver's does.
func (r *Resolver) LookupAddr(
	_ context.Context, text string,
) ([]string, error) {
	address, err := netip.ParseAddr(text)
	if err == nil {
		if names := r.zone.Reverse(address); len(names) > 0 {
			return names, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: text, IsNotFound: true}
}

// candidates returns the names that host may be short for, in the order in
// which they are tried. One that ends with a dot is short for nothing.
func (r *Resolver) candidates(host string) []string {
	if whole, ends := strings.CutSuffix(host, "."); ends {
		return []string{whole}
	}
	var all []string
	for _, domain := range r.search {
		all = append(all, host+"."+domain)
	}
	if strings.Count(host, ".") >= ndots {
		return slices.Insert(all, 0, host)
	}
	return append(all, host)
}

// aliases is how many aliases are followed, one leading to the next: as many as
// by CoreDNS (maxCnameChainLength in plugin/backend_lookup.go). Two Services may
// be each other's.
const aliases = 11

// addresses returns the addresses of a whole name, or false if it has none.
func (z *Zone) addresses(name string) (all []string, ok bool) {
	found := Found{Alias: name}
	for range 1 + aliases {
		below, ours := strings.CutSuffix(
			"."+strings.ToLower(strings.TrimSuffix(found.Alias, ".")), "."+z.Domain)
		if !ours {
			return nil, false
		}
		labels := strings.Split(strings.TrimPrefix(below, "."), ".")
		slices.Reverse(labels)
		found = z.LookUp(labels)
		if !found.Exists || found.Alias == "" {
			break
		}
	}
	for _, address := range found.Addresses {
		all = append(all, address.String())
	}
	return all, len(all) > 0
}
