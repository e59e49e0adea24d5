package node

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	daemonset "reconcile/chapters/06-daemonset"
)

// A kubelet does this unless it is told otherwise. (Kubernetes:
// pkg/kubelet/apis/config/v1beta1/defaults.go.)
const (
	leaseSeconds = 40               // how long a renewal is good for
	renewEvery   = 10 * time.Second // a quarter of that
	tellEvery    = 5 * time.Minute  // even if there is nothing new to tell
)

// heartbeat has a node say that it lives, by a Lease, which is small; and how
// it is, by its Node, which is not, and so is written only when it says
// something else, or has said nothing for long. (Kubernetes:
// pkg/kubelet/kubelet_node_status.go, and apimachinery/lease in
// k8s.io/component-helpers.)
type heartbeat struct {
	client   controlloop.Client
	recorder controlloop.Recorder
	node     string
	ready    func() (ok bool, reason, message string)
	lease    *coordinationv1.Lease // as we left it; nil: to be looked up
}

// NewHeartbeat returns the controller by which a node lives, and is well.
func NewHeartbeat(
	s *controlloop.System, m kubelet.Machine,
) *controlloop.Controller {
	return NewHeartbeatOf(s, m, func() (bool, string, string) {
		return true, "KubeletReady", "kubelet is posting ready status"
	})
}

// NewHeartbeatOf returns that of a node that may not be well: ready says
// whether it is, why in a word, and in a sentence. It is asked every 10 s.
func NewHeartbeatOf(
	s *controlloop.System, m kubelet.Machine,
	ready func() (ok bool, reason, message string),
) *controlloop.Controller {
	c := controlloop.NewController("heartbeat "+m.Node, &heartbeat{
		client: s.Client, node: m.Node, ready: ready,
		recorder: s.RecorderFor("kubelet", m.Node),
	})
	s.Add(c)
	c.Queue.Add(controlloop.Key{Name: m.Node})
	return c
}

// Reconcile implements controlloop.Reconciler, because time has passed. A Node that
// was deleted stays so: to register it is not for us.
func (h *heartbeat) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	again := controlloop.Result{After: renewEvery}
	obj, err := h.client.Get(ctx, controlloop.NodeKind, key)
	if apierrors.IsNotFound(err) {
		return again, nil
	}
	if err != nil {
		return controlloop.Result{}, err
	}
	node := obj.(*corev1.Node)
	if err := h.renew(ctx, node); err != nil {
		return controlloop.Result{}, err
	}
	again.After = max(time.Millisecond,
		time.Until(h.lease.Spec.RenewTime.Add(renewEvery)))
	return again, h.tell(ctx, node)
}

// renew renews the node's lease, if the last renewal is ten seconds old.
func (h *heartbeat) renew(ctx context.Context, node *corev1.Node) error {
	if h.lease == nil {
		obj, err := h.client.Get(ctx, daemonset.LeaseKind, leaseKey(h.node))
		if apierrors.IsNotFound(err) {
			return h.keep(h.client.Create(ctx, leaseFor(node)))
		}
		if err := h.keep(obj, err); err != nil {
			return err
		}
	}
	said := h.lease.Spec.RenewTime
	if said != nil && time.Since(said.Time) < renewEvery {
		return nil
	}
	next := controlloop.Copy(h.lease)
	now := leaseFor(node)
	next.Spec, next.OwnerReferences = now.Spec, now.OwnerReferences
	return h.keep(h.client.Update(ctx, next))
}

// keep remembers the lease as it was stored: the next renewal need not read it.
// After an error it is looked up.
func (h *heartbeat) keep(obj controlloop.Object, err error) error {
	h.lease = nil
	if err == nil {
		h.lease = obj.(*coordinationv1.Lease)
	}
	return err
}

// leaseFor returns a node's lease as of now. It goes with its Node.
func leaseFor(node *corev1.Node) *coordinationv1.Lease {
	key := leaseKey(node.Name)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: controlloop.NodeKind.Kind,
				Name: node.Name, UID: node.UID,
			}},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       &node.Name,
			LeaseDurationSeconds: new(int32(leaseSeconds)),
			RenewTime:            new(metav1.NowMicro()),
		},
	}
}

func leaseKey(node string) controlloop.Key {
	return controlloop.Key{Namespace: corev1.NamespaceNodeLease, Name: node}
}

// tell writes what the node says of itself, if that is not what its Node says,
// or if it was said long ago.
func (h *heartbeat) tell(ctx context.Context, node *corev1.Node) error {
	says := h.conditions()
	ready := nodeCondition(node, corev1.NodeReady)
	late := ready == nil ||
		time.Since(ready.LastHeartbeatTime.Time) >= tellEvery
	if !late && saysAll(node, says) {
		return nil
	}
	next := controlloop.Copy(node)
	for _, c := range says {
		setNodeCondition(next, c)
	}
	if _, err := h.client.UpdateStatus(ctx, next); err != nil {
		return err
	}
	h.note(node, says)
	return nil
}

// conditions returns what a kubelet knows of its node. Ready is the last, for
// old readers' sake. (Kubernetes: pkg/kubelet/nodestatus/setters.go.)
func (h *heartbeat) conditions() []corev1.NodeCondition {
	ready := corev1.NodeCondition{Type: corev1.NodeReady}
	var ok bool
	ok, ready.Reason, ready.Message = h.ready()
	ready.Status = corev1.ConditionFalse
	if ok {
		ready.Status = corev1.ConditionTrue
	}
	return []corev1.NodeCondition{{
		Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse,
		Reason:  "KubeletHasSufficientMemory",
		Message: "kubelet has sufficient memory available",
	}, {
		Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse,
		Reason:  "KubeletHasNoDiskPressure",
		Message: "kubelet has no disk pressure",
	}, {
		Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse,
		Reason:  "KubeletHasSufficientPID",
		Message: "kubelet has sufficient PID available",
	}, ready}
}

// note tells which of the conditions have become others.
func (h *heartbeat) note(node *corev1.Node, says []corev1.NodeCondition) {
	events := map[corev1.NodeConditionType]string{
		corev1.NodeMemoryPressure: "NodeHasSufficientMemory",
		corev1.NodeDiskPressure:   "NodeHasNoDiskPressure",
		corev1.NodePIDPressure:    "NodeHasSufficientPID",
		corev1.NodeReady:          "NodeReady",
	}
	for _, c := range says {
		was, event := nodeCondition(node, c.Type), events[c.Type]
		if was != nil && was.Status == c.Status ||
			was == nil && c.Type == corev1.NodeReady {
			continue
		}
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			event = "NodeNotReady"
		}
		h.recorder.Eventf(node, corev1.EventTypeNormal, event,
			"Node %s status is now: %s", node.Name, event)
	}
}
