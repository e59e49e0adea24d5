package rollingupdate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/validation"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// These are the kinds that this chapter adds.
var (
	ServiceKind       = corev1.SchemeGroupVersion.WithKind("Service")
	EndpointSliceKind = discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice")
)

// Kinds returns the kinds of this chapter, for a store beside
// deployment.Kinds. One of them is a Deployment whose strategy is checked.
func Kinds() []controlloop.Kind {
	return []controlloop.Kind{
		rolling(deployment.Kinds()),
		{
			GroupVersionKind: ServiceKind,
			Resource:         "services",
			Namespaced:       true,
			HasStatus:        true,
			New: func() controlloop.Object {
				return &corev1.Service{}
			},
			Rules: controlloop.Rules{
				Name: validation.NameIsDNSLabel, Default: defaultService,
				ValidateUpdate: keepAddress, Allotment: addresses,
			},
		},
		{
			GroupVersionKind: EndpointSliceKind,
			Resource:         "endpointslices",
			Namespaced:       true,
			HasGeneration:    true,
			New: func() controlloop.Object {
				return &discoveryv1.EndpointSlice{}
			},
			Rules: controlloop.Rules{Default: defaultEndpointSlice},
		},
	}
}

// rolling returns the Deployment among the kinds of chapter 2, with rules for
// rolling updates after those that it has.
func rolling(kinds []controlloop.Kind) controlloop.Kind {
	kind := kinds[slices.IndexFunc(kinds, func(k controlloop.Kind) bool {
		return k.GroupVersionKind == deployment.DeploymentKind
	})]
	kind.Rules = kind.Rules.And(controlloop.Rules{
		Default: defaultRolling, Validate: validateRolling,
	})
	return kind
}
