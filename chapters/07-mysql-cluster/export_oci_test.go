//go:build linux

package mysqlcluster

import (
	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"
)

var OCIResources = resourcesOf

// OCIProcess is the first process of a Pod's only container, and whether it may
// write to its image's files.
func OCIProcess(
	pod *corev1.Pod, image *OCIImage,
) (process *specs.Process, readOnly bool, err error) {
	c := &pod.Spec.Containers[0]
	rights, err := (&oci{}).rightsOf(pod, c, image)
	if err != nil {
		return nil, false, err
	}
	process, err = processOf(&ociPod{hostname: pod.Name}, c, image, rights)
	return process, rights.readOnly, err
}
