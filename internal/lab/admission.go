package lab

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// admitted is the client that the lab's controllers have. They do not go
// through the HTTP API, but what it refuses is refused to them too: something
// new in a namespace that is not there, or on its way out (Kubernetes:
// k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle).
type admitted struct {
	controlloop.Client
	store *controlloop.Store
}

// Create implements controlloop.Client.
func (a admitted) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if obj.GetNamespace() != "" {
		if err := a.admit(ctx, obj); err != nil {
			return nil, err
		}
	}
	return a.Client.Create(ctx, obj)
}

func (a admitted) admit(ctx context.Context, obj controlloop.Object) error {
	key := controlloop.Key{Name: obj.GetNamespace()}
	namespace, err := a.store.Get(ctx, namespaceKind, key)
	if err != nil || namespace.GetDeletionTimestamp() == nil {
		return err
	}
	kind, err := a.store.Kinds().Of(obj)
	if err != nil {
		return err
	}
	refused := apierrors.NewForbidden(
		corev1.Resource(kind.Resource), obj.GetName(), fmt.Errorf(
			"unable to create new content in namespace %s because it is being terminated",
			key.Name))
	refused.ErrStatus.Details.Group = kind.Group
	refused.ErrStatus.Details.Causes = append(refused.ErrStatus.Details.Causes,
		metav1.StatusCause{
			Type:    corev1.NamespaceTerminatingCause,
			Message: fmt.Sprintf("namespace %s is being terminated", key.Name),
			Field:   "metadata.namespace",
		})
	return refused
}
