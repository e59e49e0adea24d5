package lab_test

import (
	"context"
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

// stubborn does not end until it is killed.
func stubborn(_ context.Context, p *controlloop.Process) int {
	<-p.Killed()
	return 0
}

func TestAClusterBeginsAsKubernetesDoes(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		var names []string
		for _, obj := range f.list(namespaceKind, "") {
			names = append(names, obj.GetName())
		}
		assert.Equal(f.t, []string{
			"default", "kube-node-lease", "kube-public", "kube-system"}, names)

		service, err := f.Store.Get(f.t.Context(),
			corev1.SchemeGroupVersion.WithKind("Service"),
			controlloop.Key{Namespace: "default", Name: "kubernetes"})
		require.NoError(f.t, err)
		assert.Equal(f.t, "10.96.0.1", service.(*corev1.Service).Spec.ClusterIP)

		require.Len(f.t, f.list(nodeKind, ""), 2)
		node := f.node("node-2")
		assert.Equal(f.t, "node-2", node.Labels[corev1.LabelHostname])
		assert.Equal(f.t, "v1.37.2", node.Status.NodeInfo.KubeletVersion)
		assert.Equal(f.t, node.Status.Capacity, node.Status.Allocatable)
		assert.Equal(f.t, corev1.ConditionTrue, readiness(node).Status)
		assert.Equal(f.t, "10.244.2.0/24", node.Spec.PodCIDR)
	})
}

func readiness(node *corev1.Node) corev1.NodeCondition {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c
		}
	}
	return corev1.NodeCondition{}
}

func TestALabHasUpTo254Nodes(t *testing.T) {
	for _, n := range []int{-1, 255} {
		_, err := lab.New(lab.Options{Nodes: n})
		assert.ErrorContains(t, err, "a lab has between 0 and 254")
	}
	_, err := lab.New(lab.Options{Nodes: 254})
	assert.NoError(t, err)
}

func TestPodsRunAndTellWhatHappens(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(pod("default", "web"))
		assert.Equal(f.t, corev1.PodRunning, f.pods("default")[0].Status.Phase)
		var reasons []string
		for _, obj := range f.list(eventKind, "default") {
			reasons = append(reasons, obj.(*corev1.Event).Reason)
		}
		assert.Equal(f.t, []string{"Scheduled", "Pulling", "Pulled", "Created", "Started"}, reasons)
	})
}

func TestWithoutNodesNothingRuns(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		f.create(three("default"))
		pods := f.pods("default")
		require.Len(f.t, pods, 3)
		assert.Empty(f.t, pods[0].Spec.NodeName)
	})
}

func TestWithoutControllersNodesRunPods(t *testing.T) {
	running(t, lab.Options{Nodes: 1, Controllers: lab.None}, func(f fixture) {
		f.create(pod("default", "web"))
		f.create(three("default"))
		pods := f.pods("default")
		require.Len(f.t, pods, 1)
		assert.Equal(f.t, corev1.PodRunning, pods[0].Status.Phase)
	})
}

func TestACordonedNodeTakesNoPods(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		node := f.node("node-1")
		node.Spec.Unschedulable = true
		f.update(node)
		f.create(pod("default", "web"))
		assert.Empty(f.t, f.pods("default")[0].Spec.NodeName)

		node = f.node("node-1")
		node.Spec.Unschedulable = false
		f.update(node)
		assert.Equal(f.t, "node-1", f.pods("default")[0].Spec.NodeName,
			"what waited is taken when the node is open again")
	})
}

func TestATaintKeepsAwayWhoDoesNotTolerateIt(t *testing.T) {
	dedicated := corev1.Taint{
		Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule,
	}
	preferred := dedicated
	preferred.Effect = corev1.TaintEffectPreferNoSchedule
	for _, c := range []struct {
		name       string
		taint      corev1.Taint
		toleration corev1.Toleration
		selector   map[string]string
		placed     bool
	}{
		{"without a toleration", dedicated, corev1.Toleration{}, nil, false},
		{"only preferred", preferred, corev1.Toleration{}, nil, true},
		{"equal", dedicated, corev1.Toleration{Key: "dedicated", Value: "db"}, nil, true},
		{"another value", dedicated, corev1.Toleration{Key: "dedicated", Value: "web"}, nil, false},
		{"another key", dedicated, corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}, nil, false},
		{"another effect", dedicated, corev1.Toleration{Key: "dedicated", Value: "db",
			Effect: corev1.TaintEffectNoExecute}, nil, false},
		{"the key exists", dedicated, corev1.Toleration{Key: "dedicated",
			Operator: corev1.TolerationOpExists}, nil, true},
		{"everything", dedicated, corev1.Toleration{Operator: corev1.TolerationOpExists}, nil, true},
		{"a label that it has", preferred, corev1.Toleration{},
			map[string]string{corev1.LabelHostname: "node-1"}, true},
		{"a label that it has not", preferred, corev1.Toleration{},
			map[string]string{"disk": "ssd"}, false},
	} {
		running(t, lab.Options{Nodes: 1}, func(f fixture) {
			node := f.node("node-1")
			node.Spec.Taints = []corev1.Taint{c.taint}
			f.update(node)
			p := pod("default", "web")
			if c.toleration != (corev1.Toleration{}) {
				p.Spec.Tolerations = []corev1.Toleration{c.toleration}
			}
			p.Spec.NodeSelector = c.selector
			f.create(p)
			assert.Equal(f.t, c.placed, f.pods("default")[0].Spec.NodeName != "", c.name)
		})
	}
}

func TestAnEventIsForgottenAnHourAfterItWasLastSeen(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		recorder := f.Journal.Recorder(corev1.EventSource{Component: "test"})
		say := func() { recorder.Eventf(configMap("default", "x"), "Normal", "Seen", "it") }
		say()
		time.Sleep(50 * time.Minute)
		say()
		time.Sleep(59 * time.Minute)
		synctest.Wait()
		require.Len(f.t, f.list(eventKind, ""), 1)
		assert.EqualValues(f.t, 2, f.list(eventKind, "")[0].(*corev1.Event).Count)

		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Empty(f.t, f.list(eventKind, ""))
	})
}

func TestAnEventWithoutTimesIsForgottenToo(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		f.create(&corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: "default", Name: "by-hand"},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "web"},
		})
		time.Sleep(61 * time.Minute)
		synctest.Wait()
		assert.Empty(f.t, f.list(eventKind, ""))
	})
}

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

func TestControllersAreFoundByAllTheirNames(t *testing.T) {
	l, err := lab.New(lab.Options{Nodes: 1})
	require.NoError(t, err)
	replication := l.Controller("replicationcontroller")
	require.NotNil(t, replication)
	assert.Same(t, replication, l.Controller("replicationcontroller-controller"))
	assert.Same(t, replication, l.Controller("replication"))
	assert.NotNil(t, l.Controller("kubelet node-1"))
	assert.NotNil(t, l.Controller("placement node-1"))
	assert.Nil(t, l.Controller("kubelet node-2"))
	assert.Nil(t, l.Controller("job"))
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

func TestACordonSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, err := lab.New(lab.Options{Nodes: 1})
		require.NoError(t, err)
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
		second := again(t, first, lab.Options{Nodes: 1})
		f := fixture{second, t}
		assert.Equal(t, corev1.ConditionTrue, readiness(f.node("node-1")).Status)
		assert.Equal(t, corev1.ConditionUnknown, readiness(f.node("node-2")).Status)

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
