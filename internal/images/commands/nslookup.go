package commands

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/afero"

	"reconcile/internal/images/resolvconf"
	"reconcile/internal/images/unix"
)

// nslookup asks for a name, or for that of an address, and answers in the words
// of busybox 1.28, which a hundred tutorials know.
func nslookup(ctx context.Context, p *unix.Process) int {
	if len(p.Args) < 2 || len(p.Args) > 3 {
		fmt.Fprint(p.Stderr, "Usage: nslookup [HOST] [SERVER]\n")
		return 1
	}
	host := p.Args[1]
	if servers := confOf(p).Servers; len(servers) > 0 {
		server := servers[0]
		fmt.Fprintf(p.Stdout, "Server:    %s\n", server)
		printAddress(ctx, p, 1, server)
		fmt.Fprintln(p.Stdout)
	}
	addresses := []string{host}
	if net.ParseIP(host) == nil {
		var err error
		addresses, err = p.Box.Network.LookupHost(ctx, host)
		if err != nil {
			fmt.Fprintf(p.Stderr, "nslookup: can't resolve '%s'\n", host)
			return 1
		}
	}
	fmt.Fprintf(p.Stdout, "Name:      %s\n", host)
	for i, address := range addresses {
		printAddress(ctx, p, i+1, address)
	}
	return 0
}

func printAddress(ctx context.Context, p *unix.Process, n int, address string) {
	names, _ := p.Box.Network.LookupAddr(ctx, address) // not all have one
	fmt.Fprintln(p.Stdout, strings.TrimRight(fmt.Sprintf(
		"Address %d: %s %s", n, address, strings.Join(names[:min(1, len(names))], "")), " "))
}

// confOf returns whom the container asks for names.
func confOf(p *unix.Process) resolvconf.Conf {
	text, _ := afero.ReadFile(p.Box.Files, "/etc/resolv.conf") // without it: nobody
	return resolvconf.Parse(string(text))
}
