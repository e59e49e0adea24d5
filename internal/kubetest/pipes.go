package kubetest

import (
	"context"
	"net"
	"sync"
)

// Pipes lets clients in a bubble reach a server in it, where there is no
// network. It implements net.Listener.
type Pipes struct {
	accepting chan net.Conn
	closed    chan struct{}
	close     sync.Once
}

// NewPipes returns a listener to which nobody is connected yet.
func NewPipes() *Pipes {
	return &Pipes{accepting: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects a client with whatever accepts; the address counts for nothing.
func (p *Pipes) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepting <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepting:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Pipes) Close() error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *Pipes) Addr() net.Addr { return &net.TCPAddr{} }
