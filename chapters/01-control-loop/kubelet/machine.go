package kubelet

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Machine is a node as its kubelet finds it: the runtime, the volumes, and what
// others do and answer for it. It outlives the kubelet.
type Machine struct {
	Node    string
	Runtime Runtime
	Volumes Volumes

	// Resolve returns a container with the values that its variables refer to,
	// and nothing left to look up. If Resolve is nil, they refer to nothing.
	Resolve func(
		context.Context, *corev1.Pod, *corev1.Container,
	) (*corev1.Container, error)
	// PostStart returns when a container that has started may be said to run.
	// Its error says why it may not: then the container has been stopped. If
	// PostStart is nil, it always may.
	PostStart func(context.Context, *corev1.Pod, *corev1.Container) error
	// Admit says why a Pod has no place beside others, in a word and in a
	// sentence, or returns "" if it has one. If Admit is nil, it always has.
	Admit func(
		ctx context.Context, pod *corev1.Pod, others []*corev1.Pod,
	) (reason, message string)
}

// resolve calls Resolve, if there is one.
func (k *Kubelet) resolve(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
) (*corev1.Container, error) {
	if k.Resolve == nil {
		return c, nil
	}
	return k.Resolve(ctx, pod, c)
}

// postStart calls PostStart, if there is one.
func (k *Kubelet) postStart(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
) error {
	if k.PostStart == nil {
		return nil
	}
	return k.PostStart(ctx, pod, c)
}

// admit calls Admit, once in the life of a Pod. An admitted Pod counts as being
// here from then on, even if no status says so yet.
func (k *Kubelet) admit(ctx context.Context, pod *corev1.Pod) (string, string) {
	if k.Admit == nil || pod.Status.StartTime != nil {
		return "", ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	var others []*corev1.Pod
	for _, obj := range k.Pods.List() {
		other := obj.(*corev1.Pod)
		here := other.Status.StartTime != nil || k.admitted.Has(other.UID)
		if here && !controlloop.HasEnded(other) && other.UID != pod.UID {
			others = append(others, other)
		}
	}
	reason, message := k.Machine.Admit(ctx, pod, others)
	if reason == "" {
		k.admitted.Insert(pod.UID)
	}
	return reason, message
}

// reject ends a Pod before it has begun. Its owner makes another, elsewhere.
func (k *Kubelet) reject(
	ctx context.Context, pod *corev1.Pod, reason, message string,
) error {
	next := controlloop.Copy(pod)
	next.Status.Phase, next.Status.Reason = corev1.PodFailed, reason
	next.Status.Message = "Pod was rejected: " + message
	next.Status.ObservedGeneration = pod.Generation
	_, err := k.Client.UpdateStatus(ctx, next)
	if err == nil {
		k.Recorder.Eventf(pod, corev1.EventTypeWarning, reason, "%s", message)
	}
	return err
}
