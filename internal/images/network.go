package images

import (
	"context"
	"fmt"
	"net"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/images/unix"
)

// network is what a container sees of the Pod network: its own ports, and the
// Pods of all nodes by their addresses. It implements unix.Network.
type network struct {
	node    *node
	process *controlloop.Process
}

// IP implements unix.Network.
func (n *network) IP() string {
	for _, s := range n.node.Sandboxes() {
		if s.UID == n.process.Pod.UID {
			return s.IP
		}
	}
	return "127.0.0.1"
}

// Listen implements unix.Network.
func (n *network) Listen(port int32) (net.Listener, error) {
	return n.process.Listen(port)
}

// Dial implements unix.Network.
func (n *network) Dial(
	ctx context.Context, host string, port int32,
) (net.Conn, error) {
	switch host {
	case "localhost", "127.0.0.1", "::1", hostname(n.process.Pod):
		return n.node.Dial(ctx, n.process.Pod.UID, port)
	}
	if net.ParseIP(host) == nil {
		return nil, fmt.Errorf("lookup %s: %w", host, unix.ErrUnknownHost)
	}
	for _, other := range n.node.machines.all() {
		for _, s := range other.Sandboxes() {
			if s.IP == host {
				return other.Dial(ctx, s.UID, port)
			}
		}
	}
	return nil, fmt.Errorf("dial tcp %s:%d: connect: no route to host", host, port)
}
