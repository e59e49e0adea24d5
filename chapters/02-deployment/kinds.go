package deployment

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are the kinds that this chapter adds.
var (
	ReplicaSetKind = appsv1.SchemeGroupVersion.WithKind("ReplicaSet")
	DeploymentKind = appsv1.SchemeGroupVersion.WithKind("Deployment")
)

// Kinds returns the kinds of this chapter, for a store beside
// controlloop.CoreKinds.
func Kinds() []controlloop.Kind {
	return []controlloop.Kind{
		{
			GroupVersionKind: ReplicaSetKind,
			Resource:         "replicasets",
			Namespaced:       true,
			HasStatus:        true,
			HasGeneration:    true,
			New: func() controlloop.Object {
				return &appsv1.ReplicaSet{}
			},
			Rules: controlloop.Rules{
				Default: defaultReplicaSet, Validate: validateReplicaSet,
				ValidateUpdate: keepReplicaSetSelector,
			},
		},
		{
			GroupVersionKind: DeploymentKind,
			Resource:         "deployments",
			Namespaced:       true,
			HasStatus:        true,
			HasGeneration:    true,
			New: func() controlloop.Object {
				return &appsv1.Deployment{}
			},
			Rules: controlloop.Rules{
				Default: defaultDeployment, Validate: validateDeployment,
				ValidateUpdate: keepDeploymentSelector, Counts: annotated,
			},
		},
	}
}

// annotated reports whether annotations have changed: a Deployment passes them
// on, so they are for its controller to observe. (Kubernetes:
// pkg/registry/apps/deployment/strategy.go.)
func annotated(obj, old controlloop.Object) bool {
	return !maps.Equal(obj.GetAnnotations(), old.GetAnnotations())
}
