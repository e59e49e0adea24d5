package lab

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

// namespaces empties namespaces that are deleted, then lets them go (Kubernetes:
// pkg/controller/namespace/deletion).
type namespaces struct {
	client controlloop.Client
	cache  *controlloop.Indexer
	kinds  []controlloop.Kind // namespaced ones, Pods first
}

// lookAgain is how soon a namespace is looked at again in which something stays
// for a finalizer.
const lookAgain = 5 * time.Second

func newNamespaces(s *controlloop.System) *controlloop.Controller {
	all := s.Informer(namespaceKind, controlloop.ListOptions{})
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	n := &namespaces{s.Client, all.Cache, contentKinds()}
	c := controlloop.NewController("namespace", n)
	s.Add(c)
	c.Watch(all, controlloop.Self)
	c.Watch(pods, n.terminating)
	return c
}

func contentKinds() []controlloop.Kind {
	var first, then []controlloop.Kind
	for _, kind := range kinds.All() {
		switch {
		case kind.GroupVersionKind == controlloop.PodKind:
			first = append(first, kind.Kind)
		case kind.Namespaced:
			then = append(then, kind.Kind)
		}
	}
	return append(first, then...)
}

// terminating returns the namespace of a Pod if it waits for its Pods.
func (n *namespaces) terminating(pod controlloop.Object) []controlloop.Key {
	key := controlloop.Key{Name: pod.GetNamespace()}
	namespace, ok := n.cache.Get(key)
	if !ok || namespace.GetDeletionTimestamp() == nil {
		return nil
	}
	return []controlloop.Key{key}
}

// Reconcile implements controlloop.Reconciler. While there are Pods all else
// is left alone: what still runs may need it.
func (n *namespaces) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := n.cache.Get(key)
	if !ok || obj.GetDeletionTimestamp() == nil {
		return controlloop.Result{}, nil
	}
	namespace := controlloop.Copy(obj.(*corev1.Namespace))
	if !slices.Contains(namespace.Spec.Finalizers, corev1.FinalizerKubernetes) {
		return controlloop.Result{}, nil // another controller's finalizer holds it
	}
	var left remains
	for _, kind := range n.kinds {
		if kind.GroupVersionKind != controlloop.PodKind && left.pods() {
			break
		}
		if err := n.empty(ctx, key.Name, kind, &left); err != nil {
			return controlloop.Result{}, err
		}
	}
	if left.any() {
		return controlloop.Result{After: lookAgain}, n.report(ctx, namespace, left)
	}
	return controlloop.Result{}, n.finalize(ctx, namespace)
}

// empty deletes all objects of a kind, and notes those that still exist.
func (n *namespaces) empty(
	ctx context.Context, namespace string, kind controlloop.Kind, left *remains,
) error {
	list, err := n.client.List(ctx, kind.GroupVersionKind,
		controlloop.ListOptions{Namespace: namespace})
	if err != nil {
		return err
	}
	policy := metav1.DeletePropagationBackground
	for _, obj := range list.Items {
		if obj.GetDeletionTimestamp() != nil {
			left.add(kind, obj)
			continue
		}
		err := n.client.Delete(ctx, kind.GroupVersionKind, controlloop.KeyOf(obj),
			metav1.DeleteOptions{PropagationPolicy: &policy})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		now, err := n.client.Get(ctx, kind.GroupVersionKind, controlloop.KeyOf(obj))
		if err == nil {
			left.add(kind, now)
		}
	}
	return nil
}

// finalize takes our finalizer away. If it was the last, the namespace is gone.
func (n *namespaces) finalize(
	ctx context.Context, namespace *corev1.Namespace,
) error {
	namespace.Spec.Finalizers = slices.DeleteFunc(namespace.Spec.Finalizers,
		func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
	_, err := n.client.Update(ctx, namespace)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
