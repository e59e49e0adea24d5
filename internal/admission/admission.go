package admission

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// Check refuses a new object with 403 Forbidden, or 404 NotFound where its
// namespace is not there. Where it is let through, and this is no dry run, it
// has been charged to its quotas.
func Check(
	ctx context.Context, store *controlloop.Store, obj controlloop.Object, dryRun bool,
) error {
	if obj.GetNamespace() == "" {
		return nil
	}
	kind, err := store.Kinds().Of(obj)
	if err != nil {
		return err
	}
	what := request{store, schema.GroupResource{
		Group: kind.Group, Resource: kind.Resource}, obj}
	if err := what.namespace(ctx); err != nil {
		return err
	}
	return what.quotas(ctx, dryRun)
}

// request is an object that somebody wants to store.
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
