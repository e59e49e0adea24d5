package controlloop

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object is anything that the store holds: a pointer to one of Kubernetes' own
// Go types, such as *corev1.Pod. metav1.Object is its name, labels and owners;
// runtime.Object is its kind, and how to copy it.
type Object interface {
	metav1.Object
	runtime.Object
}
