package images

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// command returns what a container runs: its command in the place of the
// image's entrypoint and command, or its args in the place of the latter.
func command(
	spec *corev1.Container, img *image, known map[string]string,
) []string {
	args := append([]string{}, img.entrypoint...)
	switch {
	case len(spec.Command) > 0:
		args = append(append([]string{}, spec.Command...), spec.Args...)
	case len(spec.Args) > 0:
		args = append(args, spec.Args...)
	default:
		args = append(args, img.cmd...)
	}
	for i := range args {
		args[i] = expand(args[i], known)
	}
	return args
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
