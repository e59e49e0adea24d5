package scheduler

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// sacrifice sends the victims of a decision away. Less important Pods to which
// the node was promised look for another. (Kubernetes: prepareCandidate in
// pkg/scheduler/framework/preemption/executor.go.)
func (s *Scheduler) sacrifice(ctx context.Context, d decision) error {
	if d.makeRoom == nil {
		return nil
	}
	for _, victim := range d.makeRoom.victims {
		if err := s.sendAway(ctx, victim.Pod, d); err != nil {
			return err
		}
	}
	for _, pod := range s.outbid(d) {
		if err := s.disappoint(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// sendAway says on a Pod why it goes, and deletes it with the time that it has
// asked for.
func (s *Scheduler) sendAway(
	ctx context.Context, pod *corev1.Pod, d decision,
) error {
	if pod.DeletionTimestamp != nil {
		return nil
	}
	err := s.change(ctx, pod, func(next *corev1.Pod) error {
		return s.target(ctx, next)
	})
	if err == nil {
		itself := &metav1.Preconditions{UID: &pod.UID}
		err = s.client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
			metav1.DeleteOptions{Preconditions: itself})
	}
	if err == nil {
		s.recorder.Eventf(pod, corev1.EventTypeNormal, "Preempted",
			"Preempted by pod %s on node %s", d.pod.UID, d.makeRoom.node.Name)
	}
	if isGone(err) {
		return nil
	}
	return err
}

// target says on a Pod why it is about to go.
func (s *Scheduler) target(ctx context.Context, pod *corev1.Pod) error {
	next := daemonset.UpdatePodCondition(pod, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason: corev1.PodReasonPreemptionByScheduler,
		Message: corev1.DefaultSchedulerName +
			": preempting to accommodate a higher priority pod",
		ObservedGeneration: pod.Generation,
	})
	if next == nil {
		return nil
	}
	_, err := s.client.UpdateStatus(ctx, next)
	return err
}

// isGone reports whether a write came too late: the Pod is not there, or
// another of its name.
func isGone(err error) bool {
	return errors.Is(err, errTaken) ||
		apierrors.IsNotFound(err) || apierrors.IsConflict(err)
}

// outbid returns the less important Pods to which the node was promised.
func (s *Scheduler) outbid(d decision) (pods []*corev1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	priority := cache.NewPodInfo(d.pod).Priority
	for _, other := range s.nodes.Nominated[d.makeRoom.node.Name] {
		if other.Priority < priority {
			pods = append(pods, other.Pod)
		}
	}
	return pods
}

// disappoint has a Pod wait for no node in particular.
func (s *Scheduler) disappoint(ctx context.Context, pod *corev1.Pod) error {
	err := s.change(ctx, pod, func(next *corev1.Pod) error {
		next.Status.NominatedNodeName = ""
		_, err := s.client.UpdateStatus(ctx, next)
		return err
	})
	if isGone(err) {
		return nil
	}
	return err
}
