package rollingupdate

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// isEndpoint reports whether a Pod is listed at all: it has an address, and has
// not ended. A Pod that is not ready is listed; so is one that is about to end.
func isEndpoint(pod *corev1.Pod) bool {
	return pod.Status.PodIP != "" && !controlloop.HasEnded(pod)
}

// endpointOf returns the address of a Pod, and its uses. Serving: it can
// answer. Terminating: it was told to end. Ready: it can answer, and is to be
// asked. (Kubernetes: podToEndpoint in k8s.io/endpointslice/utils.go.)
//
//book:exercise 3e
func endpointOf(pod *corev1.Pod, service *corev1.Service) discoveryv1.Endpoint {
	serving := controlloop.IsReady(pod)
	terminating := pod.DeletionTimestamp != nil
	ready := serving && !terminating || service.Spec.PublishNotReadyAddresses
	return discoveryv1.Endpoint{
		Addresses: []string{pod.Status.PodIP},
		Conditions: discoveryv1.EndpointConditions{
			Ready: &ready, Serving: &serving, Terminating: &terminating,
		},
		NodeName: &pod.Spec.NodeName,
		TargetRef: &corev1.ObjectReference{
			Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID,
		},
	}
}

// portsOf returns the ports of a Service as one of its Pods has them. A port by
// name may be another number in the next Pod; a port whose name the Pod does
// not know is left out.
func portsOf(service *corev1.Service, pod *corev1.Pod) []discoveryv1.EndpointPort {
	var ports []discoveryv1.EndpointPort
	for _, port := range service.Spec.Ports {
		if number, ok := portIn(pod, port); ok {
			ports = append(ports, discoveryv1.EndpointPort{
				Name: &port.Name, Port: &number, Protocol: &port.Protocol,
				AppProtocol: port.AppProtocol,
			})
		}
	}
	return ports
}

func portIn(pod *corev1.Pod, port corev1.ServicePort) (int32, bool) {
	if port.TargetPort.Type == intstr.Int {
		return port.TargetPort.IntVal, true
	}
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if p.Name == port.TargetPort.StrVal && p.Protocol == port.Protocol {
				return p.ContainerPort, true
			}
		}
	}
	return 0, false
}
