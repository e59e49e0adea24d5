package controlloop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Listen opens a port of the Pod.
func (p *Process) Listen(port int32) (net.Listener, error) {
	p.runtime.mu.Lock()
	defer p.runtime.mu.Unlock()
	if p.status.State.Running == nil {
		return nil, fmt.Errorf("listen %d: the process has ended", port)
	}
	if p.sandbox.ports[port] != nil {
		return nil, fmt.Errorf("listen %d: address already in use", port)
	}
	l := newListener(p.sandbox.IP, port)
	p.sandbox.ports[port] = l
	p.ports = append(p.ports, port)
	return l, nil
}

// Dial implements Runtime.
func (s *Simulated) Dial(
	ctx context.Context, pod types.UID, port int32,
) (net.Conn, error) {
	s.mu.Lock()
	var ip string
	var l *listener
	if sandbox := s.pods[pod]; sandbox != nil {
		ip, l = sandbox.IP, sandbox.ports[port]
	}
	s.mu.Unlock()
	if l == nil {
		return nil, fmt.Errorf(
			"dial tcp %s:%d: connect: connection refused", ip, port)
	}
	return l.dial(ctx)
}

// listener is a port in memory.
type listener struct {
	address net.Addr
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newListener(ip string, port int32) *listener {
	return &listener{
		address: &net.TCPAddr{IP: net.ParseIP(ip), Port: int(port)},
		conns:   make(chan net.Conn),
		closed:  make(chan struct{}),
	}
}

func (l *listener) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.address }

// Close implements net.Listener. The port is given back when its process ends.
func (l *listener) Close() error {
	l.close()
	return nil
}

func (l *listener) close() { l.once.Do(func() { close(l.closed) }) }
