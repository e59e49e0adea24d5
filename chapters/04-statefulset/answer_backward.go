package statefulset

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// backward answers with the names of an address.
func (z *Zone) backward(reply *dns.Msg, question dns.Question, name string) {
	labels := dns.SplitDomainName(strings.TrimSuffix(name, ".in-addr.arpa."))
	slices.Reverse(labels)
	address, err := netip.ParseAddr(strings.Join(labels, "."))
	var names []string
	if err == nil {
		names = z.Reverse(address)
	}
	if len(names) == 0 {
		reply.Rcode = dns.RcodeNameError
		return
	}
	if question.Qtype != dns.TypePTR {
		return
	}
	for _, name := range names {
		reply.Answer = append(reply.Answer, &dns.PTR{
			Hdr: dns.RR_Header{
				Name: question.Name, Rrtype: dns.TypePTR,
				Class: dns.ClassINET, Ttl: ttl,
			},
			Ptr: dns.Fqdn(name),
		})
	}
}

// authority says for how long a client may remember that a name has no records.
func (z *Zone) authority() dns.RR {
	return &dns.SOA{
		Hdr: dns.RR_Header{
			Name: dns.Fqdn(z.Domain), Rrtype: dns.TypeSOA,
			Class: dns.ClassINET, Ttl: ttl,
		},
		Ns:   dns.Fqdn("ns.dns." + z.Domain),
		Mbox: dns.Fqdn("hostmaster." + z.Domain),
		// Serial, and the periods of secondary servers, of which the zone has
		// none.
		Serial: 1, Refresh: 7200, Retry: 1800, Expire: 86400, Minttl: ttl,
	}
}
