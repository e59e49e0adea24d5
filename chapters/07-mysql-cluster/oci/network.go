//go:build linux

package oci

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"

	"github.com/vishvananda/netlink"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// Network connects the Pods of several nodes, all of them in the network
// namespace of this process: that is the room in which the machines stand. Each
// node has a bridge, a switch that is software; each of its Pods is plugged
// into that with a cable; and the room forwards what is addressed to another
// node. Nothing leads out of it. It is a PodNetwork.
type Network struct {
	// Conf is a Pod's /etc/resolv.conf.
	Conf func(*corev1.Pod) string

	mu       sync.Mutex
	nodes    map[string]*bridge
	pods     map[types.UID]*cable
	services map[controlloop.Key]virtual // as every Pod is to have them
}

// NewNetwork makes this process' network namespace such a room, at an address
// of its own: where Pods find what the lab itself serves.
func NewNetwork(address netip.Addr) (*Network, error) {
	loopback, err := netlink.LinkByName("lo")
	if err != nil {
		return nil, err
	}
	if err := bringUp(netlink.LinkSetUp, loopback, address); err != nil {
		return nil, fmt.Errorf("take the address %s: %w", address, err)
	}
	if err := forwarding("all", true); err != nil {
		return nil, err
	}
	return &Network{
		nodes: map[string]*bridge{}, pods: map[types.UID]*cable{},
		services: map[controlloop.Key]virtual{},
	}, nil
}

// bringUp switches a link on, and gives it an address that no other has.
func bringUp(
	on func(netlink.Link) error, link netlink.Link, address netip.Addr,
) error {
	alone := netip.PrefixFrom(address, address.BitLen())
	err := netlink.AddrReplace(link, addressIn(alone))
	return cmp.Or(err, on(link))
}

// addressIn returns an address as netlink has it.
func addressIn(p netip.Prefix) *netlink.Addr {
	return &netlink.Addr{IPNet: &net.IPNet{
		IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen()),
	}}
}

// forwarding tells the kernel whether to hand on what comes in from a link and
// is for others.
func forwarding(link string, on bool) error {
	value := []byte("0")
	if on {
		value = []byte("1")
	}
	return os.WriteFile(
		"/proc/sys/net/ipv4/conf/"+link+"/forwarding", value, 0o644)
}

// bridge is the switch of a node, and which addresses its Pods have.
type bridge struct {
	link   netlink.Link
	subnet netip.Prefix // 10.244.1.0/24; the first address is the bridge's
	node   netip.Addr   // the node's own: 172.18.0.2
	last   netip.Addr   // that was given
	taken  map[netip.Addr]bool
}

// AddNode puts another machine into the room: a name, the subnet of its Pods,
// its own address.
func (n *Network) AddNode(
	name string, subnet netip.Prefix, node netip.Addr,
) error {
	gateway := subnet.Addr().Next()
	attrs := netlink.NewLinkAttrs()
	// Left alone, a bridge takes one of its cables' addresses, and another one
	// when that is pulled: then no Pod finds it, for as long as it takes them to
	// doubt what they remember, ten seconds and more.
	attrs.Name, attrs.HardwareAddr = name, hardware(gateway)
	link := &netlink.Bridge{LinkAttrs: attrs}
	if err := netlink.LinkAdd(link); err != nil {
		return fmt.Errorf("add the bridge %s: %w", name, err)
	}
	err := netlink.AddrAdd(link, addressIn(
		netip.PrefixFrom(gateway, subnet.Bits())))
	if err == nil {
		err = bringUp(netlink.LinkSetUp, link, node)
	}
	if err != nil {
		return fmt.Errorf("set the bridge %s up: %w", name, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.nodes[name] = &bridge{
		link: link, subnet: subnet, node: node, last: gateway,
		taken: map[netip.Addr]bool{},
	}
	return nil
}

// Cut takes a node's cable out of the room: its Pods reach each other, and no
// others. Mend puts it back.
func (n *Network) Cut(node string) error { return forwarding(node, false) }

// Mend undoes Cut.
func (n *Network) Mend(node string) error { return forwarding(node, true) }

// next returns the next address that no Pod has, and begins again after the
// last, so that an address stays unused for as long as possible after its Pod
// has gone (the plugin host-local of CNI does so).
func (b *bridge) next() (netip.Addr, error) {
	first := b.subnet.Addr().Next().Next()
	ip := b.last
	for range 1 << (b.subnet.Addr().BitLen() - b.subnet.Bits()) {
		ip = ip.Next()
		if last := !b.subnet.Contains(ip.Next()); last {
			ip = first // the last address of all is the broadcast's
		}
		if !b.taken[ip] {
			b.last, b.taken[ip] = ip, true
			return ip, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("failed to allocate for range 0: no IP "+
		"addresses available in range set: %s-%s", first, b.last)
}

// ResolvConf implements PodNetwork.
func (n *Network) ResolvConf(pod *corev1.Pod) string { return n.Conf(pod) }

// Dial implements PodNetwork. From this room every Pod is reached, those of a
// node that was cut off too: it is from here that kubelets probe them.
func (n *Network) Dial(
	ctx context.Context, ip string, port int32,
) (net.Conn, error) {
	var d net.Dialer
	at := net.JoinHostPort(ip, strconv.Itoa(int(port)))
	return d.DialContext(ctx, "tcp", at)
}
