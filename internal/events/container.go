package events

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// OfContainer returns what an event of a container is about: the part of its
// Pod's spec that it is.
func OfContainer(pod *corev1.Pod, name string) *corev1.ObjectReference {
	part := "containers"
	for _, c := range pod.Spec.InitContainers {
		if c.Name == name {
			part = "initContainers"
		}
	}
	for _, c := range pod.Spec.EphemeralContainers {
		if c.Name == name {
			part = "ephemeralContainers"
		}
	}
	return &corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name,
		UID: pod.UID, ResourceVersion: pod.ResourceVersion,
		FieldPath: fmt.Sprintf("spec.%s{%s}", part, name),
	}
}
