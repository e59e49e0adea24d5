package kubelet

import (
	"fmt"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
)

// imageFault says in a word and a sentence why c's image isn't even asked for,
// or returns "": its name is none, or it may not be pulled and this kubelet has
// not done so before. (Kubernetes: pkg/kubelet/images/image_manager.go,
// EnsureImageExists and imagePullPrecheck.)
func (k *Kubelet) imageFault(c *corev1.Container) (reason, message string) {
	if _, err := reference.ParseNormalizedNamed(c.Image); err != nil {
		return "InvalidImageName", fmt.Sprintf(
			"Failed to apply default image tag %q: couldn't parse image name %q: %v",
			c.Image, c.Image, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.ImagePullPolicy == corev1.PullNever && !k.images.Has(c.Image) {
		return "ErrImageNeverPull", fmt.Sprintf("Container image %q is not "+
			"present with pull policy of Never", c.Image)
	}
	return "", ""
}

// noteImage records an imageFault.
func (k *Kubelet) noteImage(
	pod *corev1.Pod, c *corev1.Container, reason, message string,
) {
	event := reason
	if reason == "InvalidImageName" {
		event = "InspectFailed"
	}
	k.note(pod, c.Name, corev1.EventTypeWarning, event, "%s", message)
	k.note(pod, c.Name, corev1.EventTypeWarning, "Failed", "Error: %s", reason)
}
