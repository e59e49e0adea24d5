package statefulset_test

import (
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	statefulset "reconcile/chapters/04-statefulset"
)

func ask(zone *statefulset.Zone, name string, kind uint16) *dns.Msg {
	return zone.Answer(new(dns.Msg).SetQuestion(dns.Fqdn(name), kind))
}

func TestAnswersAreInTheWordsOfDNS(t *testing.T) {
	zone := town(t)
	const nginx = "nginx.default.svc.cluster.local"
	for _, c := range []struct {
		name    string
		kind    uint16
		code    int
		answers []string
	}{
		{"web-0." + nginx, dns.TypeA, dns.RcodeSuccess, []string{"web-0." + nginx + ".\t30\tIN\tA\t10.244.1.2"}},
		{"WEB-0." + nginx, dns.TypeA, dns.RcodeSuccess, []string{"WEB-0." + nginx + ".\t30\tIN\tA\t10.244.1.2"}},
		{"web-0." + nginx, dns.TypeAAAA, dns.RcodeSuccess, nil},
		{"web-0." + nginx, dns.TypePTR, dns.RcodeSuccess, nil},
		{"web-9." + nginx, dns.TypeA, dns.RcodeNameError, nil},
		{"svc.cluster.local", dns.TypeA, dns.RcodeSuccess, nil},
		{"cluster.local", dns.TypeSOA, dns.RcodeSuccess, nil},
		{"nope.cluster.local", dns.TypeA, dns.RcodeNameError, nil},
		{"xcluster.local", dns.TypeA, dns.RcodeRefused, nil},
		{"empty.default.svc.cluster.local", dns.TypeA, dns.RcodeNameError, nil},
		{"empty.default.svc.cluster.local", dns.TypeAAAA, dns.RcodeNameError, nil},
		{"away.default.svc.cluster.local", dns.TypeA, dns.RcodeSuccess, []string{"away.default.svc.cluster.local.\t30\tIN\tCNAME\texample.com."}},
		{"_web._tcp.front.default.svc.cluster.local", dns.TypeSRV, dns.RcodeSuccess,
			[]string{"_web._tcp.front.default.svc.cluster.local.\t30\tIN\tSRV\t0 100 80 front.default.svc.cluster.local."}},
		{"_web._tcp.nginx.default.svc.cluster.local", dns.TypeSRV, dns.RcodeSuccess, []string{
			"_web._tcp." + nginx + ".\t30\tIN\tSRV\t0 33 8080 web-0." + nginx + ".",
			"_web._tcp." + nginx + ".\t30\tIN\tSRV\t0 33 8080 10-244-1-7." + nginx + ".",
			"_web._tcp." + nginx + ".\t30\tIN\tSRV\t0 33 8080 web-1." + nginx + "."}},
		{nginx, dns.TypeSRV, dns.RcodeSuccess, nil},
		{"fe80::1.default.pod.cluster.local", dns.TypeA, dns.RcodeNameError, nil},
		{"2.1.244.10.in-addr.arpa", dns.TypePTR, dns.RcodeSuccess, []string{"2.1.244.10.in-addr.arpa.\t30\tIN\tPTR\tweb-0." + nginx + "."}},
		{"1.0.99.10.in-addr.arpa", dns.TypePTR, dns.RcodeSuccess, []string{"1.0.99.10.in-addr.arpa.\t30\tIN\tPTR\tfront.default.svc.cluster.local."}},
		{"2.2.244.10.in-addr.arpa", dns.TypePTR, dns.RcodeSuccess, []string{
			"2.2.244.10.in-addr.arpa.\t30\tIN\tPTR\tweb-1." + nginx + ".",
			"2.2.244.10.in-addr.arpa.\t30\tIN\tPTR\tweb-1.peers.default.svc.cluster.local."}},
		{"2.1.244.10.in-addr.arpa", dns.TypeA, dns.RcodeSuccess, nil},
		{"244.10.in-addr.arpa", dns.TypePTR, dns.RcodeNameError, nil},
		{"9.9.9.10.in-addr.arpa", dns.TypePTR, dns.RcodeNameError, nil},
		{"9.9.9.10.in-addr.arpa", dns.TypeA, dns.RcodeNameError, nil},
		{"example.com", dns.TypeA, dns.RcodeRefused, nil},
	} {
		reply := ask(zone, c.name, c.kind)
		assert.Equal(t, dns.RcodeToString[c.code], dns.RcodeToString[reply.Rcode], c.name)
		var answers []string
		for _, answer := range reply.Answer {
			answers = append(answers, answer.String())
		}
		assert.Equal(t, c.answers, answers, c.name)
		ours := c.code != dns.RcodeRefused
		assert.Equal(t, ours, reply.Authoritative, "%s: who says so?", c.name)
		if len(c.answers) > 0 || !ours {
			assert.Empty(t, reply.Ns, c.name)
			continue
		}
		require.Len(t, reply.Ns, 1, "%s: for how long may it be remembered?", c.name)
		assert.Equal(t, "cluster.local.\t30\tIN\tSOA\tns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800 86400 30",
			reply.Ns[0].String(), c.name)
	}
}

// The answer for a port brings the addresses as well.
func TestAPortComesWithTheAddressesOfItsHosts(t *testing.T) {
	reply := ask(town(t), "_web._tcp.nginx.default.svc.cluster.local", dns.TypeSRV)
	var beside []string
	for _, record := range reply.Extra {
		beside = append(beside, record.String())
	}
	const below = ".nginx.default.svc.cluster.local.\t30\tIN\tA\t"
	assert.Equal(t, []string{
		"web-0" + below + "10.244.1.2", "10-244-1-7" + below + "10.244.1.7", "web-1" + below + "10.244.2.2",
	}, beside)
}

// A port of weight 0 would be used only when no other is left.
func TestEachOfManyHasSomeWeight(t *testing.T) {
	reply := ask(crowded(t, 200), "_web._tcp.nginx.default.svc.cluster.local", dns.TypeSRV)
	require.Len(t, reply.Answer, 200)
	assert.EqualValues(t, 1, reply.Answer[0].(*dns.SRV).Weight)
}

// A message that is no single question is not guessed at.
func TestOnlyOneQuestionIsAnswered(t *testing.T) {
	zone := town(t)
	one := new(dns.Msg).SetQuestion("front.default.svc.cluster.local.", dns.TypeA)
	none, two, other := one.Copy(), one.Copy(), one.Copy()
	none.Question = nil
	two.Question = append(two.Question, two.Question[0])
	other.Opcode = dns.OpcodeNotify
	for name, request := range map[string]*dns.Msg{"none": none, "two": two, "no question": other} {
		reply := zone.Answer(request)
		assert.Equal(t, dns.RcodeFormatError, reply.Rcode, name)
		assert.Empty(t, reply.Answer, name)
		assert.Equal(t, request.Id, reply.Id, name)
		assert.True(t, reply.Response, name)
	}
}

func BenchmarkAnswer(b *testing.B) {
	zone := crowded(b, 100)
	question := new(dns.Msg).SetQuestion("web-42.nginx.default.svc.cluster.local.", dns.TypeA)
	b.ReportAllocs()
	for b.Loop() {
		if reply := zone.Answer(question); len(reply.Answer) != 1 {
			b.Fatal(reply)
		}
	}
}
