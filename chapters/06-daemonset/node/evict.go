package node

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// evictor deletes Pods that do not tolerate their node's taints, or not any
// longer. Its keys are Pods.
//
// The time counts from when this process saw the taint, not from when it was
// put there: after a restart, it begins anew. And it counts once: a taint that
// comes later changes nothing, unless the Pod may not stay under it at all.
// (Kubernetes does both.)
type evictor struct {
	client   controlloop.Client
	recorder controlloop.Recorder
	nodes    *controlloop.Indexer
	pods     *controlloop.Indexer

	mu    sync.Mutex
	leave map[controlloop.Key]departure
}

// departure is when which Pod has to go.
type departure struct {
	pod types.UID
	at  time.Time
}

// NewTaintEviction returns the controller that empties tainted nodes.
func NewTaintEviction(s *controlloop.System) *controlloop.Controller {
	nodes, pods := s.Informer(
		controlloop.NodeKind, controlloop.ListOptions{}), PodsByNode(s)
	e := &evictor{
		client: s.Client, nodes: nodes.Cache, pods: pods.Cache,
		recorder: s.RecorderFor("taint-eviction-controller", ""),
		leave:    map[controlloop.Key]departure{},
	}
	c := controlloop.NewController("taint-eviction-controller", e)
	c.Workers = 8
	s.Add(c)
	c.Watch(nodes, e.under)
	c.Watch(pods, controlloop.Self)
	return c
}

// under returns the Pods of a node if any of its taints evicts. (An update is
// about the old node too: when the last of the taints is taken away, that one
// has it.)
func (e *evictor) under(obj controlloop.Object) (keys []controlloop.Key) {
	node := obj.(*corev1.Node)
	if !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoExecute
	}) {
		return nil
	}
	for _, pod := range e.pods.Lookup(ByNode, node.Name) {
		keys = append(keys, controlloop.KeyOf(pod))
	}
	return keys
}

// Reconcile implements controlloop.Reconciler.
func (e *evictor) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := e.pods.Get(key)
	if !ok {
		e.cancel(key, "")
		return controlloop.Result{}, nil
	}
	pod := obj.(*corev1.Pod)
	e.cancel(key, pod.UID)
	if pod.DeletionTimestamp != nil {
		return controlloop.Result{}, nil
	}
	may := stay(e.taints(pod), pod.Spec.Tolerations)
	if may == forever {
		e.cancel(key, "")
		return controlloop.Result{}, nil
	}
	if left := e.left(pod, may); left > 0 {
		return controlloop.Result{After: left}, nil
	}
	return controlloop.Result{}, e.evict(ctx, key, pod.UID)
}

func (e *evictor) taints(pod *corev1.Pod) []corev1.Taint {
	node, ok := e.nodes.Get(controlloop.Key{Name: pod.Spec.NodeName})
	if !ok {
		return nil
	}
	return node.(*corev1.Node).Spec.Taints
}

// cancel has no Pod of that name leave, but for the one to keep.
func (e *evictor) cancel(key controlloop.Key, keep types.UID) {
	e.mu.Lock()
	d, leaves := e.leave[key]
	if leaves = leaves && d.pod != keep; leaves {
		delete(e.leave, key)
	}
	e.mu.Unlock()
	if leaves {
		e.tell(key, "Cancelling deletion of Pod "+key.String())
	}
}

// left returns how long it is until a Pod is evicted. The first answer stands, as
// long as the Pod may stay at all.
func (e *evictor) left(pod *corev1.Pod, may time.Duration) time.Duration {
	key := controlloop.KeyOf(pod)
	if may == 0 {
		e.cancel(key, "")
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	d, leaves := e.leave[key]
	if !leaves {
		d = departure{pod.UID, time.Now().Add(may)}
		e.leave[key] = d
	}
	return max(0, time.Until(d.at))
}

// evict says why a Pod goes, and deletes it, unless it may stay after all. Its
// kubelet, if there is one, gives it its time.
func (e *evictor) evict(
	ctx context.Context, key controlloop.Key, uid types.UID,
) error {
	pod, err := e.due(ctx, key, uid)
	if apierrors.IsNotFound(err) || err == nil && pod == nil {
		return nil // we shall hear
	}
	if err != nil {
		return err
	}
	next := daemonset.UpdatePodCondition(pod, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason:             "DeletionByTaintManager",
		Message:            "Taint manager: deleting due to NoExecute taint",
		ObservedGeneration: pod.Generation,
	})
	if next != nil {
		e.tell(key, "Marking for deletion Pod "+key.String())
		if _, err := e.client.UpdateStatus(ctx, next); err != nil {
			return err
		}
	}
	err = e.client.Delete(ctx, controlloop.PodKind, key, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(uid)),
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.leave, key)
	return nil
}

// due returns a Pod if its time is over by what the store says, too, or nil.
// The cache may be late: of a node that is well again, or of another taint.
func (e *evictor) due(
	ctx context.Context, key controlloop.Key, uid types.UID,
) (*corev1.Pod, error) {
	obj, err := e.client.Get(ctx, controlloop.PodKind, key)
	if err != nil || obj.GetUID() != uid {
		return nil, err
	}
	pod := obj.(*corev1.Pod)
	node, err := e.client.Get(ctx, controlloop.NodeKind,
		controlloop.Key{Name: pod.Spec.NodeName})
	if err != nil {
		return nil, err
	}
	may := stay(node.(*corev1.Node).Spec.Taints, pod.Spec.Tolerations)
	if may == forever || e.left(pod, may) > 0 {
		return nil, nil
	}
	return pod, nil
}

func (e *evictor) tell(key controlloop.Key, what string) {
	e.recorder.Eventf(&corev1.ObjectReference{
		APIVersion: "v1", Kind: controlloop.PodKind.Kind,
		Namespace: key.Namespace, Name: key.Name,
	}, corev1.EventTypeNormal, "TaintManagerEviction", "%s", what)
}
