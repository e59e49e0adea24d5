package lab

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// podGC deletes the Pods of nodes that are not there: no kubelet will. Its keys
// are nodes (Kubernetes: pkg/controller/podgc, gcOrphaned).
type podGC struct {
	client controlloop.Client
	pods   *controlloop.Indexer
	nodes  *controlloop.Indexer

	mu      sync.Mutex
	missing map[controlloop.Key]time.Time // since when
}

// quarantine is how long a node may be missing before its Pods are.
const quarantine = 40 * time.Second

func newPodGC(s *controlloop.System) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	nodes := s.Informer(nodeKind, controlloop.ListOptions{})
	gc := &podGC{
		client: s.Client, pods: pods.Cache, nodes: nodes.Cache,
		missing: map[controlloop.Key]time.Time{},
	}
	c := controlloop.NewController("pod-garbage-collector", gc)
	s.Add(c)
	c.Watch(nodes, controlloop.Self)
	c.Watch(pods, gc.nodeOf)
	return c
}

// nodeOf returns the node of a Pod where that is missing.
func (gc *podGC) nodeOf(pod controlloop.Object) []controlloop.Key {
	key := controlloop.Key{Name: pod.(*corev1.Pod).Spec.NodeName}
	if _, there := gc.nodes.Get(key); there || key.Name == "" {
		return nil
	}
	return []controlloop.Key{key}
}

// Reconcile implements controlloop.Reconciler.
func (gc *podGC) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	orphans := gc.on(key.Name)
	_, there := gc.nodes.Get(key)
	left := gc.quarantined(key, !there && len(orphans) > 0)
	if there || len(orphans) == 0 || left > 0 {
		return controlloop.Result{After: left}, nil
	}
	if _, err := gc.client.Get(ctx, nodeKind, key); !apierrors.IsNotFound(err) {
		return controlloop.Result{}, err // it has come, and we shall hear
	}
	for _, pod := range orphans {
		if err := gc.remove(ctx, pod); err != nil {
			return controlloop.Result{}, err
		}
	}
	return controlloop.Result{}, nil
}

func (gc *podGC) on(node string) (pods []*corev1.Pod) {
	for _, obj := range gc.pods.List() {
		if pod := obj.(*corev1.Pod); pod.Spec.NodeName == node {
			pods = append(pods, pod)
		}
	}
	return pods
}

// quarantined notes whether a node is missed, and returns for how long it still
// may be.
func (gc *podGC) quarantined(node controlloop.Key, missed bool) time.Duration {
	gc.mu.Lock()
	defer gc.mu.Unlock()
	if !missed {
		delete(gc.missing, node)
		return 0
	}
	if gc.missing[node].IsZero() {
		gc.missing[node] = time.Now()
	}
	return max(0, time.Until(gc.missing[node].Add(quarantine)))
}

// remove says why a Pod goes, and has it gone without asking any kubelet.
func (gc *podGC) remove(ctx context.Context, pod *corev1.Pod) error {
	if !controlloop.HasEnded(pod) {
		next := controlloop.Copy(pod)
		next.Status.Phase = corev1.PodFailed
		setCondition(&next.Status, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason: "DeletionByPodGC", Message: "PodGC: node no longer exists",
			LastTransitionTime: controlloop.Now(), ObservedGeneration: pod.Generation,
		})
		_, err := gc.client.UpdateStatus(ctx, next)
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	err := gc.client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
		metav1.DeleteOptions{
			GracePeriodSeconds: new(int64),
			Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
		})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
