package discovery

import (
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// reviews can be created and nothing else, since nothing is stored: they come
// back with the answer. Who am I, and what may I do? A binding becomes a field
// of a Pod's.
var reviews = []struct {
	group    schema.GroupVersion
	resource metav1.APIResource
}{
	{corev1.SchemeGroupVersion, metav1.APIResource{
		Name:         "bindings",
		SingularName: "binding",
		Namespaced:   true,
		Kind:         "Binding",
		Verbs:        metav1.Verbs{"create"},
	}},
	{authenticationv1.SchemeGroupVersion, metav1.APIResource{
		Name:         "selfsubjectreviews",
		SingularName: "selfsubjectreview",
		Kind:         "SelfSubjectReview",
		Verbs:        metav1.Verbs{"create"},
	}},
	{authorizationv1.SchemeGroupVersion, metav1.APIResource{
		Name:         "selfsubjectaccessreviews",
		SingularName: "selfsubjectaccessreview",
		Kind:         "SelfSubjectAccessReview",
		Verbs:        metav1.Verbs{"create"},
	}},
}
