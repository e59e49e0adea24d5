package lab_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

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

// at is the name of the node that a Pod of "default" is on.
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

// told are the texts of the events with a reason.
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

func TestAPodThatFitsNowhereIsToldWhyAndIsPlacedWhenItFits(t *testing.T) {
	running(t, lab.Options{Nodes: 3}, func(f fixture) {
		node := f.node("node-3")
		node.Spec.Unschedulable = true
		f.update(node)
		p := requests(pod("default", "big"), corev1.ResourceCPU, "3")
		p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
		f.create(p)
		assert.Empty(t, f.at("big"))
		why := "0/3 nodes are available: 1 node(s) were unschedulable, " +
			"2 node(s) didn't match Pod's node affinity/selector."
		condition := f.pods("default")[0].Status.Conditions[0]
		assert.Equal(t, "PodScheduled False Unschedulable: "+why, fmt.Sprintf("%s %s %s: %s",
			condition.Type, condition.Status, condition.Reason, condition.Message))
		assert.Equal(t, []string{why}, f.told("FailedScheduling"))
		node = f.node("node-2")
		node.Labels["disk"] = "ssd"
		f.update(node)
		assert.Equal(t, "node-2", f.at("big"))
	})
}

func TestWhatIsTakenOfANodeIsNotGivenTwice(t *testing.T) {
	for name, test := range map[string]struct {
		first, second *corev1.Pod
		why           string
	}{
		"CPU": {requests(pod("default", "a"), corev1.ResourceCPU, "3"),
			requests(pod("default", "b"), corev1.ResourceCPU, "1500m"),
			"0/1 nodes are available: 1 Insufficient cpu."},
		"memory": {requests(pod("default", "a"), corev1.ResourceMemory, "5Gi"),
			requests(pod("default", "b"), corev1.ResourceMemory, "5Gi"),
			"0/1 nodes are available: 1 Insufficient memory."},
		"ports": {onPort(pod("default", "a"), 8080), onPort(pod("default", "b"), 8080),
			"0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."},
	} {
		t.Run(name, func(t *testing.T) {
			running(t, lab.Options{Nodes: 1}, func(f fixture) {
				f.create(test.first)
				f.create(test.second)
				assert.Equal(t, "node-1", f.at("a"))
				assert.Empty(t, f.at("b"))
				assert.Equal(t, []string{test.why}, f.told("FailedScheduling"))
				f.delete(controlloop.PodKind, "default", "a")
				assert.Equal(t, "node-1", f.at("b"), "what has gone makes room")
			})
		})
	}
}

func TestANodeTakesAsManyPodsAsItSays(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		rc := three("default")
		rc.Spec.Replicas = new(int32(112))
		f.create(rc)
		placed := 0
		for _, p := range f.pods("default") {
			if p.Spec.NodeName != "" {
				placed++
			}
		}
		assert.Equal(t, 110, placed)
		assert.Contains(t, f.told("FailedScheduling"),
			"0/1 nodes are available: 1 Too many pods.")
	})
}

// This is how a DaemonSet says where its Pod belongs.
func TestAPodGoesWhereItsNodeAffinitySays(t *testing.T) {
	running(t, lab.Options{Nodes: 3}, func(f fixture) {
		p := pod("default", "daemon")
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchFields: []corev1.NodeSelectorRequirement{{
						Key: "metadata.name", Operator: corev1.NodeSelectorOpIn,
						Values: []string{"node-3"},
					}},
				}},
			},
		}}
		f.create(p)
		assert.Equal(t, "node-3", f.at("daemon"))
	})
}

func TestAPodOfAnotherSchedulerIsLeftAlone(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := pod("default", "mine")
		p.Spec.SchedulerName = "mine"
		f.create(p)
		assert.Empty(t, f.at("mine"))
		assert.Empty(t, f.told("FailedScheduling"))
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
			return controlloop.NewFirstCome(s, "node-2")
		}}}
	running(t, opts, func(f fixture) {
		f.create(pod("default", "a"))
		f.create(pod("default", "b"))
		assert.Equal(t, "node-2 node-2", f.at("a")+" "+f.at("b"))
	})
}
