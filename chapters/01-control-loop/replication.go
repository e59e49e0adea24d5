package controlloop

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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

// plan says which Pods to delete and how many to create.
type plan struct {
	create int
	remove []*corev1.Pod
}

func (p plan) empty() bool { return p.create == 0 && len(p.remove) == 0 }

// planFor compares the Pods that rc owns with the number it wants. Pods that
// have ended, or are about to, do not count. Of too many, those go first that
// are of least use: not ready before ready, then by name.
//
//book:exercise 1.1
func planFor(rc *corev1.ReplicationController, pods []*corev1.Pod) plan {
	active := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool {
		return HasEnded(p) || p.DeletionTimestamp != nil
	})
	surplus := len(active) - int(*rc.Spec.Replicas)
	if surplus <= 0 {
		return plan{create: -surplus}
	}
	slices.SortFunc(active, func(a, b *corev1.Pod) int {
		if ready := IsReady(a); ready != IsReady(b) {
			if ready {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return plan{remove: active[:surplus]}
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

// report writes into rc's status how many Pods it has, if that is news.
func (r *Replication) report(
	ctx context.Context, rc *corev1.ReplicationController, pods []*corev1.Pod,
) error {
	status := corev1.ReplicationControllerStatus{
		ObservedGeneration: rc.Generation,
		Conditions:         rc.Status.Conditions,
	}
	for _, pod := range pods {
		if HasEnded(pod) || pod.DeletionTimestamp != nil {
			continue
		}
		status.Replicas++
		status.FullyLabeledReplicas++
		if IsReady(pod) {
			status.ReadyReplicas++
			status.AvailableReplicas++
		}
	}
	if equality.Semantic.DeepEqual(status, rc.Status) {
		return nil
	}
	next := Copy(rc)
	next.Status = status
	_, err := r.Client.UpdateStatus(ctx, next)
	return err
}

// podsOf returns those of objs that are Pods of rc.
func podsOf(rc *corev1.ReplicationController, objs []Object) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, obj := range objs {
		if pod, ok := obj.(*corev1.Pod); ok && metav1.IsControlledBy(pod, rc) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// ownerKey returns the key of the ReplicationController that controls obj, if
// any.
func ownerKey(obj Object) []Key {
	if key, ok := ControllerKey(obj, RCKind); ok {
		return []Key{key}
	}
	return nil
}
