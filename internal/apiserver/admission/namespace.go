package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// namespace refuses as Kubernetes' plugin NamespaceLifecycle does.
func (r request) namespace(ctx context.Context) error {
	key := controlloop.Key{Name: r.obj.GetNamespace()}
	namespace, err := r.store.Get(ctx, namespaceKind, key)
	if err != nil || namespace.GetDeletionTimestamp() == nil {
		return err
	}
	refused := r.forbidden("unable to create new content in namespace %s because "+
		"it is being terminated", key.Name)
	refused.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", key.Name),
		Field:   "metadata.namespace",
	}}
	return refused
}
