package deployment_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// latecomers is a store and the ReplicaSet controller, to which events about
// Pods come two seconds late, and others at once.
type latecomers struct {
	t      *testing.T
	store  *controlloop.Store
	system *controlloop.System
}

func lately(t *testing.T, test func(l *latecomers)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := controlloop.NewStore(kinds())
		l := &latecomers{t, store, &controlloop.System{Client: late{store, controlloop.PodKind}}}
		deployment.NewReplicaSets(l.system)
		l.pass(0)
		test(l)
	})
}

// pass lets time pass, a tenth of a second at a time.
func (l *latecomers) pass(d time.Duration) {
	l.t.Helper()
	for end := time.Now().Add(d); ; time.Sleep(100 * time.Millisecond) {
		for more := true; more; {
			var err error
			more, err = l.system.Step(l.t.Context(), controlloop.InOrder)
			require.NoError(l.t, err)
		}
		if !time.Now().Before(end) {
			return
		}
	}
}

func (l *latecomers) pods() int {
	l.t.Helper()
	list, err := l.store.List(l.t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(l.t, err)
	return len(list.Items)
}

// edit changes the ReplicaSet web.
func (l *latecomers) edit(change func(*appsv1.ReplicaSet)) {
	l.t.Helper()
	obj, err := l.store.Get(l.t.Context(), deployment.ReplicaSetKind, kubetest.Named("web"))
	require.NoError(l.t, err)
	next := controlloop.Copy(obj.(*appsv1.ReplicaSet))
	change(next)
	_, err = l.store.Update(l.t.Context(), next)
	require.NoError(l.t, err)
}

// Any event may wake it while it waits.
func TestALateCacheMakesNoPodTooMany(t *testing.T) {
	lately(t, func(l *latecomers) {
		_, err := l.store.Create(t.Context(), replicaSet("web", 3))
		require.NoError(t, err)
		for i := range int32(15) {
			l.pass(200 * time.Millisecond)
			require.Equal(t, 3, l.pods(), "after %d looks", i)
			l.edit(func(rs *appsv1.ReplicaSet) { rs.Spec.MinReadySeconds = i })
		}
		l.edit(func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = new(int32(5)) })
		l.pass(0)
		assert.Equal(t, 5, l.pods(), "by now it has heard of the three")
	})
}

func TestALateCacheDeletesNoPodTooMany(t *testing.T) {
	lately(t, func(l *latecomers) {
		_, err := l.store.Create(t.Context(), replicaSet("web", 5))
		require.NoError(t, err)
		l.pass(5 * time.Second)
		for i, pod := range []string{"first", "second"} {
			l.edit(func(rs *appsv1.ReplicaSet) { *rs.Spec.Replicas-- })
			l.pass(100 * time.Millisecond)
			require.Equal(t, 4-i, l.pods(), pod)
			l.edit(func(rs *appsv1.ReplicaSet) { rs.Spec.MinReadySeconds++ })
			l.pass(5 * time.Second)
			require.Equal(t, 4-i, l.pods(), pod)
		}
	})
}

// A ReplicaSet is deleted and made again under its name while events about the
// Pods of the first are on their way. They are not those that the second waits
// for.
func TestASuccessorDoesNotWaitForItsPredecessorsPods(t *testing.T) {
	lately(t, func(l *latecomers) {
		_, err := l.store.Create(t.Context(), replicaSet("web", 3))
		require.NoError(t, err)
		l.pass(time.Second)
		require.Equal(t, 3, l.pods())
		require.NoError(t, l.store.Delete(t.Context(), deployment.ReplicaSetKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		young, err := l.store.Create(t.Context(), replicaSet("web", 3))
		require.NoError(t, err)
		l.pass(500 * time.Millisecond)
		assert.Equal(t, 6, l.pods(), "it does not wait for what another has made")
		l.pass(5 * time.Second)
		assert.Equal(t, 6, l.pods(), "what it hears of the other's is not its own")
		obj, err := l.store.Get(t.Context(), deployment.ReplicaSetKind, kubetest.Named("web"))
		require.NoError(t, err)
		assert.Equal(t, young.GetUID(), obj.GetUID())
		assert.EqualValues(t, 3, obj.(*appsv1.ReplicaSet).Status.Replicas)
	})
}

// The create is lost before any cache has heard of it. After five
// minutes it is made again.
func TestAnEventThatNeverComesIsWaitedForFiveMinutes(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		r := c.Reconciler("replicaset").(*deployment.ReplicaSets)
		rs := kubetest.Create(c, replicaSet("web", 1))
		r.Expected.ExpectCreates(rs.UID, 1)
		c.Advance(5*time.Minute - time.Second)
		require.Empty(t, c.Pods())
		assert.EqualValues(t, 1, kubetest.Get(c, rs).Status.ObservedGeneration,
			"it reports while it waits")
		c.Advance(time.Second)
		assert.Len(t, c.Pods(), 1)
		assert.Equal(t, corev1.PodPending, c.Pods()[0].Status.Phase)
	})
}
