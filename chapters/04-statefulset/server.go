package statefulset

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/miekg/dns"
)

// Serve answers questions until ctx ends: those that come in single packets, and
// those that come over connections. It closes both.
func (z *Zone) Serve(
	ctx context.Context, packets net.PacketConn, connections net.Listener,
) error {
	servers := []*dns.Server{
		{PacketConn: packets, Handler: dns.HandlerFunc(z.answerPacket)},
		{Listener: connections, Handler: dns.HandlerFunc(z.answerStream)},
	}
	defer packets.Close()
	defer connections.Close()
	var serving sync.WaitGroup
	failed := make(chan error, len(servers))
	for _, server := range servers {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		serving.Go(func() { failed <- server.ActivateAndServe() })
		select {
		case <-started:
		case err := <-failed:
			return err
		}
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	for _, server := range servers {
		err = errors.Join(err, server.ShutdownContext(context.WithoutCancel(ctx)))
	}
	serving.Wait()
	return err
}

func (z *Zone) answerStream(w dns.ResponseWriter, request *dns.Msg) {
	_ = w.WriteMsg(z.Answer(request)) // an error means that the client has gone
}

// answerPacket cuts an answer to what the question has room for: 512
// bytes, if it does not say. An attacker who forges the address of a
// victim cannot have more sent there; a client that wants the rest is told
// to ask over a connection.
func (z *Zone) answerPacket(w dns.ResponseWriter, request *dns.Msg) {
	reply, size := z.Answer(request), dns.MinMsgSize
	if extended := request.IsEdns0(); extended != nil {
		size = min(int(extended.UDPSize()), largestPacket)
		reply.SetEdns0(largestPacket, false)
	}
	reply.Truncate(size)
	_ = w.WriteMsg(reply)
}

// largestPacket is the size that no network on the way has to cut up.
const largestPacket = 1232
