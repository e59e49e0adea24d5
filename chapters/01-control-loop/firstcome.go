package controlloop

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
)

// FirstCome places Pods: it gives those without a node to its own. Each node
// runs one, and the one whose write is first gets the Pod.
type FirstCome struct {
	Client   Client
	Node     string
	Pods     *Indexer // those without a node
	Recorder Recorder
}

// NewFirstCome returns the controller that places Pods on a node.
func NewFirstCome(s *System, node string) *Controller {
	pods := s.Informer(PodKind, ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", ""),
	})
	c := NewController("placement "+node, &FirstCome{
		s.Client, node, pods.Cache, s.RecorderFor("default-scheduler", ""),
	})
	s.Add(c)
	c.Watch(pods, Self)
	return c
}

// Reconcile implements Reconciler.
func (f *FirstCome) Reconcile(ctx context.Context, key Key) (Result, error) {
	obj, ok := f.Pods.Get(key)
	if !ok || obj.GetDeletionTimestamp() != nil {
		return Result{}, nil
	}
	pod := obj.(*corev1.Pod)
	err := f.Client.Bind(ctx, NewBinding(pod, f.Node))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return Result{}, nil // another was first; the watch will tell us so
	}
	if err == nil {
		f.Recorder.Eventf(pod, corev1.EventTypeNormal, "Scheduled",
			"Successfully assigned %s to %s", key, f.Node)
	}
	return Result{}, err
}
