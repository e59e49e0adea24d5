package scheduler

import (
	"context"

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

// bind binds the Pod to its node, on which it has been counted since the decision:
// no other has got its place meanwhile.
func (s *Scheduler) bind(ctx context.Context, w *waiting, d decision) error {
	err := s.client.Bind(ctx, controlloop.NewBinding(d.pod, d.node.Name))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
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
