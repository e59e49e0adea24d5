package commands

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"reconcile/internal/images/unix"
)

// ip tells of the Pod's network, in the words of busybox: ip address and ip
// route. It changes nothing: that takes a capability that containers do not have.
func ip(_ context.Context, p *unix.Process) int {
	if len(p.Args) < 2 {
		fmt.Fprint(p.Stderr, "Usage: ip address|route [show] [DEVICE]\n")
		return 1
	}
	object, rest := p.Args[1], p.Args[2:]
	if len(rest) > 0 && slices.Contains([]string{"add", "del", "flush", "set"}, rest[0]) {
		complain(p, "RTNETLINK answers: Operation not permitted")
		return 2
	}
	rest = slices.DeleteFunc(rest, func(word string) bool {
		return isShort(word, "show") || isShort(word, "list") || word == "dev"
	})
	device := strings.Join(rest, " ")
	switch {
	case device != "" && device != "lo" && device != "eth0":
		return complain(p, "can't find device '%s'", device)
	case isShort(object, "address"):
		fmt.Fprint(p.Stdout, addresses(p.Box.Network.IP(), device))
	case isShort(object, "route") && device != "lo":
		fmt.Fprint(p.Stdout, routes(p.Box.Network.IP()))
	case !isShort(object, "route"):
		return complain(p, "only address and route are known here")
	}
	return 0
}

// isShort reports whether a word is a name or the beginning of one.
func isShort(word, name string) bool {
	return word != "" && strings.HasPrefix(name, word)
}

// addresses lists the interfaces that a Pod has, or the one that is asked for. As the plugins bridge and
// host-local set them up: the end of eth0 in the node is one of many, and the
// hardware's address follows from the Pod's.
func addresses(of, device string) (shown string) {
	const always = "       valid_lft forever preferred_lft forever\n"
	own := net.ParseIP(of).To4()
	if device != "eth0" {
		shown = "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n" +
			"    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n" +
			"    inet 127.0.0.1/8 scope host lo\n" + always
	}
	if device == "lo" {
		return shown
	}
	return shown + fmt.Sprintf("2: eth0@if%d: <BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN> "+
		"mtu 1500 qdisc noqueue \n", own[3]+1) +
		fmt.Sprintf("    link/ether 0a:58:%02x:%02x:%02x:%02x brd ff:ff:ff:ff:ff:ff\n",
			own[0], own[1], own[2], own[3]) +
		fmt.Sprintf("    inet %s/24 brd %d.%d.%d.255 scope global eth0\n",
			of, own[0], own[1], own[2]) + always
}

// routes lead to the Pods of the node, and by way of the node to all others.
func routes(of string) string {
	subnet := of[:strings.LastIndexByte(of, '.')]
	return fmt.Sprintf("default via %[1]s.1 dev eth0 \n"+
		"%[1]s.0/24 dev eth0 scope link  src %[2]s \n", subnet, of)
}
