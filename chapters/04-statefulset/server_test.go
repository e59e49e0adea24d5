package statefulset_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	discoveryv1 "k8s.io/api/discovery/v1"

	statefulset "reconcile/chapters/04-statefulset"
)

// crowded puts so many Pods behind one name that no packet holds them.
func crowded(t testing.TB, n int) *statefulset.Zone {
	var all []discoveryv1.Endpoint
	for i := range n {
		all = append(all, endpoint(fmt.Sprintf("10.244.%d.%d", i/250, i%250+2), fmt.Sprintf("web-%d", i), true))
	}
	return zoneOf(t, headless("nginx"), slice("nginx", 80, all...))
}

// asked serves a zone to a test that sends packets one by one, and hands each to
// look with the answer.
func asked(t *testing.T, zone *statefulset.Zone, packets map[string][]byte, look func(name string, packet []byte, back [][]byte)) {
	synctest.Test(t, func(t *testing.T) {
		w, nobody := newWire(), newDeaf()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- zone.Serve(ctx, w, nobody) }()
		for name, packet := range packets {
			w.packets <- packet
			synctest.Wait()
			look(name, packet, w.take())
		}
		stop()
		assert.NoError(t, <-done)
	})
}

func packed(t testing.TB, m *dns.Msg) []byte {
	t.Helper()
	packet, err := m.Pack()
	require.NoError(t, err)
	return packet
}

func question(name string) *dns.Msg { return new(dns.Msg).SetQuestion(name, dns.TypeA) }

const many = "nginx.default.svc.cluster.local."

// An attacker who forges the address of a victim cannot have more
// sent there than the question had room for, and never more than one
// packet of the network's.
func TestNoPacketIsLargerThanItMayBe(t *testing.T) {
	packets, most := map[string][]byte{"plain": packed(t, question(many))}, map[string]int{"plain": 512}
	for room, want := range map[uint16]int{0: 512, 100: 512, 512: 512, 600: 600, 1232: 1232, 1233: 1232, 4096: 1232, 65535: 1232} {
		name := fmt.Sprintf("room for %d", room)
		packets[name], most[name] = packed(t, question(many).SetEdns0(room, false)), want
	}
	asked(t, crowded(t, 200), packets, func(name string, _ []byte, back [][]byte) {
		require.Len(t, back, 1, name)
		assert.LessOrEqual(t, len(back[0]), most[name], name)
		assert.Greater(t, len(back[0]), most[name]-20, "%s: a room is there to be used", name)
		reply := new(dns.Msg)
		require.NoError(t, reply.Unpack(back[0]), name)
		assert.True(t, reply.Truncated, name)
		extended := reply.IsEdns0()
		assert.Equal(t, name != "plain", extended != nil, "%s: an extension is for who uses it", name)
		assert.False(t, extended != nil && extended.Do(), "%s: nothing here is signed", name)
	})
}

// A packet that is no question at all gets no more back than was sent, and ends
// nothing. One that is an answer gets none: two servers would talk for ever.
func TestGarbageEndsNothing(t *testing.T) {
	good := packed(t, question("web-0."+many))
	with := func(at int, bytes ...byte) []byte {
		packet := append([]byte(nil), good...)
		copy(packet[at:], bytes)
		return packet
	}
	garbage := map[string][]byte{
		"nothing": {}, "a letter": []byte("x"), "half a head": good[:7], "a head alone": good[:12],
		"half a name": good[:20], "a name without a type": good[:len(good)-3],
		"zeros":                      make([]byte, 4000),
		"an answer":                  with(2, 0x80),
		"an update":                  with(2, 5<<3),
		"no question":                with(4, 0, 0),
		"two, of which one is there": with(4, 0, 2),
		"65535 questions":            with(4, 255, 255),
		"65535 answers beside":       with(6, 255, 255),
		"a name that is itself":      with(12, 0xc0, 12),
		"a name beyond the end":      with(12, 0xff, 255),
		"a label that is too long":   with(12, 0x40),
	}
	asked(t, crowded(t, 1), garbage, func(name string, packet []byte, back [][]byte) {
		for _, reply := range back {
			assert.LessOrEqual(t, len(reply), len(packet), name)
		}
		if name == "an answer" {
			assert.Empty(t, back, name)
		}
	})
	garbage["a question"] = good
	asked(t, crowded(t, 1), garbage, func(name string, _ []byte, back [][]byte) {
		if name == "a question" {
			require.Len(t, back, 1)
			reply := new(dns.Msg)
			require.NoError(t, reply.Unpack(back[0]))
			assert.Len(t, reply.Answer, 1)
		}
	})
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

func TestTheRestIsAskedForOverARealConnection(t *testing.T) {
	address := served(t, crowded(t, 200))
	exchange := func(network string) *dns.Msg {
		client := &dns.Client{Net: network, Timeout: 30 * time.Second}
		reply, _, err := client.Exchange(question(many), address)
		require.NoError(t, err)
		return reply
	}
	assert.True(t, exchange("udp").Truncated)
	whole := exchange("tcp")
	assert.False(t, whole.Truncated)
	assert.Len(t, whole.Answer, 200)
}

// A connection over which garbage comes is its own affair.
func TestGarbageOverARealConnectionEndsOnlyThat(t *testing.T) {
	address := served(t, crowded(t, 1))
	for _, garbage := range []string{"", "\x00", "\xff\xff", "\x00\x00", "\x00\x03abc", "\x00\x0c\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"} {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		_, err = conn.Write([]byte(garbage))
		require.NoError(t, err)
		defer conn.Close() // they stay open, all of them
	}
	client := &dns.Client{Net: "tcp", Timeout: 30 * time.Second}
	reply, _, err := client.Exchange(question("web-0."+many), address)
	require.NoError(t, err)
	assert.Len(t, reply.Answer, 1)
}

func TestAServerThatLosesItsPortSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		packets, connections := newWire(), newDeaf()
		done := make(chan error, 1)
		go func() { done <- crowded(t, 1).Serve(t.Context(), packets, connections) }()
		synctest.Wait()
		connections.Close()
		synctest.Wait()
		select {
		case err := <-done:
			assert.ErrorIs(t, err, net.ErrClosed)
		default:
			assert.Fail(t, "nobody can connect, and nobody is told")
			packets.Close()
		}
	})
}
