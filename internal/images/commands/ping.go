package commands

import (
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

// ping asks an address for an echo, once a second. Pods answer; the address of
// a Service belongs to no machine, and does not.
func ping(ctx context.Context, p *unix.Process) int {
	o, err := parse(p, "46qc:W:w:i:s:")
	if err != nil {
		return complain(p, "%v", err)
	}
	e := echo{Process: p, options: o}
	for option, field := range map[byte]struct {
		value     *int
		otherwise int
	}{
		'c': {&e.count, 0}, 'W': {&e.last, 10}, 'w': {&e.limit, 0},
		'i': {&e.pause, 1}, 's': {&e.size, 56},
	} {
		if *field.value, err = o.number(option, field.otherwise); err != nil {
			return complain(p, "%v", err)
		}
	}
	if len(o.args) != 1 {
		return complain(p, "usage: ping [-q] [-c COUNT] [-i SEC] [-W SEC] [-w SEC] [-s SIZE] HOST")
	}
	if e.address = address(ctx, p, o.args[0]); e.address == "" {
		return complain(p, "bad address '%s'", o.args[0])
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.Catch(func(syscall.Signal) { cancel() })
	fmt.Fprintf(p.Stdout, "PING %s (%s): %d data bytes\n", o.args[0], e.address, e.size)
	e.run(ctx)
	return e.summarize(o.args[0])
}

// address returns the address of a host, or "".
func address(ctx context.Context, p *unix.Process, host string) string {
	switch {
	case net.ParseIP(host) != nil:
		return host
	case host == "localhost":
		return "127.0.0.1"
	case host == p.Box.Hostname:
		return p.Box.Network.IP()
	}
	found, err := p.Box.Network.LookupHost(ctx, host)
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[0]
}

// echo holds what ping has been told, and what it has heard.
type echo struct {
	*unix.Process
	options
	address                         string
	count, last, limit, pause, size int
	sent                            int
	times                           []time.Duration
}

// run asks as often and for as long as it was told to, or until ctx ends.
func (e *echo) run(ctx context.Context) {
	began := time.Now()
	for e.limit == 0 || time.Since(began) < time.Duration(e.limit)*time.Second {
		asked := time.Now()
		answered := e.Box.Network.Reaches(ctx, e.address)
		if ctx.Err() != nil {
			return
		}
		if answered {
			e.heard(time.Since(asked))
		}
		e.sent++
		wait := e.pause
		over := e.sent == e.count
		if over && len(e.times) == e.sent {
			return
		}
		if over { // what was sent last may still be answered
			wait = e.last
		}
		select {
		case <-time.After(time.Duration(wait) * time.Second):
		case <-ctx.Done():
			return
		}
		if over {
			return
		}
	}
}

func (e *echo) heard(after time.Duration) {
	e.times = append(e.times, after)
	if e.has('q') {
		return
	}
	fmt.Fprintf(e.Stdout, "%d bytes from %s: seq=%d ttl=%d time=%s ms\n",
		e.size+8, e.address, e.sent, e.ttl(), milliseconds(after))
}

// ttl returns what is left of 64: one less for each of the two nodes between
// Pods.
func (e *echo) ttl() int {
	from := e.Box.Network.IP()
	subnet := from[:strings.LastIndexByte(from, '.')+1]
	if strings.HasPrefix(e.address, subnet) || net.ParseIP(e.address).IsLoopback() {
		return 64
	}
	return 62
}

func (e *echo) summarize(host string) int {
	lost := 0
	if e.sent > 0 {
		lost = (e.sent - len(e.times)) * 100 / e.sent
	}
	fmt.Fprintf(e.Stdout, "\n--- %s ping statistics ---\n"+
		"%d packets transmitted, %d packets received, %d%% packet loss\n",
		host, e.sent, len(e.times), lost)
	if len(e.times) == 0 {
		return 1
	}
	least, most, sum := e.times[0], time.Duration(0), time.Duration(0)
	for _, t := range e.times {
		least, most, sum = min(least, t), max(most, t), sum+t
	}
	fmt.Fprintf(e.Stdout, "round-trip min/avg/max = %s/%s/%s ms\n", milliseconds(least),
		milliseconds(sum/time.Duration(len(e.times))), milliseconds(most))
	return 0
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d.%03d", d.Milliseconds(), d.Microseconds()%1000)
}
