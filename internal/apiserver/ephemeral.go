package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// ephemeral returns the view of a Pod through which containers are added to it,
// and nothing else is written.
func (r *resource) ephemeral(codecs *codecs) *view {
	v := r.whole("ephemeralcontainers", controlloop.Client.Update, codecs)
	v.merge = func(shown, live controlloop.Object) (controlloop.Object, error) {
		added := shown.(*corev1.Pod).Spec.EphemeralContainers
		live.(*corev1.Pod).Spec.EphemeralContainers = added
		live.SetManagedFields(shown.GetManagedFields())
		return live, nil
	}
	return v
}

// notEphemeral merges for a Pod's other view: it refuses to add ephemeral
// containers to a Pod.
func notEphemeral(shown, live controlloop.Object) (controlloop.Object, error) {
	if live == nil || equality.Semantic.DeepEqual(shown.(*corev1.Pod).Spec.EphemeralContainers,
		live.(*corev1.Pod).Spec.EphemeralContainers) {
		return shown, nil // of a new Pod, its own rules refuse them
	}
	return nil, apierrors.NewInvalid(controlloop.PodKind.GroupKind(), shown.GetName(),
		field.ErrorList{field.Forbidden(field.NewPath("spec"), controlloop.PodUpdatesMayChange)})
}
