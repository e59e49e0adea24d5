package statefulset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Version is one version of a set's template, and the name that it goes by: ""
// if templates are not numbered.
type Version struct {
	Revision string
	Template *corev1.PodTemplateSpec
}

// Versions are the two ends of an update. Without one they are the
// same.
type Versions struct{ Current, Update Version }

// Update decides of which version a Pod is made, and which Pods give way to one
// of another. Chapter 6 fills it with revisions.
type Update interface {
	// Versions finds out which versions a set is between.
	Versions(ctx context.Context, set *appsv1.StatefulSet,
		pods []*corev1.Pod) (Versions, error)
	// For returns the version in which the Pod of an ordinal is made now.
	For(set *appsv1.StatefulSet, v Versions, ordinal int) Version
	// GiveWay returns the Pods to delete, so that they come back in another
	// version. All the replicas are there, and none is condemned.
	GiveWay(set *appsv1.StatefulSet, v Versions,
		replicas []*corev1.Pod) []*corev1.Pod
}

// OnDelete is the Update that never takes a Pod away. When a user deletes one,
// its successor is made from the newest template.
type OnDelete struct{}

// Versions implements Update.
func (OnDelete) Versions(
	_ context.Context, set *appsv1.StatefulSet, _ []*corev1.Pod,
) (Versions, error) {
	only := Version{Template: &set.Spec.Template}
	return Versions{Current: only, Update: only}, nil
}

// For implements Update.
func (OnDelete) For(_ *appsv1.StatefulSet, v Versions, _ int) Version {
	return v.Update
}

// GiveWay implements Update.
func (OnDelete) GiveWay(
	*appsv1.StatefulSet, Versions, []*corev1.Pod,
) []*corev1.Pod {
	return nil
}
