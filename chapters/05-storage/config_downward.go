package storage

import (
	"encoding/base64"
	"encoding/json"
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
			text, err = fieldOf(p.pod, item.FieldRef.FieldPath)
		case item.ResourceFieldRef != nil:
			text, err = p.resource(item.ResourceFieldRef)
		}
		if err != nil {
			return err
		}
		p.put(path.Clean(item.Path), text, item.Mode)
	}
	return nil
}

// fieldOf returns what a file can say of a Pod (Kubernetes: pkg/fieldpath).
func fieldOf(pod *corev1.Pod, field string) (string, error) {
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

// mapOf is the value of one key, or a line for each.
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

// resource returns a request or a limit of one of the Pod's containers, counted
// in divisors and rounded up. Where there is no limit, the node is the limit.
func (p *projection) resource(
	ref *corev1.ResourceFieldSelector,
) (string, error) {
	all := slices.Concat(p.pod.Spec.InitContainers, p.pod.Spec.Containers)
	c := controlloop.Find(all, func(c corev1.Container) bool {
		return c.Name == ref.ContainerName
	})
	if c == nil {
		return "", fmt.Errorf("container %s not found", ref.ContainerName)
	}
	side, name, _ := strings.Cut(ref.Resource, ".")
	amounts := c.Resources.Requests
	if side == "limits" {
		amounts = c.Resources.Limits
	}
	amount, set := amounts[corev1.ResourceName(name)]
	if side == "limits" && !set {
		obj, err := p.m.client.Get(p.ctx, controlloop.NodeKind,
			controlloop.Key{Name: p.m.node})
		if err != nil {
			return "", err
		}
		node := obj.(*corev1.Node)
		amount = node.Status.Allocatable[corev1.ResourceName(name)]
	}
	return counted(amount, ref.Divisor, name == "cpu"), nil
}

// counted is how many of a divisor make up an amount, of a processor in
// thousandths.
func counted(amount, divisor resource.Quantity, cpu bool) string {
	if divisor.IsZero() {
		divisor = resource.MustParse("1")
	}
	n, of := amount.Value(), divisor.Value()
	if cpu {
		n, of = amount.MilliValue(), divisor.MilliValue()
	}
	return strconv.FormatInt((n+of-1)/of, 10)
}

// token adds a token that says whose it is, and does not pretend that anybody
// has signed it: it has the form of a JSON Web Token, and opens no door.
func (p *projection) token(
	source *corev1.ServiceAccountTokenProjection,
) error {
	claims, err := json.Marshal(map[string]string{
		"aud": source.Audience,
		"sub": fmt.Sprintf("system:serviceaccount:%s:%s",
			p.pod.Namespace, p.pod.Spec.ServiceAccountName),
	})
	encode := base64.RawURLEncoding.EncodeToString
	p.put(source.Path,
		encode([]byte(`{"alg":"none"}`))+"."+encode(claims)+".", nil)
	return err
}
