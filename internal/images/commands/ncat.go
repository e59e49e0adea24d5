package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

// Ncat runs nmap's netcat, 7.93, in TCP: it talks to the other end of a
// connection, or a command does. Images that have it say so.
func Ncat(ctx context.Context, p *unix.Process) int {
	o, err := ncatOptions(p.Args[1:])
	if err != nil {
		fmt.Fprintf(p.Stderr, "ncat: %v\n", err)
		return 2
	}
	if o.listen {
		return o.serve(ctx, p)
	}
	conn, err := p.Box.Network.Dial(ctx, "tcp", net.JoinHostPort(o.host, o.port))
	switch {
	case unknown(err):
		return ncatQuits(p, "Could not resolve hostname %q: "+
			"Name or service not known.", o.host)
	case err != nil:
		select {
		case <-time.After(wayBack):
		case <-ctx.Done():
			return 1
		}
		fmt.Fprintf(p.Stderr, "Ncat: %s.\n", ncatReason(err))
		return 1
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if !o.receives {
		go io.Copy(conn, p.Stdin)
	}
	if !o.sends {
		io.Copy(p.Stdout, conn)
	}
	return 0
}

// wayBack is how long an answer takes to come back that a connection is refused. In
// a pipe the command that reads from this one has begun by then.
const wayBack = time.Millisecond

// ncatQuits says why ncat does not go on at all, and returns the exit code.
func ncatQuits(p *unix.Process, format string, args ...any) int {
	fmt.Fprintf(p.Stderr, "Ncat: "+format+" QUITTING.\n", args...)
	return 2
}

func ncatReason(err error) string {
	switch {
	case errors.Is(err, syscall.EHOSTUNREACH):
		return "No route to host"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Connection refused"
	}
	return "Connection timed out"
}

// ncatArgs are the arguments of an ncat.
type ncatArgs struct {
	listen, keepOpen bool
	sends, receives  bool // only
	most             int  // connections at once
	command          string
	host, port       string
}

func ncatOptions(args []string) (o ncatArgs, err error) {
	o.most = 100
	var others []string
	for len(args) > 0 && err == nil {
		name, value, given := strings.Cut(args[0], "=")
		args = args[1:]
		wanted := func() string {
			if !given && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			return value
		}
		switch name {
		case "-l", "--listen":
			o.listen = true
		case "-k", "--keep-open":
			o.keepOpen = true
		case "--send-only":
			o.sends = true
		case "--recv-only":
			o.receives = true
		case "-m", "--max-conns":
			o.most, err = strconv.Atoi(wanted())
		case "-c", "--sh-exec":
			o.command = wanted()
		default:
			if strings.HasPrefix(name, "-") {
				err = fmt.Errorf("unrecognized option '%s'", name)
			}
			others = append(others, name)
		}
	}
	o.host, o.port = "localhost", "31337"
	switch {
	case len(others) == 1 && o.listen:
		o.port = others[0]
	case len(others) > 0:
		o.host = others[0]
		o.port = strings.Join(others[1:min(2, len(others))], "")
	}
	return o, err
}

// untilItFails is how many clients ncat serves as the first process of its
// container. There it inherits the children of its children, and takes the end of
// each for the end of a connection, until it has fewer than none
// (nmap's issue 1410). The real one is lucky between none and a few times.
const untilItFails = 3

// serve lets each client that connects talk to the command. As the first
// process of a container ncat is not asked to end, either: it catches no
// signal.
func (o ncatArgs) serve(ctx context.Context, p *unix.Process) int {
	port, err := strconv.ParseInt(o.port, 10, 32)
	if err != nil {
		return ncatQuits(p, "Invalid port number %q.", o.port)
	}
	l, err := p.Box.Network.Listen(int32(port))
	if err != nil {
		return ncatQuits(p, "bind to :::%d: Address already in use.", port)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	served := make(chan struct{}, o.most) // holds one for each that is
	for count := 1; ; {
		conn, err := l.Accept()
		if err != nil {
			return 1
		}
		select {
		case served <- struct{}{}:
		default: // one too many, which is not told why
			conn.Close()
			continue
		}
		last := !o.keepOpen || p.PID == 1 && count == untilItFails
		count++
		talk := func() {
			o.talk(ctx, p, conn)
			<-served // before the client knows, for it may come again at once
			conn.Close()
		}
		if !last {
			go talk()
			continue
		}
		talk()
		if !o.keepOpen {
			return 0
		}
		return ncatQuits(p, "assertion failed: count <= INT_MAX")
	}
}

// talk connects one client with a command of its own, or with the terminal. It
// leaves the connection open.
func (o ncatArgs) talk(ctx context.Context, p *unix.Process, conn net.Conn) {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if o.command == "" {
		if !o.receives {
			io.Copy(conn, p.Stdin)
		}
		if !o.sends {
			io.Copy(p.Stdout, conn)
		}
		return
	}
	child := p.Child("/bin/sh", "-c", o.command)
	child.Stdin, child.Stdout = strings.NewReader(""), conn
	if !o.sends {
		child.Stdin = conn
	}
	child.Run(ctx) // its exit code is not passed on
}
