package daemonset_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// A set comes to all nodes of a cluster: how often its controller reconciles it,
// and how many nodes the walks read, all in all.
func TestRunOfReconciles(t *testing.T) {
	var log bytes.Buffer
	fmt.Fprintf(&log, "%5s  %6s  %10s  %s\n", "nodes", "events", "reconciles", "nodes read")
	for _, nodes := range []int{10, 50, 250} {
		events, looks := comes(t, nodes)
		fmt.Fprintf(&log, "%5d  %6d  %10d  %d\n", nodes, events, looks, looks*nodes)
	}
	kubetest.Recorded(t, "reconciles.txt", log.Bytes())
}

// everything is the kinds of a scheduler beside a DaemonSet's.
var everything = controlloop.CoreKinds().
	With(deployment.Kinds()...).With(rollingupdate.Kinds()...).
	With(statefulset.Kinds()...).With(storage.Kinds()...).
	With(daemonset.Kinds()...).With(controlloop.Kind{
	GroupVersionKind: cache.NamespaceKind, Resource: "namespaces",
	New: func() controlloop.Object { return &corev1.Namespace{} },
})

func comes(t *testing.T, nodes int) (events, looks int) {
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{
			Kinds:       everything,
			Controllers: []kubetest.Controller{daemonset.NewDaemonSets, plugins.NewScheduler},
			Nodes:       nodes,
			PerNode:     []kubetest.OfNode{kubelet.New},
			Trace: func(s controlloop.Step) {
				switch {
				case s.Lane == "daemonset queue" && s.Action == "added":
					events++
				case s.Lane == "daemonset" && s.Action == "reconcile":
					looks++
				}
			},
		})
		for _, node := range c.Nodes {
			kubetest.Create(c, host(node.Name, func(n *corev1.Node) {
				n.Status.Allocatable = kubetest.Resources("cpu=4 memory=8Gi pods=10")
			}))
		}
		ds := kubetest.Create(c, collector())
		c.Advance(time.Minute)
		require.EqualValues(t, nodes, kubetest.Get(c, ds).Status.NumberAvailable)
	})
	return events, looks
}

func collector() *appsv1.DaemonSet {
	labels := map[string]string{"app": "collector"}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: metav1.NamespaceDefault, Name: "collector",
	}}
	ds.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	ds.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{Containers: []corev1.Container{
			kubetest.Container("collector", kubetest.Nginx),
		}},
	}
	return ds
}
