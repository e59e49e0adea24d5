package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// Admit returns a new object as it may be stored: Pods and claims have been
// filled in, and a name has been made where only generateName was given; all else
// is obj itself. Its error is 403 Forbidden, or 404 NotFound if the namespace does
// not exist. An obj that is let through has been charged to its quotas, unless this
// is a dry run.
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
	what := request{store, kind, obj}
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
	if err := what.limited(ctx, dryRun); err != nil {
		return nil, what.invalidOr(ctx, err)
	}
	return what.obj, nil
}

// limited asks the namespace's LimitRanges and quotas. They see the name that was
// made (Kubernetes: create in pkg/registry/generic/registry/store.go of apiserver);
// a dry run takes none from the store.
func (r *request) limited(ctx context.Context, dryRun bool) (err error) {
	names := r.store
	if dryRun {
		names = r.elsewhere()
	}
	if r.obj, err = names.Named(r.obj); err != nil {
		return err
	}
	if err := r.ranges(ctx); err != nil {
		return err
	}
	return r.quotas(ctx, dryRun)
}

// invalidOr returns what is wrong with an object that has been refused, and the
// refusal if nothing is. Validation comes before these questions, and is the
// store's; so it is asked twice, and only of what is not stored.
func (r request) invalidOr(ctx context.Context, refused error) error {
	if _, err := r.elsewhere().Create(ctx, r.obj); apierrors.IsInvalid(err) {
		return err
	}
	return refused
}

// elsewhere returns an empty store, for what is only tried. Its seed is another than
// labs have, lest it make the names that are taken there.
func (r request) elsewhere() *controlloop.Store {
	return controlloop.NewStore(controlloop.Kinds{}.With(r.kind), controlloop.WithSeed(1<<63))
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
	store *controlloop.Store
	kind  controlloop.Kind
	obj   controlloop.Object
}

func (r request) forbidden(format string, args ...any) *apierrors.StatusError {
	name := r.obj.GetName()
	if name == "" {
		name = r.obj.GetGenerateName()
	}
	return apierrors.NewForbidden(r.kind.GroupResource(), name, fmt.Errorf(format, args...))
}
