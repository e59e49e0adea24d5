package rules

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// ReplicaSet returns the rules of apps/v1 ReplicaSet.
func ReplicaSet() controlloop.Rules {
	return typed[*appsv1.ReplicaSet]{
		fill:   defaultReplicaSet,
		check:  checkReplicaSet,
		change: changeReplicaSet,
	}.rules()
}

func defaultReplicaSet(rs *appsv1.ReplicaSet) {
	fill(&rs.Spec.Replicas, new(int32(1)))
	controlloop.DefaultPodTemplate(&rs.Spec.Template)
}

func checkReplicaSet(rs *appsv1.ReplicaSet) field.ErrorList {
	spec := &rs.Spec
	return slices.Concat(
		nonnegative(*spec.Replicas, specPath.Child("replicas")),
		nonnegative(spec.MinReadySeconds, specPath.Child("minReadySeconds")),
		checkSelector(spec.Selector, "deployment"),
		checkMatch(&spec.Template, spec.Selector),
		checkTemplate(&spec.Template, "ReplicaSet"))
}

func changeReplicaSet(rs, old *appsv1.ReplicaSet) field.ErrorList {
	return validation.ValidateImmutableField(
		rs.Spec.Selector, old.Spec.Selector, specPath.Child("selector"))
}
