package commands

import (
	"context"
	"fmt"
	"strings"

	"reconcile/internal/images/unix"
)

// hostname prints the name of the Pod, in the manner of busybox. The long name is the first that /etc/hosts has
// beside the short one: there is one in a Pod with a subdomain.
func hostname(_ context.Context, p *unix.Process) int {
	o, err := parse(p, "fsid")
	if err != nil {
		return complain(p, "%v", err)
	}
	if len(o.args) > 0 {
		return complain(p, "sethostname: Operation not permitted")
	}
	return printHostname(p, o)
}

// Hostname is Debian's hostname, which has words for its options and one more.
func Hostname(_ context.Context, p *unix.Process) int {
	for i, arg := range p.Args {
		if letter := longOptions[arg]; letter != "" {
			p.Args[i] = letter
		}
	}
	o, err := parse(p, "fsidI")
	switch {
	case err != nil:
		return complain(p, "%v", err)
	case len(o.args) > 0:
		return complain(p, "you must be root to change the host name")
	case o.has('I'):
		fmt.Fprintf(p.Stdout, "%s \n", p.Box.Network.IP())
		return 0
	}
	return printHostname(p, o)
}

var longOptions = map[string]string{
	"--fqdn": "-f", "--long": "-f", "--short": "-s", "--domain": "-d",
	"--ip-address": "-i", "--all-ip-addresses": "-I",
}

func printHostname(p *unix.Process, o options) int {
	name := p.Box.Hostname
	short, _, _ := strings.Cut(name, ".")
	long := name
	if lines := inHosts(p, name); len(lines) > 0 && len(lines[0]) > 1 {
		long = lines[0][1]
	}
	_, domain, hasDomain := strings.Cut(long, ".")
	switch {
	case o.has('i'):
		fmt.Fprintln(p.Stdout, p.Box.Network.IP())
	case o.has('f'):
		fmt.Fprintln(p.Stdout, long)
	case o.has('d'):
		if hasDomain {
			fmt.Fprintln(p.Stdout, domain)
		}
	case o.has('s'):
		fmt.Fprintln(p.Stdout, short)
	default:
		fmt.Fprintln(p.Stdout, name)
	}
	return 0
}
