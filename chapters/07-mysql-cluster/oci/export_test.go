//go:build linux

package oci

import (
	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/oci/image"
)

var Resources = resourcesOf

// Process is the first process of a Pod's only container, and whether it may
// write to its image's files.
func Process(
	pod *corev1.Pod, image *image.Image,
) (process *specs.Process, readOnly bool, err error) {
	c := &pod.Spec.Containers[0]
	rights, err := (&runtime{}).rightsOf(pod, c, image)
	if err != nil {
		return nil, false, err
	}
	process, err = processOf(&sandbox{hostname: pod.Name}, c, image, rights)
	return process, rights.readOnly, err
}
