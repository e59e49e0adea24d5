package plugins

import (
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

var noPort = &scheduler.Refusal{Filter: "NodePorts", Reasons: []string{
	"node(s) didn't have free ports for the requested pod ports",
}}

// hasPorts reports whether a Pod asks for ports of its node: most do not.
func hasPorts(c *scheduler.Cycle) (bool, *scheduler.Refusal) {
	return len(c.Pod.Ports) > 0, nil
}

// nodePorts refuses where a port is open already. (Kubernetes:
// plugins/nodeports.)
func nodePorts(c *scheduler.Cycle, n *cache.Node) *scheduler.Refusal {
	for _, wants := range c.Pod.Ports {
		for open := range n.UsedPorts {
			if wants.Collides(open) {
				return noPort
			}
		}
	}
	return nil
}

// freesPort reports whether one of a Pod's ports is no longer open, or there is
// a new node.
func freesPort(_ *cache.Nodes, p *cache.PodInfo, e *cache.Event) bool {
	if e.HasLeft() {
		for _, wants := range p.Ports {
			for _, was := range e.Left.Ports {
				if wants.Collides(was) {
					return true
				}
			}
		}
	}
	return e.IsNewNode()
}
