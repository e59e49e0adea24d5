package simulated

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"

	"k8s.io/apimachinery/pkg/types"
)

// Network connects to an address, as a net.Dialer does: "10.244.1.3:80".
type Network interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Resolver knows the addresses of a name. A net.Resolver is one.
type Resolver interface {
	LookupHost(ctx context.Context, host string) ([]string, error)
}

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

// Dial connects to a port of a host, which is an address or a name.
func (p *Process) Dial(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	found, err := p.lookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	for _, ip := range found {
		var conn net.Conn
		if conn, err = p.dial(ctx, network, ip, port); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// lookUp returns the addresses of a host: the Pod's own without asking the
// resolver, others as the resolver says.
func (p *Process) lookUp(ctx context.Context, host string) ([]string, error) {
	switch {
	case net.ParseIP(host) != nil:
		return []string{host}, nil
	case host == "localhost", host == p.Hostname():
		return []string{p.IP()}, nil
	}
	if resolver := p.Resolver(); resolver != nil {
		return resolver.LookupHost(ctx, host)
	}
	return nil, nil
}

// Resolver returns the resolver that the Pod asks for names, or nil.
func (p *Process) Resolver() Resolver {
	if p.runtime.Resolver == nil {
		return nil
	}
	return p.runtime.Resolver(p.Pod)
}

func (p *Process) dial(
	ctx context.Context, network, ip, port string,
) (net.Conn, error) {
	var out Network = p.runtime
	switch {
	case net.ParseIP(ip).IsLoopback():
		ip = p.IP()
	case ip != p.IP() && p.runtime.Network != nil:
		out = p.runtime.Network
	}
	return out.DialContext(ctx, network, net.JoinHostPort(ip, port))
}

// PodNetwork connects to the Pods of several nodes.
type PodNetwork []*Runtime

// DialContext implements Network.
func (n PodNetwork) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	for _, node := range n {
		if node.has(host) {
			return node.DialContext(ctx, network, address)
		}
	}
	return nil, unreachable(network, address, syscall.EHOSTUNREACH)
}

func (r *Runtime) has(ip string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addresses[ip] != nil
}

// DialContext implements Network, for the Pods of this runtime.
func (r *Runtime) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	host, number, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	pod := r.addresses[host]
	r.mu.Unlock()
	if pod == nil {
		return nil, unreachable(network, address, syscall.EHOSTUNREACH)
	}
	return r.Dial(ctx, pod.UID, int32(port))
}

// unreachable returns the error with which a net.Dialer fails on an address.
func unreachable(network, address string, why syscall.Errno) error {
	return fmt.Errorf("dial %s %s: %w",
		network, address, os.NewSyscallError("connect", why))
}

// Dial implements kubelet.Runtime.
func (r *Runtime) Dial(
	ctx context.Context, pod types.UID, port int32,
) (net.Conn, error) {
	r.mu.Lock()
	var ip string
	var l *listener
	if sandbox := r.pods[pod]; sandbox != nil {
		ip, l = sandbox.IP, sandbox.ports[port]
	}
	r.mu.Unlock()
	if l != nil {
		if conn, err := l.dial(ctx); err != net.ErrClosed {
			return conn, err
		}
	}
	return nil, unreachable(
		"tcp", fmt.Sprintf("%s:%d", ip, port), syscall.ECONNREFUSED)
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
		return nil, net.ErrClosed
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
