package controlloop

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// NewBinding returns the request to give this Pod, and no other of its name, to
// a node.
func NewBinding(pod *corev1.Pod, node string) *corev1.Binding {
	return &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID,
		},
		Target: corev1.ObjectReference{Kind: NodeKind.Kind, Name: node},
	}
}

// Bind gives a Pod to a node. That is no change of what its author asked for,
// so generation does not count it. It fails with 404 NotFound, or with 409
// Conflict when the Pod may not be bound, or is not the one that the binding
// means by its uid or version. (Kubernetes: setPodNodeAndMetadata in
// pkg/registry/core/pod/storage/storage.go.)
func (s *Store) Bind(_ context.Context, binding *corev1.Binding) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(PodKind)
	if err != nil {
		return err
	}
	old, err := t.get(KeyOf(binding))
	if err != nil {
		return err
	}
	if err := t.checkPreconditions("", binding.UID, old); err != nil {
		return err
	}
	if v := binding.ResourceVersion; v != "" && v != old.GetResourceVersion() {
		return t.conflict(old, fmt.Errorf("Precondition failed: ResourceVersion "+
			"in precondition: %v, ResourceVersion in object meta: %v",
			v, old.GetResourceVersion()))
	}
	pod := Copy(old.(*corev1.Pod))
	if why := notToBind(pod); why != nil {
		resource := t.GroupResource()
		resource.Resource += "/binding"
		return apierrors.NewConflict(resource, pod.Name, why)
	}
	pod.Spec.NodeName = binding.Target.Name
	pod.Status.NominatedNodeName = ""
	pod.Labels = merged(pod.Labels, binding.Labels)
	pod.Annotations = merged(pod.Annotations, binding.Annotations)
	SetPodCondition(&pod.Status, corev1.PodScheduled, "", "")
	s.commit(t, watch.Modified, pod, old)
	return nil
}

// notToBind says why a Pod cannot be given to a node, or returns nil.
func notToBind(pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host",
			pod.Name)
	case pod.Spec.NodeName != "":
		return fmt.Errorf("pod %v is already assigned to node %q",
			pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return fmt.Errorf("pod %v has non-empty .spec.schedulingGates", pod.Name)
	}
	return nil
}

// merged returns both, more's word against that of all.
func merged(all, more map[string]string) map[string]string {
	if all == nil {
		return maps.Clone(more)
	}
	maps.Copy(all, more)
	return all
}
