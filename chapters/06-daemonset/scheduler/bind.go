package scheduler

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// carryOut writes down what was decided.
func (s *Scheduler) carryOut(ctx context.Context, w *waiting, d decision) error {
	if d.node == nil {
		return s.refuse(ctx, w, d)
	}
	settled, err := s.volumes.Settle(ctx, d.pod, d.node)
	if err != nil {
		return err
	}
	if !settled {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queue.park(w, []string{"VolumeBinding"}, s.helps)
		return nil // it is counted on its node until its claims bring it back
	}
	return s.bind(ctx, w, d)
}

// bind gives the Pod to the node. It was counted there before, so that no other
// got its place meanwhile, and so that the news of its end can only come later.
func (s *Scheduler) bind(ctx context.Context, w *waiting, d decision) error {
	err := s.assign(ctx, d.pod, d.node.Name)
	if err == nil && d.pod.Status.NominatedNodeName != "" {
		_ = s.disappoint(ctx, d.pod) // it waits for nothing any more; nobody looks
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, errTaken), apierrors.IsNotFound(err):
		s.forget(w.UID)
		s.queue.done(w)
		return nil
	case err != nil:
		return err
	}
	s.queue.done(w)
	s.recorder.Eventf(d.pod, corev1.EventTypeNormal, "Scheduled",
		"Successfully assigned %s to %s", controlloop.KeyOf(d.pod), d.node.Name)
	return nil
}

// errTaken says that a Pod is no longer to be given to a node: it has one, or
// is about to go.
var errTaken = errors.New("the Pod waits no more")

// attempts is how often a write is tried that others are faster than.
const attempts = 5

// assign writes the name of the node into the newest version of a Pod.
func (s *Scheduler) assign(
	ctx context.Context, pod *corev1.Pod, node string,
) error {
	return s.change(ctx, pod, func(next *corev1.Pod) error {
		if !isWaiting(next) {
			return errTaken
		}
		next.Spec.NodeName = node
		_, err := s.client.Update(ctx, next)
		return err
	})
}

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

// isWaiting reports whether a Pod waits for this scheduler, and for nothing
// else.
func isWaiting(pod *corev1.Pod) bool {
	name := pod.Spec.SchedulerName
	return (name == "" || name == corev1.DefaultSchedulerName) &&
		pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil &&
		len(pod.Spec.SchedulingGates) == 0 && !controlloop.HasEnded(pod)
}
