package variables

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

// fieldOf returns a field of a Pod that a variable can be set to.
func fieldOf(pod *corev1.Pod, path string) (string, error) {
	if key, ok := strings.CutPrefix(path, "metadata.labels['"); ok {
		return pod.Labels[strings.TrimSuffix(key, "']")], nil
	}
	if key, ok := strings.CutPrefix(path, "metadata.annotations['"); ok {
		return pod.Annotations[strings.TrimSuffix(key, "']")], nil
	}
	switch path {
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return pod.Status.PodIP, nil
	case "status.hostIP", "status.hostIPs":
		return pod.Status.HostIP, nil
	}
	return "", fmt.Errorf("unsupported fieldPath: %v", path)
}

// resource returns a request or a limit of a container, as so many of a
// divisor, rounded up. A limit that is not set is all that the node has.
func (r resolver) resource(ref *corev1.ResourceFieldSelector) (string, error) {
	c := r.container
	for i := range r.pod.Spec.Containers {
		if r.pod.Spec.Containers[i].Name == ref.ContainerName {
			c = &r.pod.Spec.Containers[i]
		}
	}
	list, name, _ := strings.Cut(ref.Resource, ".")
	amount := c.Resources.Requests[corev1.ResourceName(name)]
	if list == "limits" {
		var set bool
		if amount, set = c.Resources.Limits[corev1.ResourceName(name)]; !set {
			obj, err := r.client.Get(r.ctx, controlloop.NodeKind,
				controlloop.Key{Name: r.pod.Spec.NodeName})
			if err != nil {
				return "", err
			}
			amount = obj.(*corev1.Node).Status.Allocatable[corev1.ResourceName(name)]
		}
	}
	divisor := ref.Divisor
	if divisor.IsZero() {
		divisor = resource.MustParse("1")
	}
	whole, unit := amount.Value(), divisor.Value()
	if name == "cpu" {
		whole, unit = amount.MilliValue(), divisor.MilliValue()
	}
	return strconv.FormatInt((whole+unit-1)/unit, 10), nil
}
