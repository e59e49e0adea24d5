package variables

import (
	corev1 "k8s.io/api/core/v1"

	storage "reconcile/chapters/05-storage"
)

// fieldOf returns a field of a Pod that a variable can be set to: what a file can
// hold, and what is known only of a Pod that has its node (Kubernetes:
// pkg/kubelet/kubelet_pods.go, podFieldSelectorRuntimeValue).
func fieldOf(pod *corev1.Pod, path string) (string, error) {
	switch path {
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return pod.Status.PodIP, nil
	case "status.hostIP", "status.hostIPs":
		return pod.Status.HostIP, nil
	}
	return storage.FieldOf(pod, path)
}
