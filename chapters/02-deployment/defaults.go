package deployment

import (
	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are the defaults that the API server fills in (Kubernetes:
// pkg/apis/apps/v1/defaults.go).

func defaultReplicaSet(obj controlloop.Object) {
	rs := obj.(*appsv1.ReplicaSet)
	if rs.Spec.Replicas == nil {
		rs.Spec.Replicas = new(int32(1))
	}
	controlloop.DefaultPodTemplate(&rs.Spec.Template)
}

func defaultDeployment(obj controlloop.Object) {
	spec := &obj.(*appsv1.Deployment).Spec
	if spec.Replicas == nil {
		spec.Replicas = new(int32(1))
	}
	if spec.Strategy.Type == "" {
		spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
	}
	if spec.RevisionHistoryLimit == nil {
		spec.RevisionHistoryLimit = new(int32(10))
	}
	if spec.ProgressDeadlineSeconds == nil {
		spec.ProgressDeadlineSeconds = new(int32(600))
	}
	controlloop.DefaultPodTemplate(&spec.Template)
}
