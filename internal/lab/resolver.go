package lab

import (
	"context"
	"net"
	"slices"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/images"
	"reconcile/internal/images/resolvconf"
)

// resolver answers for the programs of a Pod as its dnsPolicy and its dnsConfig
// want it; chapter 4's reads neither.
type resolver struct {
	zone  *statefulset.Zone
	whole *statefulset.Resolver // asked for whole names alone
	conf  resolvconf.Conf
}

// resolverOf returns that of a Pod. (Kubernetes: GetPodDNS in
// pkg/kubelet/network/dns/dns.go.)
func resolverOf(z *statefulset.Zone, pod *corev1.Pod) *resolver {
	r := &resolver{zone: z, whole: z.For(pod).(*statefulset.Resolver)}
	if pod.Spec.DNSPolicy != corev1.DNSNone {
		r.conf = resolvconf.Parse(r.whole.Conf())
	}
	if more := pod.Spec.DNSConfig; more != nil {
		r.conf.Servers = appendNew(r.conf.Servers, more.Nameservers)
		r.conf.Search = appendNew(r.conf.Search, more.Searches)
		for _, option := range more.Options {
			r.conf.Set(option.Name, ptr.Deref(option.Value, ""))
		}
	}
	return r
}

// appendNew appends those that are not there yet.
func appendNew(all, more []string) []string {
	for _, s := range more {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Conf returns the Pod's /etc/resolv.conf.
func (r *resolver) Conf() string { return r.conf.String() }

// isHeard reports whether a server of the Pod's answers: the cluster's is the
// only one that there is.
func (r *resolver) isHeard() bool {
	return slices.Contains(r.conf.Servers, statefulset.ServerAddress)
}

// LookupHost implements simulated.Resolver.
func (r *resolver) LookupHost(ctx context.Context, host string) ([]string, error) {
	if !r.isHeard() {
		return images.Unheard{}.LookupHost(ctx, host)
	}
	for _, name := range r.conf.Names(host) {
		if found, err := r.whole.LookupHost(ctx, name+"."); err == nil {
			return found, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// LookupAddr returns the names of an address.
func (r *resolver) LookupAddr(ctx context.Context, address string) ([]string, error) {
	if !r.isHeard() {
		return images.Unheard{}.LookupAddr(ctx, address)
	}
	return r.whole.LookupAddr(ctx, address)
}

// Exchange puts a question to a server.
func (r *resolver) Exchange(
	ctx context.Context, server string, question *dns.Msg,
) (*dns.Msg, error) {
	if server != statefulset.ServerAddress {
		return images.Unheard{}.Exchange(ctx, server, question)
	}
	return r.zone.Answer(question), nil
}
