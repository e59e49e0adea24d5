//go:build linux

package oci

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// cable leads from a node's bridge into the network namespace of a Pod.
type cable struct {
	node *bridge
	ip   netip.Addr
	// inside is the namespace. Held open, it is this one and no other, even if
	// the process that it is named after has ended and its number is reused.
	inside *os.File
	// services are those that the namespace has rules for.
	services map[controlloop.Key]virtual
}

// Add implements PodNetwork. A Pod that is connected already, and has another
// namespace now, loses its first.
func (n *Network) Add(
	_ context.Context, pod *corev1.Pod, path string,
) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	node := n.nodes[pod.Spec.NodeName]
	if node == nil {
		return "", fmt.Errorf("there is no node %q", pod.Spec.NodeName)
	}
	if err := n.remove(pod.UID); err != nil {
		return "", err
	}
	c, err := plugIn(node, pod.UID, path)
	if err != nil {
		return "", err
	}
	n.pods[pod.UID] = c
	if err := c.learn(n.services); err != nil {
		return "", errors.Join(err, n.remove(pod.UID))
	}
	return c.ip.String(), nil
}

// plugIn lays a cable. Of one that cannot be laid nothing is left.
func plugIn(node *bridge, pod types.UID, path string) (*cable, error) {
	inside, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	ip, err := node.next()
	if err != nil {
		inside.Close()
		return nil, err
	}
	c := &cable{
		node: node, ip: ip, inside: inside,
		services: map[controlloop.Key]virtual{},
	}
	if err := c.lay(cableName(pod)); err != nil {
		return nil, errors.Join(
			fmt.Errorf("connect %s: %w", ip, err), c.pull(cableName(pod)))
	}
	return c, nil
}

// cableName returns the name of our end; Linux has room for fifteen letters. If
// a namespace that did not want to end has left one under it, that goes first.
func cableName(pod types.UID) string {
	hash := fnv.New32a()
	hash.Write([]byte(pod))
	return fmt.Sprintf("veth%08x", hash.Sum32())
}

// lay makes both ends of the cable at once, ours plugged into the bridge, the
// other one in the Pod already, where its name is eth0.
func (c *cable) lay(name string) error {
	if err := unplug(name); err != nil {
		return err
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MasterIndex = name, c.node.link.Attrs().Index
	err := netlink.LinkAdd(&netlink.Veth{
		LinkAttrs: attrs, PeerName: "eth0", PeerHardwareAddr: hardware(c.ip),
		PeerNamespace: netlink.NsFd(c.inside.Fd()),
	})
	if err != nil {
		return err
	}
	ours, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(ours); err != nil {
		return err
	}
	return c.furnish()
}

// furnish switches on what is in the Pod, and says there that the way to all
// others is the bridge.
func (c *cable) furnish() error {
	inside, err := netlink.NewHandleAt(netns.NsHandle(c.inside.Fd()))
	if err != nil {
		return err
	}
	defer inside.Close()
	for _, name := range []string{"lo", "eth0"} {
		link, err := inside.LinkByName(name)
		if err != nil {
			return err
		}
		if name == "eth0" {
			own := netip.PrefixFrom(c.ip, c.node.subnet.Bits())
			if err := inside.AddrAdd(link, addressIn(own)); err != nil {
				return err
			}
		}
		if err := inside.LinkSetUp(link); err != nil {
			return err
		}
	}
	return inside.RouteAdd(
		&netlink.Route{Gw: c.node.subnet.Addr().Next().AsSlice()})
}

// hardware returns the address of a Pod's end on its bridge. It follows from
// the other: a neighbour that remembers where 10.244.1.7 was is right about the
// next Pod that has this address, too.
func hardware(ip netip.Addr) net.HardwareAddr {
	return append(net.HardwareAddr{0x0a, 0x58}, ip.AsSlice()...)
}

// Remove implements PodNetwork.
func (n *Network) Remove(pod types.UID) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.remove(pod)
}

func (n *Network) remove(pod types.UID) error {
	c := n.pods[pod]
	if c == nil {
		return nil
	}
	if err := c.pull(cableName(pod)); err != nil {
		return err
	}
	delete(n.pods, pod)
	return nil
}

// pull takes the cable away, by our end: the namespace may outlive its Pod for
// as long as a connection takes to die.
func (c *cable) pull(name string) error {
	if err := unplug(name); err != nil {
		return err
	}
	delete(c.node.taken, c.ip)
	return c.inside.Close()
}

// unplug removes a link and with it the other end, if it is there.
func unplug(name string) error {
	link, err := netlink.LinkByName(name)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return nil
	}
	if err != nil {
		return err
	}
	return netlink.LinkDel(link)
}
