package lab

import (
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// behind returns the address of the Service that a port of all nodes leads to.
// Only simulated nodes ask for it.
func (l *Lab) behind(nodePort int32) (address string, ok bool) {
	for _, s := range l.services(metav1.NamespaceAll) {
		at := slices.IndexFunc(s.Spec.Ports, func(port corev1.ServicePort) bool {
			return port.NodePort == nodePort && port.Protocol == corev1.ProtocolTCP
		})
		if at >= 0 {
			port := strconv.Itoa(int(s.Spec.Ports[at].Port))
			return net.JoinHostPort(s.Spec.ClusterIP, port), true
		}
	}
	return "", false
}
