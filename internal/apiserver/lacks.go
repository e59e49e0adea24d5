package apiserver

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// warnOfLacks warns of what the Pods of a new object ask for in vain.
func (s *storage) warnOfLacks(ctx context.Context, obj controlloop.Object) {
	if spec, path := podSpecOf(obj); spec != nil && s.lacks != nil {
		for _, err := range s.lacks(spec, path) {
			warn(ctx, err.Error())
		}
	}
}

// podSpecOf returns the spec of the Pods that an object is or makes, and where
// in the object it is; nil if it makes none.
func podSpecOf(obj controlloop.Object) (spec *corev1.PodSpec, path string) {
	const inTemplate = "spec.template.spec"
	switch obj := obj.(type) {
	case *corev1.Pod:
		return &obj.Spec, "spec"
	case *corev1.ReplicationController:
		if obj.Spec.Template != nil {
			return &obj.Spec.Template.Spec, inTemplate
		}
	case *appsv1.ReplicaSet:
		return &obj.Spec.Template.Spec, inTemplate
	case *appsv1.Deployment:
		return &obj.Spec.Template.Spec, inTemplate
	case *appsv1.StatefulSet:
		return &obj.Spec.Template.Spec, inTemplate
	case *appsv1.DaemonSet:
		return &obj.Spec.Template.Spec, inTemplate
	case *batchv1.Job:
		return &obj.Spec.Template.Spec, inTemplate
	case *batchv1.CronJob:
		return &obj.Spec.JobTemplate.Spec.Template.Spec, "spec.jobTemplate." + inTemplate
	}
	return nil, ""
}
