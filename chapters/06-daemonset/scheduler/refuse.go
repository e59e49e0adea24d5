package scheduler

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// refuse tells why no node takes a Pod, has others make room, and parks it. The
// node that it waits for is written down before the others are sent away:
// should that be cut short, the next cycle goes on with it.
func (s *Scheduler) refuse(ctx context.Context, w *waiting, d decision) error {
	err := s.report(ctx, d)
	if errors.Is(err, errTaken) || apierrors.IsNotFound(err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queue.done(w)
		return nil
	}
	if err != nil {
		return err
	}
	if w.told != d.message {
		w.told = d.message
		s.recorder.Eventf(d.pod, corev1.EventTypeWarning, "FailedScheduling",
			"%s", truncate(d.message))
	}
	if err := s.sacrifice(ctx, d); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.park(w, d.refusedBy, s.helps)
	return nil
}

// report says on the Pod why it waits and for which node, if that is news.
func (s *Scheduler) report(ctx context.Context, d decision) error {
	return s.change(ctx, d.pod, func(pod *corev1.Pod) error {
		if !isWaiting(pod) {
			return errTaken
		}
		next := daemonset.UpdatePodCondition(pod, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason:  corev1.PodReasonUnschedulable,
			Message: d.message, ObservedGeneration: pod.Generation,
		})
		moves := d.nominate != nil &&
			pod.Status.NominatedNodeName != *d.nominate
		if next == nil && !moves {
			return nil
		}
		if next == nil {
			next = pod
		}
		if moves {
			next.Status.NominatedNodeName = *d.nominate
		}
		_, err := s.client.UpdateStatus(ctx, next)
		return err
	})
}

// errTaken says that a Pod is no longer to be given to a node: it has one, or
// is about to go.
var errTaken = errors.New("the Pod waits no more")

// attempts is how often a write is tried that others are faster than.
const attempts = 5

// change has write change the Pod, and, if others were faster, the newest
// version of it.
func (s *Scheduler) change(
	ctx context.Context, pod *corev1.Pod, write func(*corev1.Pod) error,
) (err error) {
	for range attempts {
		if err = write(controlloop.Copy(pod)); !apierrors.IsConflict(err) {
			return err
		}
		now, missing := s.client.Get(
			ctx, controlloop.PodKind, controlloop.KeyOf(pod))
		if missing != nil {
			return missing
		}
		if now.GetUID() != pod.UID {
			return errTaken
		}
		pod = now.(*corev1.Pod)
	}
	return err
}

// truncate cuts a message down to what an event holds. (Kubernetes:
// NoteLengthLimit in pkg/apis/core/validation/events.go.)
func truncate(message string) string {
	const most, dots = 1024, " ..."
	if len(message) <= most {
		return message
	}
	return message[:most-len(dots)] + dots
}
