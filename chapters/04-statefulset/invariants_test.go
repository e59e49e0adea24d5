package statefulset_test

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

func tContext() context.Context { return context.Background() }

// world holds the objects after some writes.
type world struct {
	set  *appsv1.StatefulSet
	pods map[string]*corev1.Pod
}

func after(writes []kubetest.Write) world {
	w := world{pods: map[string]*corev1.Pod{}}
	for _, write := range writes {
		switch obj := write.Object.(type) {
		case *appsv1.StatefulSet:
			w.set = obj
		case *corev1.Pod:
			if write.Type == watch.Deleted {
				delete(w.pods, obj.Name)
			} else {
				w.pods[obj.Name] = obj
			}
		}
	}
	return w
}

// neverTwoOfAName returns an error when a Pod is made although another has its
// name, even one that is about to go.
func neverTwoOfAName(w kubetest.Write, before []kubetest.Write) error {
	if pod, ok := w.Object.(*corev1.Pod); ok && w.Type == watch.Added {
		if old := after(before).pods[pod.Name]; old != nil {
			return fmt.Errorf("%s is made, and there is one", pod.Name)
		}
	}
	return nil
}

// inOrder returns an error when, with OrderedReady, a Pod is made while one
// before it is missing, not ready, or on its way out.
func inOrder(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	then := after(before)
	if !ok || then.set == nil || !metav1.IsControlledBy(pod, then.set) ||
		then.set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement {
		return nil
	}
	ordinal, ok := statefulset.OrdinalOf(then.set, pod)
	if !ok || w.Type != watch.Added {
		return nil
	}
	first := 0
	if then.set.Spec.Ordinals != nil {
		first = int(then.set.Spec.Ordinals.Start)
	}
	for n := first; n < ordinal; n++ {
		name := fmt.Sprintf("%s-%d", then.set.Name, n)
		other := then.pods[name]
		if other == nil || other.DeletionTimestamp != nil || !kubetest.Ready(other) {
			return fmt.Errorf("%s is made before %s is ready", pod.Name, name)
		}
	}
	return nil
}
