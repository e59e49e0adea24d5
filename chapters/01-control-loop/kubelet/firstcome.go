package kubelet

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
)

// FirstCome places Pods: it gives those without a node to its own. Each node
// runs one, and the one whose write is first gets the Pod.
type FirstCome struct {
	Client   controlloop.Client
	Node     string
	Pods     *controlloop.Indexer // those without a node
	Recorder controlloop.Recorder
}

// NewFirstCome returns the controller that places Pods on a node.
func NewFirstCome(s *controlloop.System, node string) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", ""),
	})
	c := controlloop.NewController("placement "+node, &FirstCome{
		s.Client, node, pods.Cache, s.RecorderFor("default-scheduler", ""),
	})
	s.Add(c)
	c.Watch(pods, controlloop.Self)
	return c
}

// Reconcile implements controlloop.Reconciler.
func (f *FirstCome) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := f.Pods.Get(key)
	if !ok || obj.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, nil
	}
	pod := obj.(*corev1.Pod)
	err := f.Client.Bind(ctx, controlloop.NewBinding(pod, f.Node))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		// Another was first; the watch will tell us so.
		return controlloop.Result{}, nil
	}
	if err == nil {
		f.Recorder.Eventf(pod, corev1.EventTypeNormal, "Scheduled",
			"Successfully assigned %s to %s", key, f.Node)
	}
	return controlloop.Result{}, err
}
