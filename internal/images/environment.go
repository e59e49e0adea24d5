package images

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// environment returns the variables that the processes of a container have:
// the image's, the runtime's, and what its spec says. The last are returned
// once more by name: they can stand in its command. (Kubernetes: pkg/kubelet,
// makeEnvironmentVariables.)
func environment(
	pod *corev1.Pod, spec *corev1.Container, img *image, host, ip string,
	read reader,
) (env []string, known map[string]string, err error) {
	env = append([]string{}, img.env...)
	env = append(env, "HOSTNAME="+host, "HOME=/root")
	if spec.TTY {
		env = append(env, "TERM=xterm")
	}
	known = map[string]string{}
	for _, from := range spec.EnvFrom {
		if err := read.all(from, known); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		env = append(env, name+"="+known[name])
	}
	for _, v := range spec.Env {
		value, set, err := valueOf(pod, v, known, ip, read)
		if err != nil {
			return nil, nil, fmt.Errorf("variable %s of container %s: %w",
				v.Name, spec.Name, err)
		}
		if set {
			known[v.Name] = value
			env = append(env, v.Name+"="+value)
		}
	}
	return env, known, nil
}

// valueOf returns what a variable is set to, if it is. known are those before
// it.
func valueOf(
	pod *corev1.Pod, v corev1.EnvVar, known map[string]string, ip string,
	read reader,
) (value string, set bool, err error) {
	from := v.ValueFrom
	switch {
	case from == nil:
		return expand(v.Value, known), true, nil
	case from.FieldRef != nil:
		value, err := fieldOf(pod, from.FieldRef.FieldPath, ip)
		return value, true, err
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		return read.one(configMaps, ref.Name, ref.Key, ref.Optional)
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		return read.one(secrets, ref.Name, ref.Key, ref.Optional)
	}
	return "", false, errors.New("resources cannot be its source here")
}

// fieldOf returns a field of a Pod that a variable can be set to.
func fieldOf(pod *corev1.Pod, path, ip string) (string, error) {
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
		return ip, nil
	case "status.hostIP", "status.hostIPs":
		return pod.Status.HostIP, nil
	}
	return "", fmt.Errorf("unsupported fieldPath: %v", path)
}
