package variables

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// Source is where the objects are that variables refer to.
type Source struct {
	client   controlloop.Client
	services Lister // nil: no container is told of any
}

// From returns the source that reads objects through client.
func From(client controlloop.Client) Source { return Source{client: client} }

// Resolve returns a container whose variables are literal and whose command,
// arguments and mounts name none that it has (Kubernetes: pkg/kubelet/kubelet_pods.go,
// makeEnvironmentVariables). Its error says what cannot be had.
func (s Source) Resolve(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
) (*corev1.Container, error) {
	r := resolver{ctx, s.client, pod, c, map[string]string{}, s.links(pod)}
	for _, from := range c.EnvFrom {
		if err := r.all(from); err != nil {
			return nil, err
		}
	}
	var env []corev1.EnvVar
	for _, name := range slices.Sorted(maps.Keys(r.known)) {
		env = append(env, corev1.EnvVar{Name: name, Value: r.known[name]})
	}
	for _, v := range c.Env {
		value, set, err := r.valueOf(v)
		if err != nil {
			return nil, err
		}
		if set {
			r.known[v.Name] = value
			env = append(env, corev1.EnvVar{Name: v.Name, Value: value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.links)) {
		if _, set := r.known[name]; !set {
			r.known[name] = r.links[name]
			env = append(env, corev1.EnvVar{Name: name, Value: r.links[name]})
		}
	}
	next := *c
	next.EnvFrom, next.Env = nil, env
	next.Command, next.Args = r.expandAll(c.Command), r.expandAll(c.Args)
	next.VolumeMounts = slices.Clone(c.VolumeMounts)
	for i := range next.VolumeMounts {
		if err := r.place(&next.VolumeMounts[i]); err != nil {
			return nil, err
		}
	}
	return &next, nil
}

// resolver resolves the variables of one container. known are those that it
// has already, and links what Services add in the end; both can stand in the next.
type resolver struct {
	ctx       context.Context
	client    controlloop.Client
	pod       *corev1.Pod
	container *corev1.Container
	known     map[string]string
	links     map[string]string
}

// valueOf returns what a variable is set to, if it is.
func (r resolver) valueOf(v corev1.EnvVar) (value string, set bool, err error) {
	from := v.ValueFrom
	switch {
	case from == nil:
		return r.expand(v.Value), true, nil
	case from.FieldRef != nil:
		value, err := fieldOf(r.pod, from.FieldRef.FieldPath)
		return value, true, err
	case from.ResourceFieldRef != nil:
		value, err := storage.ResourceOf(
			r.ctx, r.client, r.pod, r.container, from.ResourceFieldRef)
		return value, true, err
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		return r.one(configMaps, ref.Name, ref.Key, ref.Optional)
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		return r.one(secrets, ref.Name, ref.Key, ref.Optional)
	}
	return "", false, nil
}
