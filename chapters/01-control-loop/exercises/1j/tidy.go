// Package tidy is a controller of one's own, made of chapter 1's parts: it
// deletes Pods some time after they have ended.
package tidy

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// KeepAnnotation says how long a Pod stays after it has ended: "10m". One
// without it, or with something else in it, stays until someone deletes it.
const KeepAnnotation = "tidy.example/keep"

// Tidy deletes Pods that have ended and whose time is over.
type Tidy struct {
	Client controlloop.Client
	Pods   *controlloop.Indexer
}

// New makes the controller part of a system.
func New(s *controlloop.System) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	c := controlloop.NewController("tidy", &Tidy{
		Client: s.Client, Pods: pods.Cache,
	})
	s.Add(c)
	c.Watch(pods, controlloop.Self)
	return c
}

// Reconcile implements controlloop.Reconciler.
//
//book:exercise 1j
func (t *Tidy) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := t.Pods.Get(key)
	if !ok || obj.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, nil
	}
	pod := obj.(*corev1.Pod)
	left, limited := left(pod)
	if !limited {
		return controlloop.Result{}, nil
	}
	if left > 0 {
		return controlloop.Result{After: left}, nil
	}
	err := t.Client.Delete(ctx, controlloop.PodKind, key, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{
			UID: &pod.UID, ResourceVersion: &pod.ResourceVersion,
		},
	})
	if apierrors.IsNotFound(err) {
		return controlloop.Result{}, nil
	}
	return controlloop.Result{}, err
}

// left returns how much longer a Pod stays, and whether its time is limited:
// that of a Pod that runs is not.
//
//book:exercise 1j
func left(pod *corev1.Pod) (d time.Duration, limited bool) {
	keep, err := time.ParseDuration(pod.Annotations[KeepAnnotation])
	if err != nil || !controlloop.HasEnded(pod) {
		return 0, false
	}
	return time.Until(endOf(pod).Add(keep)), true
}

// endOf returns when the last of a Pod's containers ended. A Pod that ended
// before any began did so when it was made.
func endOf(pod *corev1.Pod) time.Time {
	end := pod.CreationTimestamp.Time
	for _, c := range pod.Status.ContainerStatuses {
		if t := c.State.Terminated; t != nil && t.FinishedAt.After(end) {
			end = t.FinishedAt.Time
		}
	}
	return end
}
