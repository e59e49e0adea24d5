package scheduler

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// Shortage is a resource of which a node has not enough left.
type Shortage struct {
	Resource         corev1.ResourceName
	Wants, Used, Has int64
	reason           string
}

// isForGood reports whether a node would be too small even if it were empty.
func (s Shortage) isForGood() bool { return s.Wants > s.Has }

// nodeResources refuses where there is not enough of something left.
// (Kubernetes: plugins/noderesources/fit.go.)
func nodeResources(c *Cycle, n *cache.Node) *Refusal {
	if suffices(n, c.Pod) {
		return nil
	}
	r := &Refusal{Filter: "NodeResourcesFit"}
	for _, s := range Shortages(n, c.Pod) {
		r.Reasons = append(r.Reasons, s.reason)
		r.Final = r.Final || s.isForGood() && s.Resource != corev1.ResourcePods
	}
	return r
}

// suffices reports what Shortages does without the particulars: it is asked of
// thousands.
func suffices(n *cache.Node, p *cache.PodInfo) bool {
	if len(n.Pods)+1 > n.MaxPods {
		return false
	}
	for name, wants := range p.Requests.Others {
		if wants > 0 && wants > n.Allocatable.Others[name]-n.Requested.Others[name] {
			return false
		}
	}
	left := func(wants, used, has int64) bool {
		return wants == 0 || wants <= has-used
	}
	return left(p.Requests.CPU, n.Requested.CPU, n.Allocatable.CPU) &&
		left(p.Requests.Memory, n.Requested.Memory, n.Allocatable.Memory) &&
		left(p.Requests.Storage, n.Requested.Storage, n.Allocatable.Storage)
}

// Shortages returns all the resources of which a Pod wants more than is left. A
// Pod that asks for none of a resource gets on, even where it is overdrawn.
func Shortages(n *cache.Node, p *cache.PodInfo) (all []Shortage) {
	if len(n.Pods)+1 > n.MaxPods {
		all = append(all, Shortage{corev1.ResourcePods, 1, int64(len(n.Pods)),
			int64(n.MaxPods), "Too many pods"})
	}
	check := func(name corev1.ResourceName, wants, used, has int64) {
		if wants > 0 && wants > has-used {
			all = append(all, Shortage{
				name, wants, used, has, "Insufficient " + string(name)})
		}
	}
	check(corev1.ResourceCPU, p.Requests.CPU, n.Requested.CPU, n.Allocatable.CPU)
	check(corev1.ResourceMemory,
		p.Requests.Memory, n.Requested.Memory, n.Allocatable.Memory)
	check(corev1.ResourceEphemeralStorage,
		p.Requests.Storage, n.Requested.Storage, n.Allocatable.Storage)
	for _, name := range slices.Sorted(maps.Keys(p.Requests.Others)) {
		check(name, p.Requests.Others[name],
			n.Requested.Others[name], n.Allocatable.Others[name])
	}
	return all
}

// makesRoom reports whether a Pod was deleted; or a node was added, or has more
// than before of a resource that the Pod wants, and would be large enough if empty.
func makesRoom(_ *cache.Nodes, p *cache.PodInfo, e *cache.Event) bool {
	if e.Is == nil {
		return e.HasLeft()
	}
	is := cache.NewNode(e.Is)
	if !suffices(is, p) {
		return false
	}
	return e.Was == nil || hasMore(is, cache.NewNode(e.Was), p)
}

// hasMore reports whether a node has more than it had of what a Pod wants.
func hasMore(n, was *cache.Node, p *cache.PodInfo) bool {
	for name, wants := range p.Requests.Others {
		if wants > 0 && n.Allocatable.Others[name] > was.Allocatable.Others[name] {
			return true
		}
	}
	return n.MaxPods > was.MaxPods ||
		p.Requests.CPU > 0 && n.Allocatable.CPU > was.Allocatable.CPU ||
		p.Requests.Memory > 0 && n.Allocatable.Memory > was.Allocatable.Memory ||
		p.Requests.Storage > 0 && n.Allocatable.Storage > was.Allocatable.Storage
}
