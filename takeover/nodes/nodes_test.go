package nodes_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
	"reconcile/takeover/internal/served"
	"reconcile/takeover/nodes"
	"reconcile/takeover/remote"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// start runs nodes until the function that it returns is called.
func start(t *testing.T, c *served.Cluster, count int, prefix string) (stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- nodes.Run(ctx, nodes.Options{
			Config: c.Config, Remote: remote.Options{QPS: -1}, Count: count,
			Prefix: prefix, Log: slog.New(slog.DiscardHandler),
		})
	}()
	return func() error { cancel(); return <-ended }
}

func all(t *testing.T, c *served.Cluster) []controlloop.Object {
	list, err := c.Store.List(t.Context(), controlloop.NodeKind, controlloop.ListOptions{})
	require.NoError(t, err)
	return list.Items
}

func TestNodesAreReadyMarkedAndAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := served.New(t)
		stop := start(t, c, 3, "sim")
		time.Sleep(time.Minute)
		require.Len(t, all(t, c), 3)
		for _, obj := range all(t, c) {
			node := obj.(*corev1.Node)
			assert.Equal(t, "true", node.Labels[nodes.Mark])
			assert.Equal(t, []corev1.Taint{{Key: nodes.Mark, Value: "true", Effect: corev1.TaintEffectNoSchedule}}, node.Spec.Taints)
			for _, condition := range node.Status.Conditions {
				if condition.Type == corev1.NodeReady {
					assert.Equal(t, corev1.ConditionTrue, condition.Status)
				}
			}
			lease, err := c.Store.Get(t.Context(), daemonset.LeaseKind,
				controlloop.Key{Namespace: corev1.NamespaceNodeLease, Name: node.Name})
			require.NoError(t, err)
			renewed := lease.(*coordinationv1.Lease).Spec.RenewTime
			assert.LessOrEqual(t, time.Since(renewed.Time), 10*time.Second)
		}

		pod := kubetest.Pod("web")
		pod.Namespace, pod.Spec.NodeName = "one", "sim-2"
		_, err := c.Store.Create(t.Context(), pod)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		now, err := c.Store.Get(t.Context(), controlloop.PodKind, controlloop.Key{Namespace: "one", Name: "web"})
		require.NoError(t, err)
		assert.True(t, kubetest.Ready(now.(*corev1.Pod)))
		assert.Equal(t, "198.18.2.2", now.(*corev1.Pod).Status.PodIP)

		require.NoError(t, stop())
		assert.Empty(t, all(t, c))
		_, err = c.Store.Get(t.Context(), controlloop.PodKind, controlloop.KeyOf(pod))
		assert.Error(t, err, "it went with its node")
	})
}

// An end by force leaves nodes; the next start has them again.
func TestNodesThatWereLeftAreTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := served.New(t)
		_, err := c.Store.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: "sim-1", Labels: map[string]string{nodes.Mark: "true"}}})
		require.NoError(t, err)
		stop := start(t, c, 1, "sim")
		time.Sleep(time.Minute)
		assert.Len(t, all(t, c), 1)
		require.NoError(t, stop())
		assert.Empty(t, all(t, c))
	})
}

func TestANodeOfAnothersIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := served.New(t)
		_, err := c.Store.Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "sim-2"}})
		require.NoError(t, err)
		stop := start(t, c, 2, "sim")
		time.Sleep(time.Minute)
		assert.ErrorContains(t, stop(), "register sim-2 at http://store: there is a node of this name that is none of ours")
		require.Len(t, all(t, c), 1, "what was registered before is taken away")
		assert.Equal(t, "sim-2", all(t, c)[0].GetName())
	})
}

func TestBadOptionsAreRefused(t *testing.T) {
	for want, opts := range map[string]nodes.Options{
		"0 nodes: there can be between 1 and 500": {Prefix: "sim"},
		"nodes cannot be called A_-1":             {Count: 1, Prefix: "A_"},
	} {
		assert.ErrorContains(t, nodes.Run(t.Context(), opts), want)
	}
}
