package streams

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"
)

// pair holds the streams of one connection to a port.
type pair struct {
	port          int32
	data, problem stream
}

// stream is a SPDY stream, or a channel of a WebSocket.
type stream interface {
	io.ReadWriteCloser
	Reset() error
}

func (p *pair) add(s httpstream.Stream) error {
	kind := s.Headers().Get(corev1.StreamType)
	switch {
	case kind == corev1.StreamTypeData && p.data == nil:
		p.data = s
	case kind == corev1.StreamTypeError && p.problem == nil:
		p.problem = s
	default:
		return fmt.Errorf("stream type %q is unknown, or was there before", kind)
	}
	return nil
}

// connect connects a pair until one side has ended.
func (f *forwarder) connect(p *pair) {
	conn, err := f.containers.Dial(f.ctx, f.pod, p.port)
	if err != nil {
		fmt.Fprintf(p.problem, "error forwarding port %d to pod %s, uid %s: %v",
			p.port, f.pod.Name, f.pod.UID, err)
		p.problem.Close()
		p.data.Reset()
		return
	}
	join(f.ctx, p.data, conn)
	p.data.Close()
	p.problem.Close()
}

// patience is how long a Pod may still answer to a client that has sent all, if
// its connection can't tell it so.
const patience = 5 * time.Second

// join copies both ways. It ends when the Pod does, when ctx does, or when the
// client has said all and the Pod had time to answer.
func join(ctx context.Context, client stream, pod net.Conn) {
	stop := context.AfterFunc(ctx, func() { pod.Close() })
	defer stop()
	said := make(chan struct{})
	go func() {
		defer close(said)
		io.Copy(pod, client)
		if half, ok := pod.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
			return
		}
		pod.SetReadDeadline(time.Now().Add(patience))
	}()
	io.Copy(client, pod)
	pod.Close()
	// The client is told by its stream, and then closes its half as well.
	client.Close()
	select {
	case <-said:
	case <-ctx.Done():
	}
}
