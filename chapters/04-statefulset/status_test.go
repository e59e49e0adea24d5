package statefulset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func TestTheStatusCounts(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3, parallel, patient(10)))
		c.Settle()
		serve(c, "web-2")
		c.Settle()
		status := kubetest.Get(c, web(0)).Status
		assert.EqualValues(t, 3, status.Replicas)
		assert.EqualValues(t, 2, status.ReadyReplicas)
		assert.EqualValues(t, 0, status.AvailableReplicas)
		assert.EqualValues(t, 3, status.CurrentReplicas)
		assert.EqualValues(t, 1, status.ObservedGeneration)
		assert.EqualValues(t, 3, status.UpdatedReplicas)
		require.NotNil(t, status.CollisionCount)
		c.Advance(10 * time.Second)
		assert.EqualValues(t, 2, kubetest.Get(c, web(0)).Status.AvailableReplicas)
	})
}

// The controller must not take away the conditions that others have set.
func TestTheStatusKeepsWhatOthersSay(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		c.Settle()
		set := controlloop.Copy(kubetest.Get(c, web(0)))
		set.Status.Conditions = []appsv1.StatefulSetCondition{{Type: "Praised", Status: corev1.ConditionTrue}}
		set.Status.CollisionCount = new(int32(7))
		_, err := c.Store.UpdateStatus(tContext(), set)
		require.NoError(t, err)
		rest(c)
		status := kubetest.Get(c, web(0)).Status
		assert.EqualValues(t, 1, status.AvailableReplicas)
		require.Len(t, status.Conditions, 1)
		assert.EqualValues(t, "Praised", status.Conditions[0].Type)
		assert.EqualValues(t, 7, *status.CollisionCount)
	})
}
