package statefulset_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	discoveryv1 "k8s.io/api/discovery/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/apiserver/kinds"
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
		{"web-9." + nginx, dns.TypeA, dns.RcodeNameError, nil},
		{"empty.default.svc.cluster.local", dns.TypeA, dns.RcodeSuccess, nil},
		{"away.default.svc.cluster.local", dns.TypeA, dns.RcodeSuccess, []string{"away.default.svc.cluster.local.\t30\tIN\tCNAME\texample.com."}},
		{"_web._tcp.front.default.svc.cluster.local", dns.TypeSRV, dns.RcodeSuccess,
			[]string{"_web._tcp.front.default.svc.cluster.local.\t30\tIN\tSRV\t0 100 80 front.default.svc.cluster.local."}},
		{"2.1.244.10.in-addr.arpa", dns.TypePTR, dns.RcodeSuccess, []string{"2.1.244.10.in-addr.arpa.\t30\tIN\tPTR\tweb-0." + nginx + "."}},
		{"1.0.99.10.in-addr.arpa", dns.TypePTR, dns.RcodeSuccess, []string{"1.0.99.10.in-addr.arpa.\t30\tIN\tPTR\tfront.default.svc.cluster.local."}},
		{"9.9.9.10.in-addr.arpa", dns.TypePTR, dns.RcodeNameError, nil},
		{"example.com", dns.TypeA, dns.RcodeRefused, nil},
	} {
		reply := ask(zone, c.name, c.kind)
		assert.Equal(t, dns.RcodeToString[c.code], dns.RcodeToString[reply.Rcode], c.name)
		var answers []string
		for _, answer := range reply.Answer {
			answers = append(answers, answer.String())
		}
		assert.Equal(t, c.answers, answers, c.name)
		if len(c.answers) == 0 && c.code != dns.RcodeRefused {
			require.Len(t, reply.Ns, 1, "%s: for how long may it be remembered?", c.name)
			assert.Contains(t, reply.Ns[0].String(), "SOA\tns.dns.cluster.local. hostmaster.cluster.local.")
		}
	}
}

// crowded has so many Pods behind one name that no packet holds them.
func crowded(t testing.TB, n int) *statefulset.Zone {
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	var all []discoveryv1.Endpoint
	for i := range n {
		all = append(all, endpoint(fmt.Sprintf("10.244.%d.%d", i/250, i%250+2), fmt.Sprintf("web-%d", i), true))
	}
	system := &controlloop.System{Client: store}
	zone := statefulset.NewZone(system, "cluster.local")
	headless := headless("nginx")
	for _, obj := range []controlloop.Object{headless, slice("nginx", 80, all...)} {
		_, err := store.Create(context.Background(), obj)
		require.NoError(t, err)
	}
	for range 4 {
		_, err := system.Step(context.Background(), controlloop.InOrder)
		require.NoError(t, err)
	}
	return zone
}

// served answers on a port of this machine until the test ends.
func served(t testing.TB, zone *statefulset.Zone) (address string) {
	connections, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	packets, err := net.ListenPacket("udp", connections.Addr().String())
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- zone.Serve(ctx, packets, connections) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-done)
	})
	return connections.Addr().String()
}

// Whoever forges the address of another cannot have more sent there than was
// asked with; who wants the rest asks over a connection.
func TestNoPacketIsLargerThanItMayBe(t *testing.T) {
	address := served(t, crowded(t, 200))
	question := new(dns.Msg).SetQuestion("nginx.default.svc.cluster.local.", dns.TypeA)
	exchange := func(network string, q *dns.Msg) *dns.Msg {
		client := &dns.Client{Net: network, Timeout: 30 * time.Second, UDPSize: dns.MaxMsgSize}
		reply, _, err := client.Exchange(q, address)
		require.NoError(t, err)
		reply.Compress = true // as it came
		return reply
	}
	small := exchange("udp", question)
	assert.True(t, small.Truncated)
	assert.LessOrEqual(t, small.Len(), dns.MinMsgSize)
	large := exchange("udp", question.Copy().SetEdns0(65535, false))
	assert.True(t, large.Truncated)
	assert.LessOrEqual(t, large.Len(), 1232)
	whole := exchange("tcp", question)
	assert.False(t, whole.Truncated)
	assert.Len(t, whole.Answer, 200)
}

// What is no question at all gets no answer, or an error, and ends nothing.
func TestGarbageEndsNothing(t *testing.T) {
	address := served(t, crowded(t, 1))
	conn, err := net.Dial("udp", address)
	require.NoError(t, err)
	defer conn.Close()
	for _, garbage := range []string{"", "x", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c", string(make([]byte, 4000))} {
		_, err := conn.Write([]byte(garbage))
		require.NoError(t, err)
	}
	reply, _, err := new(dns.Client).Exchange(
		new(dns.Msg).SetQuestion("web-0.nginx.default.svc.cluster.local.", dns.TypeA), address)
	require.NoError(t, err)
	assert.Len(t, reply.Answer, 1)
}

func FuzzAnswer(f *testing.F) {
	zone := town(f)
	for _, name := range []string{"web-0.nginx.default.svc.cluster.local.", "_web._tcp.front.default.svc.cluster.local.", "2.1.244.10.in-addr.arpa.", "."} {
		packed, err := new(dns.Msg).SetQuestion(name, dns.TypeANY).Pack()
		require.NoError(f, err)
		f.Add(packed)
	}
	f.Fuzz(func(t *testing.T, packet []byte) {
		question := new(dns.Msg)
		if question.Unpack(packet) != nil {
			return
		}
		_, err := zone.Answer(question).Pack()
		if err != nil {
			_, asked := question.Pack()
			assert.Error(t, asked, "the question could be packed, and its answer not: %v", err)
		}
	})
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
