package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// Admit returns a new object as it may be stored: Pods and claims have been
// filled in, all else is obj itself. Its error is 403 Forbidden, or 404
// NotFound if the namespace does not exist. An obj that is let through has been
// charged to its quotas, unless this is a dry run.
func Admit(
	ctx context.Context, store *controlloop.Store, obj controlloop.Object, dryRun bool,
) (controlloop.Object, error) {
	obj = guarded(obj)
	if class, ok := obj.(*schedulingv1.PriorityClass); ok {
		return obj, onlyDefault(ctx, store, class, nil)
	}
	if obj.GetNamespace() == "" {
		return obj, nil
	}
	kind, err := store.Kinds().Of(obj)
	if err != nil {
		return nil, err
	}
	what := request{store, schema.GroupResource{
		Group: kind.Group, Resource: kind.Resource}, obj}
	if err := what.namespace(ctx); err != nil {
		return nil, err
	}
	switch obj := obj.(type) {
	case *corev1.Pod:
		what.obj, err = what.fill(ctx, obj)
	case *corev1.PersistentVolumeClaim:
		what.obj, err = what.class(ctx, obj)
	}
	if err != nil {
		return nil, err
	}
	if what.obj, err = what.ranges(ctx); err != nil {
		return nil, err
	}
	return what.obj, what.quotas(ctx, dryRun)
}

// AdmitChange fills in what a Pod has let go of, and returns a 403 Forbidden if
// old may not become obj though both are valid.
func AdmitChange(
	ctx context.Context, store *controlloop.Store, obj, old controlloop.Object,
) error {
	switch obj := obj.(type) {
	case *corev1.Pod:
		tolerate(&obj.Spec)
		keepPriority(&obj.Spec, &old.(*corev1.Pod).Spec)
	case *corev1.PersistentVolumeClaim:
		return grown(ctx, store, obj, old.(*corev1.PersistentVolumeClaim))
	case *schedulingv1.PriorityClass:
		return onlyDefault(ctx, store, obj, old.(*schedulingv1.PriorityClass))
	}
	return nil
}

// request is an object that a client wants to store.
type request struct {
	store    *controlloop.Store
	resource schema.GroupResource
	obj      controlloop.Object
}

func (r request) forbidden(format string, args ...any) *apierrors.StatusError {
	name := r.obj.GetName()
	if name == "" {
		name = r.obj.GetGenerateName()
	}
	return apierrors.NewForbidden(r.resource, name, fmt.Errorf(format, args...))
}
