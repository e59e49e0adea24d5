package controlloop

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Object is anything that the store holds: a pointer to one of Kubernetes' own
// Go types, such as *corev1.Pod. metav1.Object is its name, labels and owners;
// runtime.Object is its kind, and how to copy it.
type Object interface {
	metav1.Object
	runtime.Object
}

// Key names an object among those of its kind: "default/web".
type Key = types.NamespacedName

// KeyOf returns the key of obj.
func KeyOf(obj Object) Key {
	return Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// These are the kinds that this chapter's own controllers read and write.
var (
	PodKind  = corev1.SchemeGroupVersion.WithKind("Pod")
	NodeKind = corev1.SchemeGroupVersion.WithKind("Node")
	RCKind   = corev1.SchemeGroupVersion.WithKind("ReplicationController")
)

// Copy returns a deep copy of obj. An object that came from the store or from a
// cache is not to be changed; a copy of it is.
func Copy[T Object](obj T) T {
	return obj.DeepCopyObject().(T)
}

// part returns the field Spec or Status of the struct behind obj; the value is
// not valid if the kind has no such field.
func part(obj Object, name string) reflect.Value {
	return reflect.ValueOf(obj).Elem().FieldByName(name)
}
