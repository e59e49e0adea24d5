package streams

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/portforward"
	client "k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// ServePortForward connects a client to ports of a Pod, over SPDY, which
// mostly goes through a WebSocket. Each connection is two of its streams: one
// for data, one for errors. Clients without SPDY have channels of a WebSocket.
func ServePortForward(
	w http.ResponseWriter, r *http.Request, pod *corev1.Pod, c Containers,
) {
	if err := onNode(pod); err != nil {
		refuse(w, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	f := &forwarder{
		ctx: ctx, pod: pod, containers: c, pairs: map[string]*pair{},
	}
	defer f.running.Wait()
	if wantsChannels(r) {
		f.servePorts(w, r)
		return
	}
	conn, err := f.open(w, r)
	if err != nil {
		if !errors.Is(err, errAnswered) {
			refuse(w, err)
		}
		return
	}
	defer conn.Close()
	select {
	case <-conn.CloseChan():
	case <-ctx.Done():
	}
	cancel()
}

// open makes a SPDY connection of a request. A kubectl before 1.31 wants it
// without a WebSocket.
func (f *forwarder) open(
	w http.ResponseWriter, r *http.Request,
) (httpstream.Connection, error) {
	if r.Header.Get("Upgrade") == spdy.HeaderSpdy31 {
		_, err := httpstream.Handshake(
			r, w, []string{portforward.PortForwardV1Name})
		if err != nil {
			return nil, errAnswered
		}
		conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, f.accept)
		if conn == nil {
			return nil, errAnswered
		}
		return conn, nil
	}
	ws, err := upgrade(w, r, portforward.WebsocketsSPDYTunnelingPortForwardV1)
	if err != nil {
		return nil, err
	}
	// It is closed with the connection below it.
	return spdy.NewServerConnection(
		client.NewTunnelingConnection("portforward", ws), f.accept)
}

// forwarder pairs the streams of one client, and connects each pair.
type forwarder struct {
	ctx        context.Context
	pod        *corev1.Pod
	containers Containers
	running    sync.WaitGroup

	mu    sync.Mutex
	pairs map[string]*pair // half of them is here
}

// accept takes a stream. Its error refuses it.
func (f *forwarder) accept(s httpstream.Stream, replied <-chan struct{}) error {
	port, err := strconv.ParseUint(s.Headers().Get(corev1.PortHeader), 10, 16)
	if err != nil || port == 0 {
		return fmt.Errorf("unable to parse %q as a port",
			s.Headers().Get(corev1.PortHeader))
	}
	id := s.Headers().Get(corev1.PortForwardRequestIDHeader)
	if id == "" {
		return fmt.Errorf("%q header is required", corev1.PortForwardRequestIDHeader)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.pairs[id]
	if p == nil {
		p = &pair{port: int32(port)}
		f.pairs[id] = p
	}
	if err := p.add(s); err != nil {
		return err
	}
	if p.data == nil || p.problem == nil {
		return nil
	}
	delete(f.pairs, id)
	f.running.Go(func() {
		select {
		case <-replied: // before that the client takes nothing
			f.connect(p)
		case <-f.ctx.Done():
		}
	})
	return nil
}
