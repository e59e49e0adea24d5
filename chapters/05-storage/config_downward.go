package storage

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

// describe adds files that tell a Pod about itself.
func (p *projection) describe(items []corev1.DownwardAPIVolumeFile) error {
	for _, item := range items {
		var text string
		var err error
		switch {
		case item.FieldRef != nil:
			text, err = FieldOf(p.pod, item.FieldRef.FieldPath)
		case item.ResourceFieldRef != nil:
			text, err = ResourceOf(p.ctx, p.m.client, p.pod, nil, item.ResourceFieldRef)
		}
		if err != nil {
			return err
		}
		p.put(path.Clean(item.Path), text, item.Mode)
	}
	return nil
}

// FieldOf returns a field of a Pod that the Pod can be told: in a file, and in a
// variable (Kubernetes: pkg/fieldpath).
func FieldOf(pod *corev1.Pod, field string) (string, error) {
	field, key, one := strings.Cut(strings.TrimSuffix(field, "']"), "['")
	switch field {
	case "metadata.labels":
		return mapOf(pod.Labels, key, one), nil
	case "metadata.annotations":
		return mapOf(pod.Annotations, key, one), nil
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	}
	return "", fmt.Errorf("unsupported fieldPath: %v", field)
}

// mapOf returns the value of one key, or a line for each.
func mapOf(all map[string]string, key string, one bool) string {
	if one {
		return all[key]
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, key+"="+strconv.Quote(all[key]))
	}
	return strings.Join(lines, "\n")
}

// ResourceOf returns a request or a limit of one of a Pod's containers, in
// units of a divisor; own is the container that is meant by no name, nil if
// there is none. If the limit is missing or zero, it is the node's (Kubernetes:
// pkg/api/v1/resource/helpers.go).
func ResourceOf(
	ctx context.Context, client controlloop.Client, pod *corev1.Pod,
	own *corev1.Container, ref *corev1.ResourceFieldSelector,
) (string, error) {
	c := own
	if c == nil || ref.ContainerName != "" {
		all := slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers)
		c = controlloop.Find(all, func(c corev1.Container) bool {
			return c.Name == ref.ContainerName
		})
	}
	if c == nil {
		return "", fmt.Errorf("container %s not found", ref.ContainerName)
	}
	side, resource, _ := strings.Cut(ref.Resource, ".")
	name := corev1.ResourceName(resource)
	if side == "requests" {
		return inUnits(name, c.Resources.Requests[name], ref.Divisor), nil
	}
	if limit := c.Resources.Limits[name]; !limit.IsZero() {
		return inUnits(name, limit, ref.Divisor), nil
	}
	node, err := client.Get(ctx, controlloop.NodeKind,
		controlloop.Key{Name: pod.Spec.NodeName})
	if err != nil {
		return "", err
	}
	limits := node.(*corev1.Node).Status.Allocatable
	return inUnits(name, limits[name], ref.Divisor), nil
}

// inUnits returns how many units make up an amount, rounded up. A CPU can be
// divided by a thousand.
func inUnits(name corev1.ResourceName, amount, unit resource.Quantity) string {
	if unit.IsZero() {
		unit = resource.MustParse("1")
	}
	n, of := amount.Value(), unit.Value()
	if name == corev1.ResourceCPU {
		n, of = amount.MilliValue(), unit.MilliValue()
	}
	return strconv.FormatInt((n+of-1)/of, 10)
}
