package lab_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/internal/lab"
)

// at returns the name of the node that a Pod of "default" is on.
func (f fixture) at(name string) string {
	f.t.Helper()
	for _, p := range f.pods("default") {
		if p.Name == name {
			return p.Spec.NodeName
		}
	}
	f.t.Fatalf("there is no Pod %s", name)
	return ""
}

// told returns the texts of the events with a reason.
func (f fixture) told(reason string) (texts []string) {
	for _, obj := range f.list(eventKind, "default") {
		if e := obj.(*corev1.Event); e.Reason == reason {
			texts = append(texts, e.Message)
		}
	}
	return texts
}

func requests(p *corev1.Pod, name corev1.ResourceName, amount string) *corev1.Pod {
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
		name: resource.MustParse(amount)}
	return p
}

func onPort(p *corev1.Pod, port int32) *corev1.Pod {
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{
		{ContainerPort: 80, HostPort: port}}
	return p
}

func TestPodsAreSpreadOverTheNodes(t *testing.T) {
	running(t, lab.Options{Nodes: 3}, func(f fixture) {
		for n := range 7 {
			f.create(pod("default", fmt.Sprint("web-", n)))
		}
		var nodes []string
		for n := range 7 {
			nodes = append(nodes, f.at(fmt.Sprint("web-", n)))
		}
		assert.Equal(t, []string{"node-1", "node-2", "node-3", "node-1", "node-2",
			"node-3", "node-1"}, nodes)
	})
}

// Ten Pods at once: the cache has not heard of the first when the second is
// placed.
func TestPodsThatAreMadeAtOnceAreSpreadToo(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		rc := three("default")
		rc.Spec.Replicas = new(int32(10))
		f.create(rc)
		count := map[string]int{}
		for _, p := range f.pods("default") {
			count[p.Spec.NodeName]++
		}
		assert.Equal(t, map[string]int{"node-1": 5, "node-2": 5}, count)
	})
}

func TestAKubeletRejectsWhatDoesNotFitItsNode(t *testing.T) {
	for name, test := range map[string]struct {
		pod             *corev1.Pod
		reason, message string
	}{
		"a port that is taken": {onPort(pod("default", "b"), 8080), "NodePorts",
			"Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"},
		"more than there is": {requests(pod("default", "b"), corev1.ResourceCPU, "5"), "OutOfcpu",
			"Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000"},
	} {
		t.Run(name, func(t *testing.T) {
			running(t, lab.Options{Nodes: 1}, func(f fixture) {
				f.create(onPort(pod("default", "a"), 8080))
				test.pod.Spec.NodeName = "node-1" // past the scheduler
				f.create(test.pod)
				status := f.pods("default")[1].Status
				require.Equal(t, corev1.PodFailed, status.Phase)
				assert.Equal(t, test.reason, status.Reason)
				assert.Equal(t, "Pod was rejected: "+test.message, status.Message)
				assert.Equal(t, []string{test.message}, f.told(test.reason))
			})
		})
	}
}

func TestWithAPlacementOfOnesOwnTheLabsIsNotThere(t *testing.T) {
	opts := lab.Options{Nodes: 2, Placement: []lab.OfCluster{
		func(s *controlloop.System) *controlloop.Controller {
			return kubelet.NewFirstCome(s, "node-2")
		}}}
	running(t, opts, func(f fixture) {
		f.create(pod("default", "a"))
		f.create(pod("default", "b"))
		assert.Equal(t, "node-2 node-2", f.at("a")+" "+f.at("b"))
	})
}
