package controlloop

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ByOwner is the index of objects by the uid of the object that controls them.
const ByOwner = "owner"

// Replication keeps as many Pods as a ReplicationController says: Naive, as a
// Reconciler.
type Replication struct {
	Client            Client
	Controllers, Pods *Indexer
	Recorder          Recorder
}

// NewReplication returns a controller that reconciles the
// ReplicationControllers of a system.
func NewReplication(s *System) *Controller {
	owners := s.Informer(RCKind, ListOptions{})
	pods := s.Informer(PodKind, ListOptions{})
	pods.Cache.AddIndex(ByOwner, ControllerUID)
	c := NewController("replication", &Replication{
		Client: s.Client, Controllers: owners.Cache, Pods: pods.Cache,
		Recorder: s.RecorderFor("replication-controller", ""),
	})
	s.Add(c)
	c.Watch(owners, Self)
	c.Watch(pods, ownerKey)
	return c
}

// Reconcile implements Reconciler. Its cache may be late, so it does
// not act on that alone: when there seems to be something to do, it
// asks the store for the truth.
func (r *Replication) Reconcile(ctx context.Context, key Key) (Result, error) {
	obj, ok := r.Controllers.Get(key)
	if !ok || obj.GetDeletionTimestamp() != nil {
		return Result{}, nil // its Pods are the garbage collector's
	}
	rc := obj.(*corev1.ReplicationController)
	pods := podsOf(rc, r.Pods.Lookup(ByOwner, string(rc.UID)))
	if planFor(rc, pods).empty() {
		return Result{}, r.report(ctx, rc, pods)
	}
	list, err := r.Client.List(ctx, PodKind, ListOptions{Namespace: rc.Namespace})
	if err != nil {
		return Result{}, err
	}
	return Result{}, r.act(ctx, rc, planFor(rc, podsOf(rc, list.Items)))
}

// act carries the plan out. The steps that it did not get to are still to be
// done when the key comes back.
func (r *Replication) act(
	ctx context.Context, rc *corev1.ReplicationController, p plan,
) error {
	for range p.create {
		pod, err := r.Client.Create(ctx, PodFrom(rc.Spec.Template, rc, RCKind))
		if err != nil {
			r.Recorder.Eventf(rc, corev1.EventTypeWarning, "FailedCreate",
				"Error creating: %v", err)
			return fmt.Errorf("create a pod of %s: %w", KeyOf(rc), err)
		}
		r.Recorder.Eventf(rc, corev1.EventTypeNormal, "SuccessfulCreate",
			"Created pod: %s", pod.GetName())
	}
	for _, pod := range p.remove {
		// Delete this Pod, not another that has got its name since.
		err := r.Client.Delete(ctx, PodKind, KeyOf(pod), metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
		if err != nil {
			return fmt.Errorf("delete %s: %w", KeyOf(pod), err)
		}
		r.Recorder.Eventf(rc, corev1.EventTypeNormal, "SuccessfulDelete",
			"Deleted pod: %s", pod.Name)
	}
	return nil
}
