package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"
	"time"

	"reconcile/internal/images/unix"
)

func nc(ctx context.Context, p *unix.Process) int {
	o, err := parse(p, "lvznktw:p:")
	if err != nil {
		return complain(p, "%v", err)
	}
	if o.has('w') {
		seconds, err := o.number('w', 0)
		if err != nil {
			return complain(p, "%v", err)
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		defer cancel()
	}
	conn, err := connection(ctx, p, o)
	if err != nil {
		return complain(p, "%v", err)
	}
	defer conn.Close()
	if o.has('z') {
		if o.has('v') {
			fmt.Fprintf(p.Stderr, "%s (%s) open\n", o.args[0], o.args[1])
		}
		return 0
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	go io.Copy(conn, p.Stdin)
	io.Copy(p.Stdout, conn)
	return 0
}

// connection returns the connection that nc is to use: from the first client
// that calls, or to the host that nc calls.
func connection(ctx context.Context, p *unix.Process, o options) (net.Conn, error) {
	port := o.value('p', "")
	if port == "" && len(o.args) > 0 {
		port = o.args[len(o.args)-1]
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("bad port '%s'", port)
	}
	if !o.has('l') {
		if len(o.args) != 2 {
			return nil, fmt.Errorf("usage: nc [-lvzt] [-w SEC] [HOST] PORT")
		}
		return call(ctx, p, o.args[0], port)
	}
	l, err := p.Box.Network.Listen(int32(number))
	if err != nil {
		return nil, fmt.Errorf("bind: Address in use")
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	return l.Accept()
}

// call connects to a port of a host.
func call(
	ctx context.Context, p *unix.Process, host, port string,
) (net.Conn, error) {
	conn, err := p.Box.Network.Dial(ctx, "tcp", net.JoinHostPort(host, port))
	switch {
	case err == nil:
		return conn, nil
	case unknown(err):
		return nil, fmt.Errorf("bad address '%s'", host)
	case errors.Is(err, syscall.EHOSTUNREACH):
		return nil, fmt.Errorf("%s (%s:%s): No route to host", host, host, port)
	}
	return nil, fmt.Errorf("%s (%s:%s): Connection refused", host, host, port)
}
