package commands

import (
	"context"
	"fmt"
	"net"
	"strings"

	"reconcile/internal/images/unix"
)

// ip tells of the Pod's network, in the words of busybox. It changes nothing:
// that takes a capability that containers do not have.
func ip(_ context.Context, p *unix.Process) int {
	args, family := p.Args[1:], ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-4", "-6":
			family = args[0]
		default:
			return complain(p, "unrecognized option: %s", strings.TrimLeft(args[0], "-"))
		}
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprint(p.Stderr, "Usage: ip [-4|-6] address|route|link [show] [DEVICE]\n")
		return 1
	}
	object, args := args[0], args[1:]
	if len(args) > 0 {
		switch {
		case isShort(args[0], "show"), isShort(args[0], "list"):
			args = args[1:]
		case object[0] == 'r' && args[0] != "dev", args[0] == "add", args[0] == "del",
			args[0] == "set", args[0] == "flush":
			complain(p, "RTNETLINK answers: Operation not permitted")
			return 2
		}
	}
	if len(args) > 0 && args[0] == "dev" {
		args = args[1:]
	}
	device := strings.Join(args, " ")
	n := interfaces{p.Box.Network.IP(), family, device}
	switch {
	case device != "" && device != "lo" && device != "eth0":
		return complain(p, "can't find device '%s'", device)
	case isShort(object, "address"):
		fmt.Fprint(p.Stdout, n.list(true))
	case isShort(object, "link"):
		n.family = ""
		fmt.Fprint(p.Stdout, n.list(false))
	case isShort(object, "route"):
		fmt.Fprint(p.Stdout, n.routes())
	default:
		return complain(p, "invalid argument '%s' to 'ip'", object)
	}
	return 0
}

// isShort reports whether a word is a name or the beginning of one.
func isShort(word, name string) bool {
	return word != "" && strings.HasPrefix(name, word)
}

// interfaces are the two that a Pod has, or those of them that are asked for.
type interfaces struct{ address, family, device string }

func (n interfaces) list(addresses bool) string {
	var out strings.Builder
	own := net.ParseIP(n.address).To4()
	show := func(name, head, link, address string) {
		if n.family == "-6" || n.device != "" && n.device != name {
			return
		}
		out.WriteString(head)
		if n.family == "" {
			out.WriteString(link)
		}
		if addresses {
			out.WriteString("    inet " + address + "\n       valid_lft forever preferred_lft forever\n")
		}
	}
	show("lo", "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n",
		"    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n",
		"127.0.0.1/8 scope host lo")
	// As the plugins bridge and host-local set it up: the end in the node is one
	// of many, and the hardware's address follows from the Pod's.
	show("eth0", fmt.Sprintf("2: eth0@if%d: <BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN> "+
		"mtu 1500 qdisc noqueue \n", own[3]+1),
		fmt.Sprintf("    link/ether 0a:58:%02x:%02x:%02x:%02x brd ff:ff:ff:ff:ff:ff\n",
			own[0], own[1], own[2], own[3]),
		fmt.Sprintf("%s/24 brd %d.%d.%d.255 scope global eth0",
			n.address, own[0], own[1], own[2]))
	return out.String()
}

// routes lead to the Pods of the node, and by way of the node to all others.
func (n interfaces) routes() string {
	if n.family == "-6" || n.device == "lo" {
		return ""
	}
	subnet := n.address[:strings.LastIndexByte(n.address, '.')]
	return fmt.Sprintf("default via %[1]s.1 dev eth0 \n"+
		"%[1]s.0/24 dev eth0 scope link  src %[2]s \n", subnet, n.address)
}
