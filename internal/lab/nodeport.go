package lab

import (
	"context"
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
)

// behind returns the address of the Service that a port of all nodes leads to.
// Only simulated nodes ask for it.
func (l *Lab) behind(nodePort int32) (address string, ok bool) {
	list, err := l.Store.List(
		context.Background(), rollingupdate.ServiceKind, controlloop.ListOptions{})
	if err != nil {
		return "", false
	}
	for _, obj := range list.Items {
		s := obj.(*corev1.Service)
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
