package statefulset

import (
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// ttl is how many seconds an answer may be remembered: as many as with the
// CoreDNS of most clusters.
const ttl = 30

// Answer answers a question put in the words of DNS (RFC 1035). For a name that
// does not exist the answer is NXDOMAIN; for a name that has no record of the
// type that was asked for, it is empty; and a question about a name outside the
// cluster is refused.
func (z *Zone) Answer(request *dns.Msg) *dns.Msg {
	reply := new(dns.Msg).SetReply(request)
	if len(request.Question) != 1 || request.Opcode != dns.OpcodeQuery {
		return reply.SetRcode(request, dns.RcodeFormatError)
	}
	question := request.Question[0]
	name := strings.ToLower(question.Name)
	switch {
	case dns.IsSubDomain(dns.Fqdn(z.Domain), name):
		z.forward(reply, question, name)
	case dns.IsSubDomain("in-addr.arpa.", name):
		z.backward(reply, question, name)
	default:
		// CoreDNS passes it on, and says SERVFAIL if it has no server to pass
		// it to. A C library takes both alike: it asks the next server, and
		// then says that it cannot be found out now. NXDOMAIN would make it
		// believe that no such name exists anywhere.
		return reply.SetRcode(request, dns.RcodeRefused)
	}
	reply.Authoritative = true
	if len(reply.Answer) == 0 {
		reply.Ns = []dns.RR{z.authority()}
	}
	return reply
}

// forward answers with the records of a name.
func (z *Zone) forward(reply *dns.Msg, question dns.Question, name string) {
	labels := dns.SplitDomainName(strings.TrimSuffix(name, dns.Fqdn(z.Domain)))
	slices.Reverse(labels)
	found := z.LookUp(labels)
	header := func(name string, kind uint16) dns.RR_Header {
		return dns.RR_Header{
			Name: dns.Fqdn(name), Rrtype: kind, Class: dns.ClassINET, Ttl: ttl}
	}
	switch {
	case !found.Exists:
		reply.Rcode = dns.RcodeNameError
	case found.Alias != "":
		reply.Answer = []dns.RR{&dns.CNAME{
			Hdr:    header(question.Name, dns.TypeCNAME),
			Target: dns.Fqdn(found.Alias),
		}}
	case question.Qtype == dns.TypeA:
		for _, address := range found.Addresses {
			reply.Answer = append(reply.Answer, &dns.A{
				Hdr: header(question.Name, dns.TypeA), A: address.AsSlice()})
		}
	case question.Qtype == dns.TypeSRV:
		for _, port := range found.Ports {
			reply.Answer = append(reply.Answer, &dns.SRV{
				Hdr:    header(question.Name, dns.TypeSRV),
				Weight: uint16(max(1, 100/len(found.Ports))),
				Port:   uint16(port.Number), Target: dns.Fqdn(port.Host),
			})
			reply.Extra = append(reply.Extra, &dns.A{
				Hdr: header(port.Host, dns.TypeA), A: port.At.AsSlice()})
		}
	}
}
