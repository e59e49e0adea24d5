package deployment_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/internal/kubetest"
)

// These invariants must hold at every write to the store.

// replay goes through the writes so far and gives each object's last state.
func replay(writes []kubetest.Write, see func(obj any, gone bool)) {
	for _, w := range writes {
		see(w.Object, w.Type == watch.Deleted)
	}
}

// alive returns the Pods that have neither ended nor gone, by uid.
func alive(writes []kubetest.Write) map[types.UID]*corev1.Pod {
	pods := map[types.UID]*corev1.Pod{}
	replay(writes, func(obj any, gone bool) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return
		}
		ended := pod.Status.Phase == corev1.PodSucceeded ||
			pod.Status.Phase == corev1.PodFailed
		if gone || ended {
			delete(pods, pod.UID)
		} else {
			pods[pod.UID] = pod
		}
	})
	return pods
}

// neverTooMany returns an error when a Pod is created where its ReplicaSet has
// as many as it wants. That never happens where controllers step, each with a
// cache that is up to date.
func neverTooMany(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	owner := metav1.GetControllerOf(w.Object)
	if !ok || w.Type != watch.Added || owner == nil {
		return nil
	}
	var wanted int32
	replay(before, func(obj any, _ bool) {
		if rs, ok := obj.(*appsv1.ReplicaSet); ok && rs.UID == owner.UID {
			wanted = *rs.Spec.Replicas
		}
	})
	have := int32(1)
	for _, other := range alive(before) {
		if other.DeletionTimestamp == nil && metav1.IsControlledBy(
			other, &metav1.ObjectMeta{UID: owner.UID}) {
			have++
		}
	}
	if have > wanted {
		return fmt.Errorf("%s is Pod %d where %d are wanted", pod.Name, have, wanted)
	}
	return nil
}

// neverBoth returns an error when a Deployment that recreates has two Pods of
// different templates at once. One that was told to end counts until it has.
func neverBoth(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || w.Type != watch.Added {
		return nil
	}
	hash := pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	for _, other := range alive(before) {
		was := other.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
		if other.Labels["app"] == pod.Labels["app"] && was != hash {
			return fmt.Errorf("%s of %s starts while %s of %s is there",
				pod.Name, hash, other.Name, was)
		}
	}
	return nil
}
