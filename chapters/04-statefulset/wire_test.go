package statefulset_test

import (
	"net"
	"os"
	"sync"
	"time"
)

// wire is a net.PacketConn in memory: a test puts packets on it,
// and takes the answers.
type wire struct {
	packets chan []byte
	closed  chan struct{}
	close   func()

	mu   sync.Mutex
	back [][]byte
}

func newWire() *wire {
	w := &wire{packets: make(chan []byte), closed: make(chan struct{})}
	w.close = sync.OnceFunc(func() { close(w.closed) })
	return w
}

func (w *wire) take() [][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	back := w.back
	w.back = nil
	return back
}

// ReadFrom implements net.PacketConn.
func (w *wire) ReadFrom(p []byte) (int, net.Addr, error) {
	select {
	case packet := <-w.packets:
		return copy(p, packet), w.LocalAddr(), nil
	case <-w.closed:
		return 0, nil, os.ErrDeadlineExceeded
	}
}

// WriteTo implements net.PacketConn.
func (w *wire) WriteTo(p []byte, _ net.Addr) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.back = append(w.back, append([]byte(nil), p...))
	return len(p), nil
}

// Close implements net.PacketConn.
func (w *wire) Close() error {
	w.close()
	return nil
}

// LocalAddr implements net.PacketConn.
func (w *wire) LocalAddr() net.Addr { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// SetReadDeadline implements net.PacketConn. A deadline that is
// over wakes the reader.
func (w *wire) SetReadDeadline(at time.Time) error {
	if at.Before(time.Now()) {
		w.close()
	}
	return nil
}

// SetDeadline implements net.PacketConn.
func (w *wire) SetDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.PacketConn.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// deaf is a net.Listener that gets no connections.
type deaf struct {
	closed chan struct{}
	close  func()
}

func newDeaf() *deaf {
	d := &deaf{closed: make(chan struct{})}
	d.close = sync.OnceFunc(func() { close(d.closed) })
	return d
}

// Accept implements net.Listener.
func (d *deaf) Accept() (net.Conn, error) {
	<-d.closed
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (d *deaf) Close() error {
	d.close()
	return nil
}

// Addr implements net.Listener.
func (d *deaf) Addr() net.Addr { return &net.TCPAddr{} }
