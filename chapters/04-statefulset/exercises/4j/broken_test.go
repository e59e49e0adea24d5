package twins_test

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

// forced returns the chapter's controller with deletions that give no grace to
// the Pods that hurry says.
func forced(hurry func(pod *corev1.Pod) bool) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := statefulset.NewStatefulSets(s)
		sets := c.Reconciler.(*statefulset.StatefulSets)
		sets.Client = hurried{sets.Client, sets.Pods, hurry}
		return c
	}
}

type hurried struct {
	controlloop.Client
	pods  *controlloop.Indexer
	hurry func(pod *corev1.Pod) bool
}

func (h hurried) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key, opts metav1.DeleteOptions,
) error {
	if pod, ok := h.pods.Get(key); ok && h.hurry(pod.(*corev1.Pod)) {
		opts.GracePeriodSeconds = new(int64)
	}
	return h.Client.Delete(ctx, kind, key, opts)
}

func always(*corev1.Pod) bool { return true }

func unready(pod *corev1.Pod) bool { return !kubetest.Ready(pod) }

// meddler is the chapter's controller, which looks at each of a set's Pods besides
// and does something about it.
type meddler struct {
	*statefulset.StatefulSets
	meddle func(ctx context.Context, client controlloop.Client, pod *corev1.Pod) error
}

func meddling(meddle func(context.Context, controlloop.Client, *corev1.Pod) error) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := statefulset.NewStatefulSets(s)
		c.Reconciler = meddler{c.Reconciler.(*statefulset.StatefulSets), meddle}
		return c
	}
}

func (m meddler) Reconcile(ctx context.Context, key controlloop.Key) (controlloop.Result, error) {
	if _, err := m.StatefulSets.Reconcile(ctx, key); err != nil {
		return controlloop.Result{}, err
	}
	set, ok := m.Sets.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	for _, pod := range m.Pods.Lookup(controlloop.ByOwner, string(set.GetUID())) {
		if err := m.meddle(ctx, m.Client, pod.(*corev1.Pod)); err != nil {
			return controlloop.Result{}, err
		}
	}
	return controlloop.Result{After: 10 * time.Second}, nil
}

// overdue takes a Pod away when its grace is over, whatever its node says.
func overdue(ctx context.Context, client controlloop.Client, pod *corev1.Pod) error {
	if pod.DeletionTimestamp == nil || time.Now().Before(pod.DeletionTimestamp.Time) {
		return nil
	}
	return client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod), kubetest.Grace(0))
}

// givenUp says of a Pod that has not been ready for five minutes that it has failed.
func givenUp(ctx context.Context, client controlloop.Client, pod *corev1.Pod) error {
	ready := kubetest.Condition(pod, corev1.PodReady)
	if ready.Status != corev1.ConditionFalse || controlloop.HasEnded(pod) ||
		time.Since(ready.LastTransitionTime.Time) < 5*time.Minute {
		return nil
	}
	pod = controlloop.Copy(pod)
	pod.Status.Phase = corev1.PodFailed
	_, err := client.UpdateStatus(ctx, pod)
	return err
}

// byHostname is a controller of chapter 2's manners: its Pods' own names are
// random, and the ordinal is in the host name alone. It counts the Pods that are
// not terminating.
type byHostname struct{ *statefulset.StatefulSets }

func newByHostname(s *controlloop.System) *controlloop.Controller {
	c := statefulset.NewStatefulSets(s)
	c.Reconciler = byHostname{c.Reconciler.(*statefulset.StatefulSets)}
	return c
}

func (b byHostname) Reconcile(ctx context.Context, key controlloop.Key) (controlloop.Result, error) {
	obj, ok := b.Sets.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	set := obj.(*appsv1.StatefulSet)
	active := map[string]*corev1.Pod{}
	for _, obj := range b.Pods.Lookup(controlloop.ByOwner, string(set.UID)) {
		pod := obj.(*corev1.Pod)
		if pod.DeletionTimestamp == nil && !controlloop.HasEnded(pod) {
			active[pod.Spec.Hostname] = pod
		}
	}
	for n := range int(*set.Spec.Replicas) {
		host := fmt.Sprintf("%s-%d", set.Name, n)
		if active[host] == nil {
			pod := controlloop.PodFrom(&set.Spec.Template, set, statefulset.StatefulSetKind)
			pod.Spec.Hostname, pod.Spec.Subdomain = host, set.Spec.ServiceName
			_, err := b.Client.Create(ctx, pod)
			return controlloop.Result{}, err
		}
		delete(active, host)
	}
	for _, pod := range active {
		err := b.Client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod), metav1.DeleteOptions{})
		if err != nil {
			return controlloop.Result{}, err
		}
	}
	return controlloop.Result{}, nil
}
