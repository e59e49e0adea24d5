package apiserver

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// keepFinalizers merges for a namespace: an update leaves its spec.finalizers as they
// are. A controller that has emptied the namespace removes its own through the view
// finalize.
func keepFinalizers(shown, live controlloop.Object) (controlloop.Object, error) {
	if live != nil {
		shown.(*corev1.Namespace).Spec.Finalizers = live.(*corev1.Namespace).Spec.Finalizers
	}
	return shown, nil
}

// mayGo reports whether a namespace may be deleted: Kubernetes keeps these, as
// too much depends on them.
func mayGo(namespace string) bool {
	return !slices.Contains([]string{
		metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic,
	}, namespace)
}
