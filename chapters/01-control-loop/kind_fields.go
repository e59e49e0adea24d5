package controlloop

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// podFields returns those of a Pod (Kubernetes:
// pkg/registry/core/pod/strategy.go).
func podFields(obj Object) fields.Set {
	pod := obj.(*corev1.Pod)
	return fields.Set{
		"spec.nodeName":      pod.Spec.NodeName,
		"spec.restartPolicy": string(pod.Spec.RestartPolicy),
		"status.phase":       string(pod.Status.Phase),
	}
}

func nodeNameOf(pod Object) string { return pod.(*corev1.Pod).Spec.NodeName }
