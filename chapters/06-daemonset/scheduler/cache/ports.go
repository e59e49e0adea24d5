package cache

import (
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler/request"
)

// HostPort is a port of a node. Its IP is "" if it is open on all of them.
type HostPort struct {
	IP       string
	Protocol corev1.Protocol
	Port     int32
}

// hostPortsOf returns the ports of a node that a Pod has open as long as it
// runs: an init container is gone by then. (Kubernetes: GetHostPorts in
// pkg/scheduler/util/utils.go.)
func hostPortsOf(pod *corev1.Pod) (ports []HostPort) {
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; request.IsSidecar(c) {
			ports = appendHostPorts(ports, c)
		}
	}
	for i := range pod.Spec.Containers {
		ports = appendHostPorts(ports, &pod.Spec.Containers[i])
	}
	return ports
}

func appendHostPorts(ports []HostPort, c *corev1.Container) []HostPort {
	for _, p := range c.Ports {
		if p.HostPort <= 0 {
			continue
		}
		at := HostPort{p.HostIP, p.Protocol, p.HostPort}
		if at.IP == "0.0.0.0" {
			at.IP = ""
		}
		if at.Protocol == "" {
			at.Protocol = corev1.ProtocolTCP
		}
		ports = append(ports, at)
	}
	return ports
}

// Collides reports whether two ports cannot both be open.
func (p HostPort) Collides(with HostPort) bool {
	return p.Port == with.Port && p.Protocol == with.Protocol &&
		(p.IP == with.IP || p.IP == "" || with.IP == "")
}
