package node

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/node/zone"
)

// lifecycle says of a node that has fallen silent that it is not known how it
// is, and keeps Pods away from nodes that are not well. Its keys are nodes.
// (Kubernetes: pkg/controller/nodelifecycle/node_lifecycle_controller.go.)
type lifecycle struct {
	client   controlloop.Client
	recorder controlloop.Recorder
	nodes    *controlloop.Indexer
	pods     *controlloop.Indexer
	beats    *beats
	zones    *zone.Zones

	mu    sync.Mutex
	known map[string]types.UID // the nodes that were told of
}

// NewLifecycle returns the controller that notices when nodes fall silent.
func NewLifecycle(s *controlloop.System) *controlloop.Controller {
	nodes, pods := s.Informer(
		controlloop.NodeKind, controlloop.ListOptions{}), PodsByNode(s)
	leases := s.Informer(daemonset.LeaseKind, controlloop.ListOptions{
		Namespace: corev1.NamespaceNodeLease,
	})
	l := &lifecycle{
		client: s.Client, nodes: nodes.Cache, pods: pods.Cache,
		recorder: s.RecorderFor("node-controller", ""),
		beats:    newBeats(), known: map[string]types.UID{},
	}
	c := controlloop.NewController("node-lifecycle-controller", l)
	c.Workers = 8 // to mark the Pods of a node takes a while
	s.Add(c)
	l.zones = zone.New(func(nodes ...string) {
		for _, node := range nodes {
			c.Queue.Add(controlloop.Key{Name: node})
		}
	}, l.beats.forgive)
	leases.Handle(controlloop.Handler{
		OnAdd:    func(lease controlloop.Object) { l.beats.lease(lease) },
		OnUpdate: func(_, lease controlloop.Object) { l.beats.lease(lease) },
	})
	nodes.Handle(l.observer()) // before the key is added
	c.Watch(nodes, controlloop.Self)
	c.Watch(leases, noKeys)
	c.Watch(pods, noKeys)
	return c
}

// noKeys serves Watch where a cache is waited for, and no more.
func noKeys(controlloop.Object) []controlloop.Key { return nil }

// observer counts nodes, and hears what they say.
func (l *lifecycle) observer() controlloop.Handler {
	see := func(node controlloop.Object) {
		l.beats.node(node)
		l.zones.Count(node.(*corev1.Node),
			Readiness(node.(*corev1.Node)) == corev1.ConditionTrue)
	}
	return controlloop.Handler{
		OnAdd:    see,
		OnUpdate: func(_, node controlloop.Object) { see(node) },
		OnDelete: func(node controlloop.Object) {
			l.beats.gone(node)
			l.zones.Gone(node.GetName())
		},
	}
}

// Reconcile implements controlloop.Reconciler.
func (l *lifecycle) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, there := l.nodes.Get(key)
	if !there {
		l.unregister(key.Name)
		return controlloop.Result{}, nil
	}
	node := obj.(*corev1.Node)
	l.register(node)
	left := l.beats.left(node)
	if next := silent(node); left == 0 && next != nil {
		var err error
		if node, left, err = l.giveUp(ctx, node, next); err != nil {
			return controlloop.Result{}, err
		}
	}
	if Readiness(node) == corev1.ConditionUnknown {
		if err := l.markPods(ctx, node); err != nil {
			return controlloop.Result{}, err
		}
	}
	turn, err := l.taint(ctx, node)
	return controlloop.Result{After: controlloop.Sooner(left, turn)}, err
}

// register tells of a node that is new.
func (l *lifecycle) register(node *corev1.Node) {
	l.mu.Lock()
	_, known := l.known[node.Name]
	l.known[node.Name] = node.UID
	l.mu.Unlock()
	if !known {
		l.tell(node.Name, node.UID, "RegisteredNode",
			"Registered Node "+node.Name+" in Controller")
	}
}

// unregister tells of a node that is gone.
func (l *lifecycle) unregister(name string) {
	l.mu.Lock()
	uid, known := l.known[name]
	delete(l.known, name)
	l.mu.Unlock()
	if known {
		l.tell(name, uid, "RemovingNode",
			"Removing Node "+name+" from Controller")
	}
}

func (l *lifecycle) tell(name string, uid types.UID, reason, what string) {
	l.recorder.Eventf(&corev1.ObjectReference{
		APIVersion: "v1", Kind: controlloop.NodeKind.Kind, Name: name, UID: uid,
	}, corev1.EventTypeNormal, reason, "Node %s event: %s", name, what)
}

// giveUp writes into a Node that its conditions are unknown, unless its lease in the
// store was renewed: the cache of leases may be late, and then for all nodes at
// once. It returns the Node as it is then, and how long it has left.
func (l *lifecycle) giveUp(
	ctx context.Context, node, next *corev1.Node,
) (*corev1.Node, time.Duration, error) {
	lease, err := l.client.Get(ctx, daemonset.LeaseKind, leaseKey(node.Name))
	switch {
	case err == nil && l.beats.lease(lease):
		return node, l.beats.left(node), nil
	case err != nil && !apierrors.IsNotFound(err):
		return nil, 0, err
	}
	stored, err := l.client.UpdateStatus(ctx, next)
	if err != nil {
		return nil, 0, err
	}
	if Readiness(node) == corev1.ConditionTrue {
		l.recorder.Eventf(node, corev1.EventTypeNormal, "NodeNotReady",
			"Node %s status is now: NodeNotReady", node.Name)
	}
	return stored.(*corev1.Node), 0, nil
}

// markPods has no Pod of a silent node be given work. Its kubelet would have
// said so, and will say what is true when it is back. (Kubernetes:
// MarkPodsNotReady in pkg/controller/util/node/controller_utils.go.)
func (l *lifecycle) markPods(ctx context.Context, node *corev1.Node) error {
	var errs []error
	for _, obj := range l.pods.Lookup(ByNode, node.Name) {
		pod := obj.(*corev1.Pod)
		if !controlloop.IsReady(pod) {
			continue
		}
		c := *controlloop.PodCondition(pod, corev1.PodReady)
		c.Status = corev1.ConditionFalse
		_, err := l.client.UpdateStatus(ctx, daemonset.UpdatePodCondition(pod, c))
		if apierrors.IsNotFound(err) {
			continue
		}
		errs = append(errs, err)
		if err == nil {
			l.recorder.Eventf(pod, corev1.EventTypeWarning,
				"NodeNotReady", "Node is not ready")
		}
	}
	return errors.Join(errs...)
}

// taint gives a Node the taints that it should have. By one of them its Pods
// have to go, and for that it may have to wait; it returns for how long.
func (l *lifecycle) taint(
	ctx context.Context, node *corev1.Node,
) (wait time.Duration, err error) {
	evicting := l.evicting(node)
	if evicting == "" || isEvicting(node) {
		l.zones.Done(node.Name)
	} else {
		var may bool
		if may, wait = l.zones.Turn(node.Name); !may {
			evicting = ""
		}
	}
	taints, differ := taintsFor(node, evicting)
	if !differ {
		return wait, nil
	}
	next := controlloop.Copy(node)
	next.Spec.Taints = taints
	if _, err := l.client.Update(ctx, next); err != nil {
		return 0, err
	}
	if evicting != "" {
		l.zones.Done(node.Name)
	}
	return wait, nil
}

// evicting returns the taint by which the Pods of a node have to go; "": they
// stay.
func (l *lifecycle) evicting(node *corev1.Node) string {
	switch ready := Readiness(node); {
	case l.zones.IsDark():
		return ""
	case ready == corev1.ConditionFalse:
		return corev1.TaintNodeNotReady
	case ready == corev1.ConditionUnknown:
		return corev1.TaintNodeUnreachable
	}
	return ""
}

// isEvicting reports whether a node's Pods have been told to go already: then
// it waits in no queue, whichever of the two taints it should have.
func isEvicting(node *corev1.Node) bool {
	for i := range node.Spec.Taints {
		t := &node.Spec.Taints[i]
		if t.Effect == corev1.TaintEffectNoExecute && isOurs(t) {
			return true
		}
	}
	return false
}
