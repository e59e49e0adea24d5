package lab_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	rollingupdate "reconcile/chapters/03-rolling-update"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/lab"
)

// stubborn does not end until it is killed.
func stubborn(_ context.Context, p *simulated.Process) int {
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

		slices := f.list(rollingupdate.EndpointSliceKind, "default")
		require.Len(f.t, slices, 1)
		slice := slices[0].(*discoveryv1.EndpointSlice)
		assert.Equal(f.t, "kubernetes", slice.Name)
		assert.Equal(f.t, []string{"172.18.0.1"}, slice.Endpoints[0].Addresses)
		assert.EqualValues(f.t, 6443, *slice.Ports[0].Port)
		endpoints := f.list(corev1.SchemeGroupVersion.WithKind("Endpoints"), "default")
		require.Len(f.t, endpoints, 1)
		assert.Equal(f.t, "kubernetes", endpoints[0].GetName())

		require.Len(f.t, f.list(nodeKind, ""), 2)
		node := f.node("node-2")
		assert.Equal(f.t, "node-2", node.Labels[corev1.LabelHostname])
		assert.Equal(f.t, "v1.37.2", node.Status.NodeInfo.KubeletVersion)
		assert.Equal(f.t, node.Status.Capacity, node.Status.Allocatable)
		assert.Equal(f.t, corev1.ConditionTrue, readiness(node).Status)
		assert.Equal(f.t, "10.244.2.0/24", node.Spec.PodCIDR)
		assert.Equal(f.t, "00000000-0000-0000-0000-000000000002", node.Status.NodeInfo.SystemUUID)
	})
}

func TestAClusterHasThePrioritiesOfWhatKeepsItAlive(t *testing.T) {
	running(t, lab.Options{}, func(f fixture) {
		values := map[string]int32{}
		for _, obj := range f.list(daemonset.PriorityKind, "") {
			class := obj.(*schedulingv1.PriorityClass)
			values[class.Name] = class.Value
			assert.NotEmpty(f.t, class.UID)
			assert.Equal(f.t, corev1.PreemptLowerPriority, *class.PreemptionPolicy)
		}
		assert.Equal(f.t, map[string]int32{
			"system-cluster-critical": 2000000000, "system-node-critical": 2000001000,
		}, values)
	})
}

// Only a Node that is there already has its state brought up to date.
func TestANodeThatIsRefusedIsToldAsItWas(t *testing.T) {
	store := controlloop.NewStore(controlloop.Kinds{}.With(controlloop.Kind{
		GroupVersionKind: nodeKind, Resource: "nodes",
		New: func() controlloop.Object { return &corev1.Node{} },
		Rules: controlloop.Rules{Name: func(string, bool) []string {
			return []string{"is not to our liking"}
		}},
	}))
	assert.ErrorContains(t, lab.Register(t.Context(), store), "is not to our liking")
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
	l, err := lab.New(lab.Options{Nodes: 254})
	require.NoError(t, err)
	l.Close()
}

func TestPodsRunAndTellWhatHappens(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(pod("default", "web"))
		assert.Equal(f.t, corev1.PodRunning, f.pods("default")[0].Status.Phase)
		// The scheduler tells of it once the Pod has its node; its kubelet may be faster.
		reasons := map[string][]string{}
		for _, obj := range f.list(eventKind, "default") {
			if e := obj.(*corev1.Event); e.InvolvedObject.Kind == "Pod" {
				reasons[e.Source.Component] = append(reasons[e.Source.Component], e.Reason)
			}
		}
		assert.Equal(f.t, map[string][]string{
			"default-scheduler": {"Scheduled"},
			"kubelet":           {"Pulling", "Pulled", "Created", "Started"},
		}, reasons)
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
	running(t, lab.Options{Nodes: 1, Controllers: []string{"none"}}, func(f fixture) {
		f.create(pod("default", "web"))
		f.create(three("default"))
		pods := f.pods("default")
		require.Len(f.t, pods, 1)
		assert.Equal(f.t, corev1.PodRunning, pods[0].Status.Phase)
	})
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

func TestControllersAreFoundByAllTheirNames(t *testing.T) {
	l, err := lab.New(lab.Options{Nodes: 1})
	require.NoError(t, err)
	defer l.Close()
	replication := l.Controller("replicationcontroller")
	require.NotNil(t, replication)
	assert.Same(t, replication, l.Controller("replicationcontroller-controller"))
	assert.Same(t, replication, l.Controller("replication"))
	assert.NotNil(t, l.Controller("kubelet node-1"))
	assert.NotNil(t, l.Controller("heartbeat node-1"))
	assert.NotNil(t, l.Controller("scheduler"))
	assert.Nil(t, l.Controller("kubelet node-2"))
	assert.Nil(t, l.Controller("job"))
}
