package daemonset

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// shortage is a resource of which a node has not enough left.
type shortage struct {
	resource         corev1.ResourceName
	wants, used, has int64
	reason           string
}

// isForGood reports whether a node would be too small even if it were empty.
func (s shortage) isForGood() bool { return s.wants > s.has }

// nodeResources refuses where there is not enough of something left.
// (Kubernetes: plugins/noderesources/fit.go.)
func nodeResources(c *Cycle, n *Node) *Refusal {
	if n.suffices(c.pod) {
		return nil
	}
	r := &Refusal{Filter: "NodeResourcesFit"}
	for _, s := range n.shortages(c.pod) {
		r.Reasons = append(r.Reasons, s.reason)
		r.Final = r.Final || s.isForGood() && s.resource != corev1.ResourcePods
	}
	return r
}

// suffices is shortages without the particulars: it is asked of thousands.
func (n *Node) suffices(d *demand) bool {
	if len(n.pods)+1 > n.slots {
		return false
	}
	for name, wants := range d.takes.others {
		if wants > 0 && wants > n.room.others[name]-n.taken.others[name] {
			return false
		}
	}
	left := func(wants, used, has int64) bool {
		return wants == 0 || wants <= has-used
	}
	return left(d.takes.cpu, n.taken.cpu, n.room.cpu) &&
		left(d.takes.memory, n.taken.memory, n.room.memory) &&
		left(d.takes.storage, n.taken.storage, n.room.storage)
}

// shortages are all the resources of which a Pod wants more than is left. Who
// asks for none of a resource gets on, even where it is overdrawn.
func (n *Node) shortages(d *demand) (all []shortage) {
	if len(n.pods)+1 > n.slots {
		all = append(all, shortage{corev1.ResourcePods, 1, int64(len(n.pods)),
			int64(n.slots), "Too many pods"})
	}
	check := func(name corev1.ResourceName, wants, used, has int64) {
		if wants > 0 && wants > has-used {
			all = append(all, shortage{
				name, wants, used, has, "Insufficient " + string(name)})
		}
	}
	check(corev1.ResourceCPU, d.takes.cpu, n.taken.cpu, n.room.cpu)
	check(corev1.ResourceMemory, d.takes.memory, n.taken.memory, n.room.memory)
	check(corev1.ResourceEphemeralStorage,
		d.takes.storage, n.taken.storage, n.room.storage)
	for _, name := range slices.Sorted(maps.Keys(d.takes.others)) {
		check(name, d.takes.others[name], n.taken.others[name], n.room.others[name])
	}
	return all
}

// makesRoom: a Pod has left, or a node has more than before of what is wanted,
// and, were it empty, enough.
func makesRoom(_ *Nodes, d *demand, e *event) bool {
	if e.is == nil {
		return e.gone()
	}
	is := newNode(e.is)
	if !is.suffices(d) {
		return false
	}
	return e.was == nil || is.hasMore(newNode(e.was), d)
}

// hasMore reports whether a node has more than it had of what a Pod wants.
func (n *Node) hasMore(was *Node, d *demand) bool {
	for name, wants := range d.takes.others {
		if wants > 0 && n.room.others[name] > was.room.others[name] {
			return true
		}
	}
	return n.slots > was.slots ||
		d.takes.cpu > 0 && n.room.cpu > was.room.cpu ||
		d.takes.memory > 0 && n.room.memory > was.room.memory ||
		d.takes.storage > 0 && n.room.storage > was.room.storage
}
