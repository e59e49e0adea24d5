package images

import (
	corev1 "k8s.io/api/core/v1"
)

// command returns the command line of a container: its command in the place of
// the image's entrypoint and command, or its args in the place of the latter.
func command(spec *corev1.Container, img *image) []string {
	switch args := append([]string{}, img.entrypoint...); {
	case len(spec.Command) > 0:
		return append(append([]string{}, spec.Command...), spec.Args...)
	case len(spec.Args) > 0:
		return append(args, spec.Args...)
	default:
		return append(args, img.cmd...)
	}
}
