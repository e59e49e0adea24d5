package lab_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
	"reconcile/internal/lab/snapshot"
)

func TestRestartedControllersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := lab.New(lab.Options{Nodes: 2})
		require.NoError(t, err)
		f := fixture{l, t}
		stop := run(l)
		f.create(three("default"))
		started := f.pods("default")[0].Status.ContainerStatuses[0].State.Running.StartedAt
		stop()

		time.Sleep(time.Hour)
		l.Restart()
		stop = run(l)
		synctest.Wait()
		f.delete(controlloop.PodKind, "default", f.pods("default")[2].Name)
		time.Sleep(time.Minute)
		synctest.Wait()
		pods := f.pods("default")
		require.Len(t, pods, 3)
		assert.Contains(t, []metav1.Time{
			pods[0].Status.ContainerStatuses[0].State.Running.StartedAt,
			pods[1].Status.ContainerStatuses[0].State.Running.StartedAt,
		}, started, "what ran was left running")
		stop()
		l.Close()
	})
}

// again begins another lab where one ended.
func again(t *testing.T, l *lab.Lab, opts lab.Options) *lab.Lab {
	t.Helper()
	opts.State = &snapshot.State{Version: 1_000_000}
	for _, kind := range l.Store.Kinds().All() {
		list, err := l.Store.List(t.Context(), kind.GroupVersionKind, controlloop.ListOptions{})
		require.NoError(t, err)
		for _, obj := range list.Items {
			opts.State.Objects = append(opts.State.Objects, controlloop.Copy(obj))
		}
	}
	next, err := lab.New(opts)
	require.NoError(t, err)
	t.Cleanup(next.Close)
	return next
}

func TestAClusterThatGoesOnStartsItsContainersAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, err := lab.New(lab.Options{Nodes: 2})
		require.NoError(t, err)
		stop := run(first)
		fixture{first, t}.create(three("default"))
		before := fixture{first, t}.pods("default")
		stop()
		first.Close()

		time.Sleep(time.Hour)
		second := again(t, first, lab.Options{Nodes: 2})
		stop = run(second)
		synctest.Wait()
		after := fixture{second, t}.pods("default")
		require.Len(t, after, 3)
		for i := range after {
			assert.Equal(t, before[i].UID, after[i].UID, "the Pods are the same")
			assert.Equal(t, before[i].Spec.NodeName, after[i].Spec.NodeName)
			running := after[i].Status.ContainerStatuses[0].State.Running
			require.NotNil(t, running)
			assert.Less(t, time.Since(running.StartedAt.Time), time.Minute)
		}
		stop()
		second.Close()
	})
}

// kubectl get prints the count as RESTARTS, of every Pod: who looks there after a
// kill -9 looks for what fails.
func TestRestartsNeverFallOverTheEndOfALab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := lab.New(lab.Options{Nodes: 1})
		require.NoError(t, err)
		stop := run(l)
		f := fixture{l, t}
		fails := placed("fails", "node-1")
		fails.Spec.Containers[0].Image = "busybox:1.36"
		fails.Spec.Containers[0].Command = []string{"sh", "-c", "sleep 1; exit 3"}
		f.create(fails)
		f.create(placed("runs", "node-1"))
		for n := range 3 {
			pass(time.Minute)
			failed := f.restarts("fails")
			require.Positive(t, failed)
			require.Equal(t, n, f.restarts("runs"))
			stop()
			l.Close()

			l = again(t, l, lab.Options{Nodes: 1})
			stop, f = run(l), fixture{l, t}
			synctest.Wait()
			assert.Equal(t, failed+1, f.restarts("fails"))
			assert.Equal(t, n+1, f.restarts("runs"))
		}
		stop()
		l.Close()
	})
}

func TestACordonSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, err := lab.New(lab.Options{Nodes: 1})
		require.NoError(t, err)
		defer first.Close()
		f := fixture{first, t}
		node := f.node("node-1")
		node.Spec.Unschedulable = true
		f.update(node)

		second := again(t, first, lab.Options{Nodes: 1})
		assert.True(t, fixture{second, t}.node("node-1").Spec.Unschedulable)
	})
}

func TestANodeWithoutAKubeletIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, err := lab.New(lab.Options{Nodes: 2})
		require.NoError(t, err)
		defer first.Close()
		second := again(t, first, lab.Options{Nodes: 1})
		stop := run(second)
		pass(time.Minute)
		f := fixture{second, t}
		assert.Equal(t, corev1.ConditionTrue, readiness(f.node("node-1")).Status)
		assert.Equal(t, corev1.ConditionUnknown, readiness(f.node("node-2")).Status)
		name, err := second.AddNode()
		require.NoError(t, err)
		assert.Equal(t, "node-2", name, "a machine for the Node that is there")
		synctest.Wait()
		assert.Equal(t, corev1.ConditionTrue, readiness(f.node("node-2")).Status)
		stop()

		third := again(t, second, lab.Options{Nodes: 2})
		assert.Equal(t, corev1.ConditionTrue,
			readiness(fixture{third, t}.node("node-2")).Status, "it is back")
	})
}

func TestANewLifeGivesNewNamesAndUIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, err := lab.New(lab.Options{})
		require.NoError(t, err)
		second := again(t, first, lab.Options{})
		seen := map[string]bool{}
		for _, l := range []*lab.Lab{first, second} {
			for range 100 {
				obj := configMap("default", "")
				obj.GenerateName = "x-"
				stored := fixture{l, t}.create(obj)
				assert.False(t, seen[string(stored.GetUID())])
				seen[string(stored.GetUID())] = true
			}
		}
	})
}
