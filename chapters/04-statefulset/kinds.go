package statefulset

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/validation"

	controlloop "reconcile/chapters/01-control-loop"
)

// StatefulSetKind is the kind that this chapter adds.
var StatefulSetKind = appsv1.SchemeGroupVersion.WithKind("StatefulSet")

// Kinds returns the kinds of this chapter, for a store beside
// controlloop.CoreKinds.
func Kinds() []controlloop.Kind {
	return []controlloop.Kind{{
		GroupVersionKind: StatefulSetKind,
		Resource:         "statefulsets",
		Namespaced:       true,
		HasStatus:        true,
		HasGeneration:    true,
		New: func() controlloop.Object {
			return &appsv1.StatefulSet{}
		},
		Rules: controlloop.Rules{
			Name:    validation.NameIsDNSLabel, // its Pods' names are host names
			Default: defaultStatefulSet, ValidateUpdate: keepIdentity,
		},
	}}
}
