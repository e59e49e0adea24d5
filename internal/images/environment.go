package images

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/images/unix"
)

// environment returns the variables that the processes of a container have:
// the image's, the runtime's, and what its spec says. (Kubernetes:
// pkg/kubelet, makeEnvironmentVariables.)
func environment(
	pod *corev1.Pod, spec *corev1.Container, img *image, host, ip string,
) ([]string, error) {
	env := append([]string{}, img.env...)
	env = append(env, "HOSTNAME="+host, "HOME=/root")
	if spec.TTY {
		env = append(env, "TERM=xterm")
	}
	known := map[string]string{}
	for _, v := range spec.Env {
		value, set, err := valueOf(pod, v, known, ip)
		if err != nil {
			return nil, fmt.Errorf("variable %s of container %s: %w",
				v.Name, spec.Name, err)
		}
		if set {
			known[v.Name] = value
			env = append(env, v.Name+"="+value)
		}
	}
	return env, nil
}

// valueOf returns what a variable is set to, if it is. known are those before
// it.
func valueOf(
	pod *corev1.Pod, v corev1.EnvVar, known map[string]string, ip string,
) (value string, set bool, err error) {
	from := v.ValueFrom
	switch {
	case from == nil:
		return expand(v.Value, known), true, nil
	case from.FieldRef != nil:
		value, err := fieldOf(pod, from.FieldRef.FieldPath, ip)
		return value, true, err
	case from.ConfigMapKeyRef != nil && isTrue(from.ConfigMapKeyRef.Optional),
		from.SecretKeyRef != nil && isTrue(from.SecretKeyRef.Optional):
		return "", false, nil
	}
	return "", false, fmt.Errorf("only fields of the Pod can be its source here")
}

func isTrue(b *bool) bool { return b != nil && *b }

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

// expand replaces each $(NAME) that is known, and each $$ by one dollar
// (Kubernetes: third_party/forked/golang/expansion).
func expand(s string, known map[string]string) string {
	var out strings.Builder
	for s != "" {
		at := strings.IndexByte(s, '$')
		if at < 0 || at == len(s)-1 {
			break
		}
		out.WriteString(s[:at])
		s = s[at:]
		end := strings.IndexByte(s, ')')
		switch {
		case s[1] == '$':
			out.WriteByte('$')
			s = s[2:]
		case s[1] != '(' || end < 0:
			out.WriteString(s[:2])
			s = s[2:]
		default:
			value, ok := known[s[2:end]]
			if !ok {
				value = s[:end+1]
			}
			out.WriteString(value)
			s = s[end+1:]
		}
	}
	return out.String() + s
}

// command returns what a container runs: its command in the place of the
// image's entrypoint and command, or its args in the place of the latter.
func command(spec *corev1.Container, img *image, env []string) []string {
	args := append([]string{}, img.entrypoint...)
	switch {
	case len(spec.Command) > 0:
		args = append(append([]string{}, spec.Command...), spec.Args...)
	case len(spec.Args) > 0:
		args = append(args, spec.Args...)
	default:
		args = append(args, img.cmd...)
	}
	known := map[string]string{}
	p := unix.Process{Env: env}
	for _, v := range spec.Env {
		known[v.Name] = p.Getenv(v.Name)
	}
	for i := range args {
		args[i] = expand(args[i], known)
	}
	return args
}
