package apiserver

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	controlloop "reconcile/chapters/01-control-loop"
)

var scaleKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")

// scaled returns the view of an object as a number of replicas, the same for
// every kind that has one.
func (r *resource) scaled(codecs *codecs) *view {
	return &view{
		kind:     scaleKind,
		new:      func() controlloop.Object { return &autoscalingv1.Scale{} },
		show:     func(obj controlloop.Object) controlloop.Object { return r.Scale.Get(obj) },
		open:     r.openScale,
		merge:    r.mergeScale,
		write:    controlloop.Client.Update,
		managers: deduced(scaleKind, "scale", codecs),
	}
}

// openScale shows live as a Scale, managed by the managers of spec.replicas.
func (r *resource) openScale(live controlloop.Object) (controlloop.Object, error) {
	managed, err := r.replicasOf(live).ToSubresource()
	scale := r.Scale.Get(live)
	scale.SetManagedFields(managed)
	return scale, err
}

// mergeScale puts the replicas of a Scale, and their managers, into live.
func (r *resource) mergeScale(
	shown, live controlloop.Object,
) (controlloop.Object, error) {
	scale := shown.(*autoscalingv1.Scale)
	if errs := validation.ValidateNonnegativeField(int64(scale.Spec.Replicas),
		field.NewPath("spec", "replicas")); len(errs) > 0 {
		return nil, apierrors.NewInvalid(scaleKind.GroupKind(), scale.Name, errs)
	}
	r.Scale.Set(live, scale.Spec.Replicas)
	return live, r.manageScale(scale, live)
}

// manageScale puts the managers of a Scale among those of live. If they are
// unchanged, it leaves live's alone, because translating them there and back
// changes them.
func (r *resource) manageScale(scale *autoscalingv1.Scale, live controlloop.Object) error {
	were, err := r.replicasOf(live).ToSubresource()
	if err != nil || equality.Semantic.DeepEqual(were, scale.ManagedFields) {
		return err
	}
	managed, err := r.replicasOf(live).ToParent(scale.ManagedFields)
	live.SetManagedFields(managed)
	return err
}

// replicasOf translates between the managers of an object's spec.replicas and
// those of its Scale. The path is the same in every kind that has a Scale.
func (r *resource) replicasOf(live controlloop.Object) *managedfields.ScaleHandler {
	version := r.GroupVersion()
	return managedfields.NewScaleHandler(live.GetManagedFields(), version,
		managedfields.ResourcePathMappings{
			version.String(): fieldpath.MakePathOrDie("spec", "replicas"),
		})
}
