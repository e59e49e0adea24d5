package apiserver

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// finalized returns the view of a namespace through which spec.finalizers
// are written, and nothing else: a controller that has emptied the
// namespace takes its own away.
func (r *resource) finalized(codecs *codecs) *view {
	v := r.whole("finalize", controlloop.Client.Update, codecs)
	v.merge = func(shown, live controlloop.Object) (controlloop.Object, error) {
		finalizers := shown.(*corev1.Namespace).Spec.Finalizers
		live.(*corev1.Namespace).Spec.Finalizers = slices.Clone(finalizers)
		return live, nil
	}
	return v
}

// keepFinalizers merges for a namespace's other view, which writes them for a new one
// only.
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
