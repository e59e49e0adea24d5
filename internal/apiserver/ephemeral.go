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
func (r *resource) ephemeral(codecs codecs) *view {
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
// containers to a Pod, or to a Pod that is made.
func notEphemeral(shown, live controlloop.Object) (controlloop.Object, error) {
	sent, at := shown.(*corev1.Pod).Spec.EphemeralContainers, field.NewPath("spec")
	var refused *field.Error
	switch {
	case live == nil && len(sent) > 0:
		refused = field.Forbidden(at.Child("ephemeralContainers"), "cannot be set on create")
	case live != nil && !equality.Semantic.DeepEqual(
		sent, live.(*corev1.Pod).Spec.EphemeralContainers):
		refused = field.Forbidden(at, controlloop.PodUpdatesMayChange)
	default:
		return shown, nil
	}
	return nil, apierrors.NewInvalid(controlloop.PodKind.GroupKind(), shown.GetName(),
		field.ErrorList{refused})
}
