package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Node is a node with the Pods on it, and what they add up to: kept up to date
// as they come and go, so that a filter need not count. (Kubernetes: NodeInfo in
// pkg/scheduler/framework/types.go.)
type Node struct {
	*corev1.Node

	// Of the node itself, what all Pods ask for: it lies at hand.
	name   string
	place  int            // in the list of all
	closed bool           // somebody has cordoned it off
	taints []corev1.Taint // all of them
	room   amounts        // what is to be had
	slots  int            // how many Pods

	pods    []*demand
	choosy  []*demand // those of them that care who is near
	taken   amounts
	guessed amounts // with a guess for those that say nothing
	ports   map[hostPort]int
	images  map[string]int64 // by name, in bytes
}

func newNode(object *corev1.Node) *Node {
	n := &Node{ports: map[hostPort]int{}}
	n.set(object)
	return n
}

// set takes what a node says of itself. (Kubernetes: NodeInfo.SetNode.)
func (n *Node) set(object *corev1.Node) {
	n.Node, n.name = object, object.Name
	n.closed, n.taints = object.Spec.Unschedulable, object.Spec.Taints
	all := object.Status.Allocatable
	n.slots = int(all.Pods().Value())
	n.room = amounts{
		cpu: all.Cpu().MilliValue(), memory: all.Memory().Value(),
		storage: all.StorageEphemeral().Value(),
	}
	n.images = map[string]int64{}
	for _, image := range object.Status.Images {
		for _, name := range image.Names {
			n.images[name] = image.SizeBytes
		}
	}
	for name, quantity := range all {
		if isCounted(name) {
			if n.room.others == nil {
				n.room.others = map[corev1.ResourceName]int64{}
			}
			n.room.others[name] = quantity.Value()
		}
	}
}

func (n *Node) add(d *demand) {
	n.pods = append(n.pods, d)
	if d.terms.any() {
		n.choosy = append(n.choosy, d)
	}
	n.count(d, 1)
}

func (n *Node) remove(d *demand) {
	n.pods = without(n.pods, d)
	if d.terms.any() {
		n.choosy = without(n.choosy, d)
	}
	n.count(d, -1)
}

func (n *Node) count(d *demand, times int64) {
	n.taken.add(&d.takes, times)
	n.guessed.add(&d.counted, times)
	for _, port := range d.ports {
		if n.ports[port] += int(times); n.ports[port] == 0 {
			delete(n.ports, port)
		}
	}
}

// without has the last of all take the place of one.
func without(all []*demand, one *demand) []*demand {
	at, last := slices.Index(all, one), len(all)-1
	if at < 0 {
		return all
	}
	all[at], all[last] = all[last], nil
	return all[:last]
}
