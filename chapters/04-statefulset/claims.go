package statefulset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Claims provides what the Pods of a set keep beside their names. Chapter 5
// fills it: a disk each.
type Claims interface {
	// Equip makes the things that a Pod needs before it is made, and puts them
	// into its spec. An error is a reason not to make the Pod yet.
	Equip(ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod) error
	// Keep sees to the belongings of an existing Pod. In order, the condemned
	// have their turn when all the replicas are available.
	Keep(ctx context.Context, set *appsv1.StatefulSet, pod *corev1.Pod) error
}

// NoClaims are the Claims of Pods that keep nothing.
type NoClaims struct{}

// Equip implements Claims.
func (NoClaims) Equip(
	context.Context, *appsv1.StatefulSet, *corev1.Pod,
) error {
	return nil
}

// Keep implements Claims.
func (NoClaims) Keep(
	context.Context, *appsv1.StatefulSet, *corev1.Pod,
) error {
	return nil
}
