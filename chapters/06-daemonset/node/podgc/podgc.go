// Package podgc deletes the Pods that no kubelet will: those whose node is
// gone, or was declared out of service, and those that were to go before they
// were on any. It waits for forty seconds, and asks the store before it
// deletes.
package podgc

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/node"
)

// podGC deletes the Pods that no kubelet will: those of nodes that are not
// there, those that are about to go from a node that a person has declared
// switched off, and those that were to go before they were on any. Its keys are
// nodes, and Pods that are on none. (Kubernetes: pkg/controller/podgc.)
type podGC struct {
	client controlloop.Client
	pods   *controlloop.Indexer
	nodes  *controlloop.Indexer

	mu      sync.Mutex
	missing map[controlloop.Key]time.Time // since when
}

// quarantine is how long a node may be missing before its Pods are.
const quarantine = 40 * time.Second

// New returns the controller that clears away the Pods of dead nodes.
func New(s *controlloop.System) *controlloop.Controller {
	nodes, pods := s.Informer(
		controlloop.NodeKind, controlloop.ListOptions{}), node.PodsByNode(s)
	gc := &podGC{
		client: s.Client, pods: pods.Cache, nodes: nodes.Cache,
		missing: map[controlloop.Key]time.Time{},
	}
	c := controlloop.NewController("pod-garbage-collector-controller", gc)
	s.Add(c)
	c.Watch(nodes, controlloop.Self)
	c.Watch(pods, gc.deserted)
	return c
}

// deserted returns the key by which a Pod is looked at that no kubelet looks
// after: its node's, or its own.
func (gc *podGC) deserted(obj controlloop.Object) []controlloop.Key {
	pod := obj.(*corev1.Pod)
	key := controlloop.Key{Name: pod.Spec.NodeName}
	node, there := gc.nodes.Get(key)
	switch leaving := pod.DeletionTimestamp != nil; {
	case key.Name == "" && leaving:
		return []controlloop.Key{controlloop.KeyOf(pod)}
	case key.Name != "" && (!there || leaving && isOff(node)):
		return []controlloop.Key{key}
	}
	return nil
}

// isOff reports whether a person has vouched for it that a node is switched
// off. While it says that it is ready, it is not believed.
func isOff(obj controlloop.Object) bool {
	n := obj.(*corev1.Node)
	return node.Readiness(n) != corev1.ConditionTrue &&
		slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
			return t.Key == corev1.TaintNodeOutOfService
		})
}

// Reconcile implements controlloop.Reconciler.
func (gc *podGC) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	if key.Namespace != "" {
		return controlloop.Result{}, gc.unplaced(ctx, key)
	}
	obj, there := gc.nodes.Get(key)
	if there {
		gc.quarantined(key, false)
		if !isOff(obj) {
			return controlloop.Result{}, nil
		}
		return controlloop.Result{}, gc.clear(ctx, key, func(
			pod *corev1.Pod,
		) bool {
			return pod.DeletionTimestamp != nil
		}, "")
	}
	orphaned := len(gc.pods.Lookup(node.ByNode, key.Name)) > 0
	if left := gc.quarantined(key, orphaned); left > 0 || !orphaned {
		return controlloop.Result{After: left}, nil
	}
	_, err := gc.client.Get(ctx, controlloop.NodeKind, key)
	if !apierrors.IsNotFound(err) {
		return controlloop.Result{}, err // it has come, and we shall hear
	}
	return controlloop.Result{}, gc.clear(ctx, key, func(*corev1.Pod) bool {
		return true
	}, "PodGC: node no longer exists")
}

// unplaced has a Pod go that was to go before it was on a node.
func (gc *podGC) unplaced(ctx context.Context, key controlloop.Key) error {
	obj, ok := gc.pods.Get(key)
	if !ok {
		return nil
	}
	pod := obj.(*corev1.Pod)
	if pod.DeletionTimestamp == nil || pod.Spec.NodeName != "" {
		return nil
	}
	return gc.remove(ctx, pod, "")
}

// clear has those Pods of a node go that which selects, in order.
func (gc *podGC) clear(
	ctx context.Context, on controlloop.Key,
	which func(*corev1.Pod) bool, why string,
) error {
	pods := gc.pods.Lookup(node.ByNode, on.Name)
	slices.SortFunc(pods, byName)
	for _, obj := range pods {
		pod := obj.(*corev1.Pod)
		if !which(pod) {
			continue
		}
		if err := gc.remove(ctx, pod, why); err != nil {
			return err
		}
	}
	return nil
}

// quarantined notes whether a node is missed, and returns for how long it still
// may be.
func (gc *podGC) quarantined(
	node controlloop.Key, missed bool,
) time.Duration {
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

// remove says that a Pod has failed, and why, and has it gone without asking
// any kubelet. Pods that finalizers still hold are left to them.
func (gc *podGC) remove(
	ctx context.Context, pod *corev1.Pod, why string,
) error {
	if !controlloop.HasEnded(pod) {
		_, err := gc.client.UpdateStatus(ctx, failed(pod, why))
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if grace := pod.DeletionGracePeriodSeconds; grace != nil && *grace == 0 {
		return nil
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

// failed returns a Pod that has failed, because its node is gone if there is a
// why.
func failed(pod *corev1.Pod, why string) *corev1.Pod {
	next := controlloop.Copy(pod)
	if why != "" {
		c := corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason: "DeletionByPodGC", Message: why,
			ObservedGeneration: pod.Generation,
		}
		if marked := daemonset.UpdatePodCondition(pod, c); marked != nil {
			next = marked
		}
	}
	next.Status.Phase = corev1.PodFailed
	next.Status.ObservedGeneration = pod.Generation
	return next
}

// byName orders objects by their keys.
func byName(a, b controlloop.Object) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()),
		cmp.Compare(a.GetName(), b.GetName()))
}
