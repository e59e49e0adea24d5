package httpserve

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// ErrNoFiles says why connections wait, and what helps.
var ErrNoFiles = errors.New("too many connections at once: each is an open file, and this process may open no more. " +
	"Those that come now wait. `ulimit -n 4096` in the shell, before the start, lets it open more")

// A patient listener tries so often, and tells anew what it hasn't met for so long.
const (
	firstTry  = 5 * time.Millisecond
	lastTry   = time.Second
	tellAgain = time.Minute
)

// Patient returns a listener that waits when there are too many open files, as
// net/http does, but tells it in one sentence, once, and not at each try.
func Patient(listener net.Listener, tell func(error)) net.Listener {
	return &patient{Listener: listener, tell: tell}
}

type patient struct {
	net.Listener
	tell func(error)
	last time.Time // when there were too many; of Accept alone
}

// Accept implements net.Listener. One goroutine calls it.
func (p *patient) Accept() (net.Conn, error) {
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		connection, err := p.Listener.Accept()
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			return connection, err
		}
		if p.last.IsZero() || time.Since(p.last) > tellAgain {
			p.tell(ErrNoFiles)
		}
		p.last = time.Now()
		time.Sleep(wait)
	}
}
