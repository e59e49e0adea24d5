package daemonset_test

import (
	"bytes"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/internal/kubetest"
)

// setWorld is what there is of a set after some writes.
type setWorld struct {
	set       *appsv1.StatefulSet
	pods      map[string]*corev1.Pod
	revisions map[string]*appsv1.ControllerRevision
}

func setWorldAfter(writes []kubetest.Write) setWorld {
	w := setWorld{
		pods:      map[string]*corev1.Pod{},
		revisions: map[string]*appsv1.ControllerRevision{},
	}
	for _, write := range writes {
		gone := write.Type == watch.Deleted
		switch obj := write.Object.(type) {
		case *appsv1.StatefulSet:
			w.set = obj
		case *corev1.Pod:
			if w.pods[obj.Name] = obj; gone {
				delete(w.pods, obj.Name)
			}
		case *appsv1.ControllerRevision:
			if w.revisions[obj.Name] = obj; gone {
				delete(w.revisions, obj.Name)
			}
		}
	}
	return w
}

// partition is from which place on a set is updated, and false if by no number.
func (w setWorld) partition() (int, bool) {
	update := w.set.Spec.UpdateStrategy
	if update.Type != appsv1.RollingUpdateStatefulSetStrategyType || update.RollingUpdate == nil {
		return 0, false
	}
	return int(*update.RollingUpdate.Partition), true
}

// place is that of a Pod among the replicas, counted from the start.
func (w setWorld) place(pod *corev1.Pod) int {
	var ordinal int
	if _, err := fmt.Sscanf(pod.Name, w.set.Name+"-%d", &ordinal); err != nil {
		return -1
	}
	if w.set.Spec.Ordinals != nil {
		ordinal -= int(w.set.Spec.Ordinals.Start)
	}
	return ordinal
}

// works reports whether a Pod has been ready for as long as its set asks.
func (w setWorld) works(pod *corev1.Pod) bool {
	ready := kubetest.Condition(pod, corev1.PodReady)
	return ready.Status == corev1.ConditionTrue &&
		time.Since(ready.LastTransitionTime.Time) >=
			time.Duration(w.set.Spec.MinReadySeconds)*time.Second
}

func revisionOn(pod *corev1.Pod) string {
	return pod.Labels[appsv1.ControllerRevisionHashLabelKey]
}

// keepsPartition: below the partition a Pod is made of what the status names as
// current, and none is of another version than its label says.
func keepsPartition(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	then := setWorldAfter(before)
	if !ok || w.Type != watch.Added || then.set == nil {
		return nil
	}
	r := then.revisions[revisionOn(pod)]
	if r != nil && versionIn(r) != versionOf(pod.Spec) {
		return fmt.Errorf("%s is %s, and says that it is %s",
			pod.Name, versionOf(pod.Spec), versionIn(r))
	}
	from, ok := then.partition()
	current := then.revisions[then.set.Status.CurrentRevision]
	if ok && current != nil && then.place(pod) < from &&
		revisionOn(pod) != current.Name {
		return fmt.Errorf("%s is below the partition %d, and is made %s in place of %s",
			pod.Name, from, versionOf(pod.Spec), versionIn(current))
	}
	return nil
}

// numbersRise: a number that is given is above all that there are, and none is
// ever taken back.
func numbersRise(w kubetest.Write, before []kubetest.Write) error {
	r, ok := w.Object.(*appsv1.ControllerRevision)
	if !ok || w.Type == watch.Deleted || r.OwnerReferences == nil {
		return nil
	}
	if old, ok := w.Old.(*appsv1.ControllerRevision); ok && old.Revision == r.Revision {
		return nil
	}
	for _, other := range setWorldAfter(before).revisions {
		if other.Revision >= r.Revision && ownerOf(other) == ownerOf(r) {
			return fmt.Errorf("%s gets number %d, and %s has %d",
				r.Name, r.Revision, other.Name, other.Revision)
		}
	}
	return nil
}

func ownerOf(obj metav1.Object) types.UID {
	if ref := metav1.GetControllerOfNoCopy(obj); ref != nil {
		return ref.UID
	}
	return ""
}

// nothingForgotten: a revision goes only if no Pod is of it, the status does not
// name it, and as many others as are to be remembered stay that are like it.
func nothingForgotten(w kubetest.Write, before []kubetest.Write) error {
	r, ok := w.Object.(*appsv1.ControllerRevision)
	then := setWorldAfter(before)
	if !ok || w.Type != watch.Deleted || then.set == nil ||
		r.Annotations["test/by-hand"] != "" {
		return nil
	}
	// The highest number is that of the template. A set that has no Pod of another
	// version is done: then what was current may go before the status says so.
	live := map[string]bool{}
	highest := r
	for _, other := range then.revisions {
		if other.Revision > highest.Revision {
			highest = other
		}
	}
	live[highest.Name] = true
	for _, pod := range then.pods {
		live[revisionOn(pod)] = true
	}
	if live[r.Name] {
		return fmt.Errorf("%s goes, and is in use", r.Name)
	}
	if r.Name == then.set.Status.CurrentRevision &&
		len(then.pods) != int(*then.set.Spec.Replicas) {
		return fmt.Errorf("%s goes, and is current", r.Name)
	}
	kept := 0
	for _, other := range then.revisions {
		if other.Name != r.Name && !live[other.Name] && other.Revision > r.Revision {
			kept++
		}
		if other.Name != r.Name && bytes.Equal(other.Data.Raw, r.Data.Raw) {
			return fmt.Errorf("%s and %s say the same", other.Name, r.Name)
		}
	}
	if kept < int(*then.set.Spec.RevisionHistoryLimit) {
		return fmt.Errorf("%s goes, and only %d are kept", r.Name, kept)
	}
	return nil
}

// takesFew: a Pod that works is told to give way only if with it no more are
// missing than may be.
func takesFew(w kubetest.Write, before []kubetest.Write) error {
	pod, ok := w.Object.(*corev1.Pod)
	then := setWorldAfter(before)
	if !ok || then.set == nil || w.Old == nil || pod.Annotations["test/by-hand"] != "" ||
		w.Old.GetDeletionTimestamp() != nil || pod.DeletionTimestamp == nil ||
		then.place(pod) < 0 || then.place(pod) >= int(*then.set.Spec.Replicas) ||
		!then.works(pod) {
		return nil // it is new, gone, leaving already, condemned, or does not work
	}
	missing := int(*then.set.Spec.Replicas)
	for _, other := range then.pods {
		if other.Name != pod.Name && other.DeletionTimestamp == nil && then.works(other) &&
			then.place(other) >= 0 && then.place(other) < int(*then.set.Spec.Replicas) {
			missing--
		}
	}
	may := 1
	if rolling := then.set.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
		may, _ = intstr.GetScaledValueFromIntOrPercent(
			rolling.MaxUnavailable, int(*then.set.Spec.Replicas), false)
	}
	if missing > max(1, may) {
		return fmt.Errorf("%s goes, and %d are missing, of which %d may", pod.Name, missing, may)
	}
	return nil
}
