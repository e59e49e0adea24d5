package daemonset

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// refuse tells why no node takes a Pod, has others make room, and parks it. What
// it waits for is written down before the others are sent away: should that be
// cut short, the next turn goes on with it.
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
		news := setCondition(&pod.Status, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason:  corev1.PodReasonUnschedulable,
			Message: d.message, ObservedGeneration: pod.Generation,
		})
		if d.nominate != nil && pod.Status.NominatedNodeName != *d.nominate {
			pod.Status.NominatedNodeName, news = *d.nominate, true
		}
		if !news {
			return nil
		}
		_, err := s.client.UpdateStatus(ctx, pod)
		return err
	})
}

// setCondition reports whether a status did not say that already. (Kubernetes:
// UpdatePodCondition in pkg/api/v1/pod/util.go.)
func setCondition(status *corev1.PodStatus, next corev1.PodCondition) bool {
	next.LastTransitionTime = controlloop.Now()
	old := controlloop.Find(status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == next.Type
	})
	if old == nil {
		status.Conditions = append(status.Conditions, next)
		return true
	}
	if old.Status == next.Status {
		next.LastTransitionTime = old.LastTransitionTime
	}
	news := old.Status != next.Status || old.Reason != next.Reason ||
		old.Message != next.Message
	*old = next
	return news
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
