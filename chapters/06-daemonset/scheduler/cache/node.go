package cache

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Node is a node with the Pods on it, and what they add up to: kept up to date
// as they come and go, so that a filter need not count. (Kubernetes: NodeInfo
// in pkg/scheduler/framework/types.go.)
type Node struct {
	*corev1.Node

	// All Pods ask about these: they lie at hand.
	Name          string
	Place         int // in the list of all
	Unschedulable bool
	Taints        []corev1.Taint
	Allocatable   Amounts
	MaxPods       int

	Pods      []*PodInfo
	Requested Amounts
	NonZero   Amounts // with a guess for those that say nothing
	UsedPorts map[HostPort]int
	Images    map[string]int64 // by name, in bytes
}

// NewNode returns a node with these Pods on it.
func NewNode(object *corev1.Node, pods ...*corev1.Pod) *Node {
	n := &Node{UsedPorts: map[HostPort]int{}}
	n.set(object)
	for _, pod := range pods {
		n.Add(NewPodInfo(pod))
	}
	return n
}

// set takes what a node says of itself. (Kubernetes: NodeInfo.SetNode.)
func (n *Node) set(object *corev1.Node) {
	n.Node, n.Name = object, object.Name
	n.Unschedulable, n.Taints = object.Spec.Unschedulable, object.Spec.Taints
	all := object.Status.Allocatable
	n.MaxPods = int(all.Pods().Value())
	n.Allocatable = Amounts{
		CPU: all.Cpu().MilliValue(), Memory: all.Memory().Value(),
		Storage: all.StorageEphemeral().Value(),
	}
	n.Images = map[string]int64{}
	for _, image := range object.Status.Images {
		for _, name := range image.Names {
			n.Images[name] = image.SizeBytes
		}
	}
	for name, quantity := range all {
		if isCounted(name) {
			n.Allocatable.set(name, quantity.Value())
		}
	}
}

// Add counts a Pod on the node.
func (n *Node) Add(p *PodInfo) {
	n.Pods = append(n.Pods, p)
	n.count(p, 1)
}

// Remove counts a Pod on the node no longer.
func (n *Node) Remove(p *PodInfo) {
	n.Pods = without(n.Pods, p)
	n.count(p, -1)
}

func (n *Node) count(p *PodInfo, times int64) {
	n.Requested.add(&p.Requests, times)
	n.NonZero.add(&p.counted, times)
	for _, port := range p.Ports {
		if n.UsedPorts[port] += int(times); n.UsedPorts[port] == 0 {
			delete(n.UsedPorts, port)
		}
	}
}

// without has the last of all take the place of one.
func without(all []*PodInfo, one *PodInfo) []*PodInfo {
	at, last := slices.Index(all, one), len(all)-1
	if at < 0 {
		return all
	}
	all[at], all[last] = all[last], nil
	return all[:last]
}
