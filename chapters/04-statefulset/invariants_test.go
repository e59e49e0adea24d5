package statefulset_test

import (
	"context"
	"fmt"
	"strings"

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
// before it is missing, not ready, or on its way out; and when one that is too
// many is told to go while one that stays is any of these, or before a higher one
// is gone.
func inOrder(w kubetest.Write, before []kubetest.Write) error {
	return orderly(w, after(before))
}

// orderly judges a write by what its author could have known.
func orderly(w kubetest.Write, known world) error {
	pod, ok := w.Object.(*corev1.Pod)
	if !ok || known.set == nil || !metav1.IsControlledBy(pod, known.set) ||
		known.set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement ||
		!strings.HasPrefix(w.By, "statefulset") {
		return nil
	}
	ordinal, ok := statefulset.OrdinalOf(known.set, pod)
	first := 0
	if known.set.Spec.Ordinals != nil {
		first = int(known.set.Spec.Ordinals.Start)
	}
	beyond := first + int(*known.set.Spec.Replicas)
	switch told := w.Type == watch.Deleted || pod.DeletionTimestamp != nil; {
	case !ok:
		return nil
	case w.Type == watch.Added:
		return known.works(pod, first, ordinal)
	case told && (ordinal < first || ordinal >= beyond):
		for _, other := range known.pods {
			n, _ := statefulset.OrdinalOf(known.set, other)
			if n > ordinal && n >= beyond && metav1.IsControlledBy(other, known.set) {
				return fmt.Errorf("%s is told to go before %s is gone", pod.Name, other.Name)
			}
		}
		return known.works(pod, first, beyond)
	}
	return nil
}

// works returns an error when a Pod from one ordinal to before another is
// missing, not ready, or going.
func (w world) works(pod *corev1.Pod, first, end int) error {
	for n := first; n < end; n++ {
		name := fmt.Sprintf("%s-%d", w.set.Name, n)
		other := w.pods[name]
		if other == nil || other.DeletionTimestamp != nil || !kubetest.Ready(other) {
			return fmt.Errorf("%s is not ready, and it is %s's turn", name, pod.Name)
		}
	}
	return nil
}
