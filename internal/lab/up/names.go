package up

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"

	"reconcile/internal/lab"
)

// names takes the questions for the names of the cluster: at the same
// port of UDP and of TCP.
type names struct {
	packets     net.PacketConn
	connections net.Listener
}

// tries is how many free ports of TCP are tried, until one is free in UDP too.
const tries = 16

func listenForNames(opts Options) (*names, error) {
	for range tries {
		at := net.JoinHostPort(opts.Address, strconv.Itoa(opts.DNSPort))
		connections, err := net.Listen("tcp", at)
		if err == nil {
			packets, err := net.ListenPacket("udp", connections.Addr().String())
			if err == nil {
				return &names{packets, connections}, nil
			}
			connections.Close()
		}
		if opts.DNSPort != 0 {
			return nil, fmt.Errorf("--dns-port: %w; choose another, "+
				"or 0 for any that is free", plain(at, err))
		}
	}
	return nil, fmt.Errorf("--dns-port: no port of %s is free in UDP and in TCP",
		opts.Address)
}

func plain(at string, err error) error {
	if err == nil || errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("listen on %s: address already in use", at)
	}
	return err
}

func (n *names) host() string {
	host, _, _ := net.SplitHostPort(reachable(n.connections.Addr()))
	return host
}

func (n *names) port() int { return n.connections.Addr().(*net.TCPAddr).Port }

// run answers until ctx ends. If it cannot, it warns; the lab goes on.
func (n *names) run(ctx context.Context, l *lab.Lab, warnings io.Writer) {
	if err := l.Names().Serve(ctx, n.packets, n.connections); err != nil {
		fmt.Fprintf(warnings, "lab: names are not answered: %v\n", err)
	}
}

func (n *names) close() error {
	n.packets.Close()
	n.connections.Close()
	return nil
}
