package statefulset

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// verb says what is done to a Pod.
type verb int

const (
	leave  verb = iota
	create      // the ordinal has no Pod
	renew       // its labels do not say which one it is
	remove      // it has ended, or is one too many
)

// step is one thing to be done.
type step struct {
	do      verb
	ordinal int         // for create
	pod     *corev1.Pod // for all others
}

// steps are to be taken at one look, in order.
type steps struct {
	take    []step
	settled bool          // all the replicas are there, and no others
	wait    time.Duration // look again then; 0: when something changes
}

// next decides what is to be done now: first about the Pods that should be
// there, from the lowest ordinal up; when they all are, about those that should
// not, from the highest down. In order, one at a time. (Kubernetes:
// updateStatefulSet in pkg/controller/statefulset/stateful_set_control.go.)
//
//book:exercise 4e
func next(set *appsv1.StatefulSet, p plan) (s steps) {
	inOrder := set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
	for place, pod := range p.replicas {
		do, ready, wait := processReplica(set, pod)
		s.wait = controlloop.Sooner(s.wait, wait)
		if do != leave {
			s.take = append(s.take, step{do, start(set) + place, pod})
		}
		if inOrder && !ready {
			return s
		}
	}
	for _, pod := range p.condemned {
		do, wait := processCondemned(set, pod, p.condemned, inOrder)
		s.wait = controlloop.Sooner(s.wait, wait)
		if do != leave {
			s.take = append(s.take, step{do: do, pod: pod})
		}
		if inOrder {
			return s
		}
	}
	s.settled = true
	return s
}

// processReplica returns what is to be done about a Pod that should exist, and
// whether the next ordinal may be processed. A Pod that has ended is deleted, and
// created again when it has gone; one that is being deleted is waited for.
// (Kubernetes: the same name in pkg/controller/statefulset/stateful_set_control.go.)
//
//book:exercise 4c
func processReplica(
	set *appsv1.StatefulSet, pod *corev1.Pod,
) (do verb, ready bool, wait time.Duration) {
	switch {
	case pod == nil:
		return create, false, 0
	case pod.DeletionTimestamp != nil:
		return leave, false, 0
	case controlloop.HasEnded(pod):
		return remove, false, 0
	}
	available, wait := isAvailable(set, pod)
	if !available || !isRunningAndReady(pod) {
		return leave, false, wait
	}
	if !isIdentified(pod) {
		return renew, true, 0
	}
	return leave, true, 0
}

// processCondemned returns what is to be done about a Pod that should not exist. In
// order, an unavailable Pod waits while a lower one is unavailable too. An
// available Pod is deleted, whatever is below it. (Kubernetes: the same name.)
//
//book:exercise 4d
func processCondemned(
	set *appsv1.StatefulSet, pod *corev1.Pod, condemned []*corev1.Pod,
	inOrder bool,
) (do verb, wait time.Duration) {
	if pod.DeletionTimestamp != nil {
		return leave, 0
	}
	available, wait := isAvailable(set, pod)
	if inOrder && !available && pod != firstUnavailable(set, condemned) {
		return leave, wait
	}
	return remove, 0
}

// firstUnavailable returns the lowest of the condemned that does not work, or
// nil.
func firstUnavailable(
	set *appsv1.StatefulSet, condemned []*corev1.Pod,
) (lowest *corev1.Pod) {
	for _, pod := range condemned {
		if available, _ := isAvailable(set, pod); !available {
			lowest = pod
		}
	}
	return lowest
}
