package statefulset_test

import (
	"net"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	statefulset "reconcile/chapters/04-statefulset"
)

// listener hears the answer to one question.
type listener struct {
	dns.ResponseWriter
	heard *dns.Msg
}

// WriteMsg implements dns.ResponseWriter.
func (l *listener) WriteMsg(m *dns.Msg) error {
	l.heard = m
	return nil
}

// RemoteAddr implements dns.ResponseWriter.
func (l *listener) RemoteAddr() net.Addr { return &net.UDPAddr{} }

// FuzzAnswer puts all that a packet can say to the server. The answer is to this
// question, can be sent if the question could, and is no larger than it may be.
func FuzzAnswer(f *testing.F) {
	zone := crowded(f, 200)
	for _, name := range []string{
		many, "web-0." + many, "_web._tcp." + many, "10-244-0-2.default.pod.cluster.local.",
		"cluster.local.", "2.0.244.10.in-addr.arpa.", ".", "example.com.", `\000\255.cluster.local.`,
	} {
		for _, kind := range []uint16{dns.TypeA, dns.TypeSRV, dns.TypeANY} {
			asks := new(dns.Msg).SetQuestion(name, kind)
			f.Add(packed(f, asks))
			for _, room := range []uint16{0, 600, 65535} {
				f.Add(packed(f, asks.Copy().SetEdns0(room, true)))
			}
		}
	}
	f.Add([]byte("\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01"))
	f.Fuzz(func(t *testing.T, packet []byte) {
		asks := new(dns.Msg)
		if asks.Unpack(packet) != nil {
			return
		}
		var who listener
		zone.AnswerPacket(&who, asks.Copy())
		require.NotNil(t, who.heard)
		assert.Equal(t, asks.Id, who.heard.Id)
		assert.True(t, who.heard.Response)
		answer, err := who.heard.Pack()
		if err != nil {
			_, unsaid := asks.Pack()
			assert.Error(t, unsaid, "the question could be packed, and its answer not: %v", err)
			return
		}
		room := dns.MinMsgSize
		if extended := asks.IsEdns0(); extended != nil {
			room = min(max(room, int(extended.UDPSize())), statefulset.LargestPacket)
		}
		assert.LessOrEqual(t, len(answer), room)
	})
}
