package node_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// drawnWrite is a write as figures/nodes.svg has it.
type drawnWrite struct {
	At     time.Duration `json:"at"`
	Lease  string        `json:"lease,omitempty"`
	Node   string        `json:"node,omitempty"`
	Ready  string        `json:"ready,omitempty"`
	Taints []string      `json:"taints,omitempty"`
	Pod    string        `json:"pod,omitempty"`
	On     string        `json:"on,omitempty"`
	Is     string        `json:"is,omitempty"`
}

type drawnMark struct {
	At   time.Duration `json:"at"`
	Says string        `json:"says"`
}

func drawWrites(writes []kubetest.Write) (all []drawnWrite) {
	seen := map[string]drawnWrite{}
	for _, w := range writes {
		one := drawnWrite{At: w.At}
		switch obj := w.Object.(type) {
		case *coordinationv1.Lease:
			one.Lease = obj.Name
		case *corev1.Node:
			one.Node = obj.Name
			for _, c := range obj.Status.Conditions {
				if c.Type == corev1.NodeReady {
					one.Ready = string(c.Status)
				}
			}
			if w.Type == watch.Deleted {
				one.Ready = "gone"
			}
			for _, taint := range obj.Spec.Taints {
				one.Taints = append(one.Taints, taint.Key+":"+string(taint.Effect))
			}
		case *corev1.Pod:
			one.Pod, one.On, one.Is = obj.Name, obj.Spec.NodeName, stateOf(w, obj)
		default:
			continue
		}
		now := one
		now.At = 0
		if key := one.Lease + one.Node + " " + one.Pod; one.Lease == "" {
			if was, ok := seen[key]; ok && isSame(was, now) {
				continue
			}
			seen[key] = now
		}
		all = append(all, one)
	}
	return all
}

func isSame(a, b drawnWrite) bool {
	return a.Ready == b.Ready && a.On == b.On && a.Is == b.Is && slices.Equal(a.Taints, b.Taints)
}

func stateOf(w kubetest.Write, pod *corev1.Pod) string {
	switch {
	case w.Type == watch.Deleted:
		return "gone"
	case pod.DeletionTimestamp != nil:
		return "ending"
	case kubetest.Ready(pod):
		return "ready"
	case pod.Status.Phase == corev1.PodRunning:
		return "running"
	}
	return "created"
}

func TestRunOfASilentNode(t *testing.T) {
	x := newCables()
	setup := living(3, x)
	setup.PerNode = setup.PerNode[1:]
	setup.Controllers = append(setup.Controllers, plugins.NewScheduler, daemonset.NewDaemonSets, deployment.NewReplicaSets)
	setup.Kinds = nodeKinds.With(rollingupdate.Kinds()...).With(storage.Kinds()...).
		With(controlloop.Kind{
			GroupVersionKind: cache.NamespaceKind, Resource: "namespaces",
			New: func() controlloop.Object { return &corev1.Namespace{} },
		})
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, setup)
		c.Settle()
		rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
		rs.Spec.Replicas = new(int32(3))
		p := kubetest.Pod("web")
		rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: p.Labels}
		rs.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: p.Labels}, Spec: p.Spec}
		rs.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))}}
		for _, n := range c.Nodes {
			node, err := c.Store.Get(t.Context(), controlloop.NodeKind, controlloop.Key{Name: n.Name})
			require.NoError(t, err)
			changed := controlloop.Copy(node).(*corev1.Node)
			changed.Status.Allocatable = kubetest.Resources("cpu=4 memory=8Gi pods=10")
			_, err = c.Store.UpdateStatus(t.Context(), changed)
			require.NoError(t, err)
		}
		kubetest.Create(c, rs)
		kubetest.Create(c, logs())
		c.Advance(time.Minute)
		x.pull("node-2")
		c.Advance(6 * time.Minute)
		x.plug("node-2")
		c.Advance(40 * time.Second)
		all := drawWrites(c.Writes())
		require.NotEmpty(t, all)
		kubetest.RecordedJSON(t, "../../testdata/silent.json", map[string]any{
			"until": 460 * time.Second, "writes": all,
			"marks": []drawnMark{{60 * time.Second, "cable out"}, {420 * time.Second, "cable in"}},
		})
	})
}

func logs() *appsv1.DaemonSet {
	pod := kubetest.Pod("logs")
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{
		Name: "logs", Namespace: metav1.NamespaceDefault,
	}}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: pod.Labels}
	ds.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
	}
	return ds
}
