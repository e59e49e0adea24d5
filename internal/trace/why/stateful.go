package why

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// statefulSet goes on to the first ordinal that isn't as wished.
func (w *walk) statefulSet(s *appsv1.StatefulSet) bool {
	wants := count(s.Spec.Replicas)
	w.say(s, "wants %s, and %d are ready", some(int(wants), "Pod"), s.Status.ReadyReplicas)
	if s.Status.ObservedGeneration < s.Generation {
		return w.loop("statefulset", s)
	}
	pods := owned[*corev1.Pod](w.World, s)
	var here, beyond []controlloop.Object
	for _, pod := range pods {
		if statefulset.IsWanted(s, pod) {
			here = append(here, pod)
		} else {
			beyond = append(beyond, pod)
		}
	}
	ordered := s.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
	if !ordered && w.worst(here...) {
		return true
	}
	for i := range wants {
		pod, there := named[*corev1.Pod](w.World, s.Namespace, fmt.Sprintf("%s-%d", s.Name, start(s)+i))
		switch {
		case !there:
			w.more("%s-%d isn't there", s.Name, start(s)+i)
			return w.loop("statefulset", s)
		case w.stale(s, pod) && w.broken(s, pod):
			return true
		case w.object(pod):
			return true
		}
	}
	switch {
	case w.unavailable(s.Spec.MinReadySeconds, pods):
		return true
	case len(beyond) > 0:
		return w.worst(beyond...) || w.loop("statefulset", s)
	}
	return w.update(s, pods)
}

// broken ends the chain at a Pod of a revision that nobody wants any more and that will
// not be ready, for which its set waits all the same (Kubernetes: Forced rollback).
func (w *walk) broken(s *appsv1.StatefulSet, pod *corev1.Pod) bool {
	next := w.branch(map[string]bool{})
	if !next.object(pod) || rank(next.chain.Reason) > rank(BackOff) {
		return false
	}
	w.chain = next.chain
	w.beside("%s is of an old revision, and its set waits until it is ready", pod.Name)
	return w.end(w.chain.Reason, "kubectl delete %s", kubectlName(pod))
}

// stale reports whether a Pod is of another revision than the one that its set has now.
func (w *walk) stale(s *appsv1.StatefulSet, pod *corev1.Pod) bool {
	return pod.Labels[appsv1.StatefulSetRevisionLabel] != s.Status.UpdateRevision
}

// update says what Pods of an old revision wait for, when all are ready.
func (w *walk) update(s *appsv1.StatefulSet, pods []*corev1.Pod) bool {
	var last *corev1.Pod
	old := 0
	for _, pod := range pods {
		if w.stale(s, pod) {
			last, old = pod, old+1
		}
	}
	rolling := s.Spec.UpdateStrategy.RollingUpdate
	switch {
	case old == 0:
	case s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType:
		w.more("%d of the old revision, which updateStrategy OnDelete leaves until somebody deletes them", old)
		return w.end(Stopped, "kubectl delete %s", kubectlName(last))
	case rolling != nil && int32(old) <= ptr.Deref(rolling.Partition, 0):
		w.more("%d of the old revision, which rollingUpdate.partition, %d, leaves as they are", old, *rolling.Partition)
		return w.end(Stopped, `kubectl patch %s -p '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}'`, kubectlName(s))
	default:
		return w.loop("statefulset", s)
	}
	if s.Status.AvailableReplicas != count(s.Spec.Replicas) || s.Status.UpdateRevision != s.Status.CurrentRevision {
		return w.loop("statefulset", s)
	}
	return w.unsaid()
}

func start(s *appsv1.StatefulSet) int32 {
	if s.Spec.Ordinals == nil {
		return 0
	}
	return s.Spec.Ordinals.Start
}
