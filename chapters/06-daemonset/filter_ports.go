package daemonset

import corev1 "k8s.io/api/core/v1"

// hostPort is a port of a node. Its ip is "" if it is open on all of them.
type hostPort struct {
	ip       string
	protocol corev1.Protocol
	port     int32
}

// hostPortsOf are the ports of a node that a Pod has open as long as it runs:
// an init container is gone by then. (Kubernetes: GetHostPorts in
// pkg/scheduler/util/utils.go.)
func hostPortsOf(pod *corev1.Pod) (ports []hostPort) {
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; isSidecar(c) {
			ports = appendHostPorts(ports, c)
		}
	}
	for i := range pod.Spec.Containers {
		ports = appendHostPorts(ports, &pod.Spec.Containers[i])
	}
	return ports
}

func appendHostPorts(ports []hostPort, c *corev1.Container) []hostPort {
	for _, p := range c.Ports {
		if p.HostPort <= 0 {
			continue
		}
		at := hostPort{p.HostIP, p.Protocol, p.HostPort}
		if at.ip == "0.0.0.0" {
			at.ip = ""
		}
		if at.protocol == "" {
			at.protocol = corev1.ProtocolTCP
		}
		ports = append(ports, at)
	}
	return ports
}

// collide reports whether two ports cannot both be open.
func collide(a, b hostPort) bool {
	return a.port == b.port && a.protocol == b.protocol &&
		(a.ip == b.ip || a.ip == "" || b.ip == "")
}

var noPort = &Refusal{Filter: "NodePorts", Reasons: []string{
	"node(s) didn't have free ports for the requested pod ports",
}}

// nodePorts refuses where a port is open already. (Kubernetes:
// plugins/nodeports.)
func nodePorts(c *Cycle, n *Node) *Refusal {
	for _, wants := range c.pod.ports {
		for open := range n.ports {
			if collide(wants, open) {
				return noPort
			}
		}
	}
	return nil
}

// freesPort: one of its ports is no longer open, or there is a new node.
func freesPort(_ *Nodes, d *demand, e *event) bool {
	if e.gone() {
		for _, wants := range d.ports {
			for _, was := range e.left.ports {
				if collide(wants, was) {
					return true
				}
			}
		}
	}
	return e.isNewNode()
}
