package images

import (
	"net"
	"os"
	"sync"
	"time"
)

// link is a connection between two nodes, as the node that began it has it.
// While one of them is cut off nothing comes through, not even that it has been
// closed: a reader waits until its own patience is over. Afterwards the
// connection goes on, as TCP does.
type link struct {
	net.Conn
	from, to *node // from may be nil: a client outside of the cluster
	held     []byte
	lost     error // after what is held
	closed   chan struct{}
	once     sync.Once
	reading  patience
	writing  patience
}

func newLink(conn net.Conn, from, to *node) *link {
	l := &link{Conn: conn, from: from, to: to, closed: make(chan struct{})}
	l.reading.set(time.Time{})
	l.writing.set(time.Time{})
	return l
}

// Read implements net.Conn. Reads are one after the other.
func (l *link) Read(b []byte) (int, error) {
	if len(l.held) == 0 && l.lost == nil {
		n, err := l.Conn.Read(b)
		if os.IsTimeout(err) {
			return n, err
		}
		l.held, l.lost = append(l.held, b[:n]...), err
	}
	if err := l.whole(&l.reading); err != nil {
		return 0, err
	}
	n := copy(b, l.held)
	if l.held = l.held[n:]; len(l.held) > 0 {
		return n, nil
	}
	return n, l.lost
}

// Write implements net.Conn.
func (l *link) Write(b []byte) (int, error) {
	if err := l.whole(&l.writing); err != nil {
		return 0, err
	}
	return l.Conn.Write(b)
}

// whole waits until both ends reach each other.
func (l *link) whole(p *patience) error {
	for {
		changed := l.to.cable.next()
		var other <-chan struct{}
		if l.from != nil {
			other = l.from.cable.next()
		}
		if l.to.reaches(l.from) {
			return nil
		}
		select {
		case <-changed:
		case <-other:
		case <-p.end():
			return os.ErrDeadlineExceeded
		case <-l.closed:
			return net.ErrClosed
		}
	}
}

// Close implements net.Conn.
func (l *link) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Conn.Close()
}

// SetDeadline implements net.Conn.
func (l *link) SetDeadline(t time.Time) error {
	l.reading.set(t)
	l.writing.set(t)
	return l.Conn.SetDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (l *link) SetReadDeadline(t time.Time) error {
	l.reading.set(t)
	return l.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (l *link) SetWriteDeadline(t time.Time) error {
	l.writing.set(t)
	return l.Conn.SetWriteDeadline(t)
}

// patience is a deadline. A read or write that waits hears of it also when it
// is moved.
type patience struct {
	mu    sync.Mutex
	over  chan struct{}
	timer *time.Timer
}

func (p *patience) end() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// set makes the patience end at t, or never if t is zero.
func (p *patience) set(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil && !p.timer.Stop() {
		p.over = nil
	}
	p.timer = nil
	if p.over == nil {
		p.over = make(chan struct{})
	}
	if !t.IsZero() {
		over := p.over
		p.timer = time.AfterFunc(time.Until(t), func() { close(over) })
	}
}
