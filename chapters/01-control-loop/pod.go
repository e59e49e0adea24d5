package controlloop

import (
	"iter"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// HasEnded reports whether a Pod has come to its end: it never starts again.
func HasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded ||
		pod.Status.Phase == corev1.PodFailed
}

// IsReady reports whether a Pod can be given work.
func IsReady(pod *corev1.Pod) bool {
	c := PodCondition(pod, corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

// PodCondition returns a Pod's condition of that type, or nil.
func PodCondition(
	pod *corev1.Pod, want corev1.PodConditionType,
) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == want {
			return c
		}
	}
	return nil
}

// SetPodCondition makes a condition true, or false for a reason, and puts it
// last. Its time is that of the last change from true to false or back.
func SetPodCondition(
	s *corev1.PodStatus, t corev1.PodConditionType, reason, message string,
) {
	next := corev1.PodCondition{
		Type: t, Status: corev1.ConditionTrue, LastTransitionTime: Now(),
	}
	if reason != "" {
		next.Status = corev1.ConditionFalse
		next.Reason, next.Message = reason, message
	}
	is := func(c corev1.PodCondition) bool { return c.Type == t }
	old := Find(s.Conditions, is)
	if old != nil && old.Status == next.Status {
		next.LastTransitionTime = old.LastTransitionTime
	}
	s.Conditions = append(slices.DeleteFunc(s.Conditions, is), next)
}

// Find returns a pointer to the first element for which is holds, or nil.
func Find[T any](all []T, is func(T) bool) *T {
	if at := slices.IndexFunc(all, is); at >= 0 {
		return &all[at]
	}
	return nil
}

// Containers returns all of a Pod's, in the order in which they start; then
// those that were added to it.
func Containers(spec *corev1.PodSpec) iter.Seq[*corev1.Container] {
	return func(yield func(*corev1.Container) bool) {
		lists := [][]corev1.Container{spec.InitContainers, spec.Containers}
		for _, list := range lists {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
		for _, c := range EphemeralContainers(spec) {
			if !yield(c) {
				return
			}
		}
	}
}

// EphemeralContainers returns the containers that were added to a running Pod
// so that a person can look around in it. They start at once, and only once,
// and their fate says nothing about the Pod.
func EphemeralContainers(spec *corev1.PodSpec) (all []*corev1.Container) {
	for i := range spec.EphemeralContainers {
		c := &spec.EphemeralContainers[i].EphemeralContainerCommon
		all = append(all, (*corev1.Container)(c))
	}
	return all
}

// PodFrom returns a new Pod made from a template and controlled by owner, an
// object of that kind. (Kubernetes: GetPodFromTemplate in
// pkg/controller/controller_utils.go.)
func PodFrom(
	template *corev1.PodTemplateSpec, owner Object,
	kind schema.GroupVersionKind,
) *corev1.Pod {
	template = template.DeepCopy()
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:    owner.GetNamespace(),
			GenerateName: owner.GetName() + "-",
			Labels:       template.Labels,
			Annotations:  template.Annotations,
			Finalizers:   template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(owner, kind),
			},
		},
		Spec: template.Spec,
	}
}

// ControllerUID returns the uid of the object that controls obj; it is the
// IndexFunc of ByOwner.
func ControllerUID(obj Object) []string {
	if owner := metav1.GetControllerOfNoCopy(obj); owner != nil {
		return []string{string(owner.UID)}
	}
	return nil
}

// ControllerKey returns the key of the object that controls obj, if
// it is one of this kind.
func ControllerKey(obj Object, kind schema.GroupVersionKind) (Key, bool) {
	owner := metav1.GetControllerOfNoCopy(obj)
	if owner == nil || owner.Kind != kind.Kind {
		return Key{}, false
	}
	return Key{Namespace: obj.GetNamespace(), Name: owner.Name}, true
}
