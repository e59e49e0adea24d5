package kubelet

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// note records an event about one container of a Pod.
func (k *Kubelet) note(
	pod *corev1.Pod, container, eventtype, reason, format string, args ...any,
) {
	about := &corev1.ObjectReference{
		APIVersion: "v1", Kind: controlloop.PodKind.Kind,
		Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID,
		ResourceVersion: pod.ResourceVersion,
		FieldPath:       fmt.Sprintf("spec.containers{%s}", container),
	}
	if isInit(pod, container) {
		about.FieldPath = fmt.Sprintf("spec.initContainers{%s}", container)
	}
	if isEphemeral(pod, container) {
		about.FieldPath = fmt.Sprintf("spec.ephemeralContainers{%s}", container)
	}
	k.Recorder.Eventf(about, eventtype, reason, format, args...)
}

// notePull records what has become of the image of a container that was to be
// started.
func (k *Kubelet) notePull(pod *corev1.Pod, c *corev1.Container, err *PullError) {
	if err == nil && k.pulled(c) {
		k.note(pod, c.Name, corev1.EventTypeNormal, "Pulled", "Container image %q "+
			"already present on machine and can be accessed by the pod", c.Image)
		return
	}
	k.note(pod, c.Name, corev1.EventTypeNormal, "Pulling",
		"Pulling image %q", c.Image)
	if err != nil {
		k.note(pod, c.Name, corev1.EventTypeWarning, "Failed",
			"Failed to pull image %q: %s", c.Image, err.Reason)
		k.note(pod, c.Name, corev1.EventTypeWarning, "Failed", "Error: ErrImagePull")
		return
	}
	k.note(pod, c.Name, corev1.EventTypeNormal, "Pulled",
		"Successfully pulled image %q in 0s (0s including waiting)", c.Image)
}

// pulled reports whether this kubelet has pulled c's image before, and need not
// do so again. It remembers that it has from now on.
func (k *Kubelet) pulled(c *corev1.Container) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.images.Has(c.Image)
	k.images.Insert(c.Image)
	return before && c.ImagePullPolicy != corev1.PullAlways
}

// noteHold records that a container waits for its backoff to end.
func (k *Kubelet) noteHold(pod *corev1.Pod, container, reason string) {
	if reason == "CrashLoopBackOff" {
		k.note(pod, container, corev1.EventTypeWarning, "BackOff",
			"Back-off restarting failed container %s in pod %s_%s(%s)",
			container, pod.Name, pod.Namespace, pod.UID)
		return
	}
	k.note(pod, container, corev1.EventTypeNormal, "BackOff",
		"Back-off pulling image %q", imageOf(pod, container))
	k.note(pod, container, corev1.EventTypeWarning, "Failed",
		"Error: ImagePullBackOff")
}

// noteStop records that a container has not ended though it was killed, if err
// says so. Its Pod may be gone from the store.
func (k *Kubelet) noteStop(s Sandbox, container string, err error) {
	if err == nil {
		return
	}
	about := &corev1.ObjectReference{
		APIVersion: "v1", Kind: controlloop.PodKind.Kind,
		Namespace: s.Pod.Namespace, Name: s.Pod.Name, UID: s.UID,
	}
	k.Recorder.Eventf(about, corev1.EventTypeWarning, "FailedKillPod",
		"error killing pod: failed to \"KillContainer\" for %q with "+
			"KillContainerError: %q", container, err)
}

// noteMount records why a Pod has no volumes, if there is a reason and it is
// news.
func (k *Kubelet) noteMount(pod *corev1.Pod, m *memory, err *MountError) {
	if why := err.Error(); why != "" && m.unmounted != why {
		m.unmounted = why
		k.Recorder.Eventf(
			pod, corev1.EventTypeWarning, "FailedMount", "%s", m.unmounted)
	}
}
