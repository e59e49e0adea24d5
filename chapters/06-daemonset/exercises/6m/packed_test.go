package packed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	packed "reconcile/chapters/06-daemonset/exercises/6m"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

func resources(cpu, memory string) corev1.ResourceList {
	list := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("50")}
	for name, amount := range map[corev1.ResourceName]string{
		corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory,
	} {
		if amount != "" {
			list[name] = resource.MustParse(amount)
		}
	}
	return list
}

func node(name, cpu, memory string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{corev1.LabelHostname: name},
		},
		Status: corev1.NodeStatus{Allocatable: resources(cpu, memory)},
	}
}

// pod is one that requests so much; on is where it is, "": nowhere yet.
func pod(name, on, cpu, memory string) *corev1.Pod {
	p := kubetest.Pod(name)
	p.Namespace, p.UID, p.Spec.NodeName = metav1.NamespaceDefault, types.UID(name), on
	requests := resources(cpu, memory)
	delete(requests, corev1.ResourcePods)
	p.Spec.Containers[0].Resources.Requests = requests
	return p
}

// rated is what finance's score, under whichever name, gives to the nodes: "a 100, b 50".
func rated(p *corev1.Pod, machines []*corev1.Node, pods ...*corev1.Pod) string {
	all := cache.NewNodes(machines, pods)
	nodes := all.List()
	points := make([]int64, len(nodes))
	for _, s := range packed.Scores() {
		stays := func(other scheduler.Score) bool { return other.Name == s.Name && s.Name != "NodeResourcesFit" }
		if !slices.ContainsFunc(plugins.Scores(), stays) {
			s.Rate(plugins.NewCycle(all, p), nodes, points)
		}
	}
	var said []string
	for i, n := range nodes {
		said = append(said, fmt.Sprintf("%s %d", n.Name, points[i]))
	}
	slices.Sort(said)
	return strings.Join(said, ", ")
}

// placing runs a test in a cluster whose scheduler has these scores, with nodes
// a, b and c of four CPUs and 8 GiB.
func placing(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{
			Kinds: controlloop.CoreKinds().With(deployment.Kinds()...).
				With(rollingupdate.Kinds()...).With(statefulset.Kinds()...).
				With(storage.Kinds()...).With(daemonset.Kinds()...).
				With(controlloop.Kind{
					GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Namespace"),
					Resource:         "namespaces",
					New:              func() controlloop.Object { return &corev1.Namespace{} },
				}),
			Controllers: []kubetest.Controller{
				func(s *controlloop.System) *controlloop.Controller {
					return plugins.NewSchedulerWith(s, packed.Scores())
				},
				deployment.NewReplicaSets,
			},
			PerNode: []kubetest.OfNode{}, DetectMutations: true,
		})
		for _, name := range []string{"a", "b", "c"} {
			kubetest.Create(c, node(name, "4", "8Gi"))
		}
		test(c)
	})
}

// where is how many Pods there are on each node: "b 3, c 1".
func where(c *kubetest.Cluster) string {
	on := map[string]int{}
	for _, p := range c.Pods() {
		on[p.Spec.NodeName]++
	}
	var all []string
	for name, n := range on {
		all = append(all, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func web(replicas int32, changes ...func(*corev1.PodSpec)) *appsv1.ReplicaSet {
	labels := map[string]string{"app": "web"}
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: metav1.NamespaceDefault, Name: "web",
	}}
	rs.Spec.Replicas = &replicas
	rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	rs.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("", "", "1", "2Gi").Spec,
	}
	for _, change := range changes {
		change(&rs.Spec.Template.Spec)
	}
	return rs
}

//book:exercise 6m
func TestTheFullestNodeThatFitsIsTaken(t *testing.T) {
	placing(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("there", "c", "2", "4Gi"))
		for i := range 5 {
			kubetest.Create(c, pod(fmt.Sprint("p-", i), "", "1", "2Gi"))
			c.Settle()
		}
		assert.Equal(t, "a 3, c 3", where(c), "c first, until it is full")
	})
}

//book:exercise 6m
func TestReplicasArePackedToo(t *testing.T) {
	placing(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("there", "b", "1", "2Gi"))
		kubetest.Create(c, web(3))
		c.Settle()
		assert.Equal(t, "b 4", where(c), "nobody has asked for them to be spread")
	})
}

//book:exercise 6m
func TestWhoAsksToBeSpreadIsSpread(t *testing.T) {
	placing(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("there", "b", "1", "2Gi"))
		kubetest.Create(c, web(3, func(spec *corev1.PodSpec) {
			spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: corev1.LabelHostname,
				WhenUnsatisfiable: corev1.ScheduleAnyway,
				LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			}}
		}))
		c.Settle()
		assert.Equal(t, "a 1, b 2, c 1", where(c))
	})
}

// Who says where it would rather be weighs more than who pays.
//
//book:exercise 6m
func TestAWishWeighsMoreThanTheBill(t *testing.T) {
	placing(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("there", "b", "2", "4Gi"))
		p := pod("p", "", "1", "2Gi")
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 1, Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{"c"},
					}},
				},
			}},
		}}
		kubetest.Create(c, p)
		c.Settle()
		assert.Equal(t, "c", kubetest.Get(c, p).Spec.NodeName)
	})
}

//book:exercise 6m
func TestTheShareThatIsTakenIsInHundredths(t *testing.T) {
	two := []*corev1.Node{node("a", "4", "8Gi"), node("b", "1", "2Gi")}
	assert.Equal(t, "a 25, b 100", rated(pod("p", "", "1", "2Gi"), two), "with the Pod on it")
	assert.Equal(t, "a 62, b 50", rated(pod("p", "", "500m", "1Gi"), two,
		pod("q", "a", "2", "4Gi")))
	assert.Equal(t, "a 37, b 75", rated(pod("p", "", "1", "1Gi"), two,
		pod("q", "a", "1", "1Gi")), "50 and 25 are 37, rounded down")
	assert.Equal(t, "a 31", rated(pod("p", "", "379m", "269Mi"), []*corev1.Node{node("a", "1", "1000Mi")}),
		"37.9 and 26.9 are 37 and 26, and these are 31")
	assert.Equal(t, "a 50, b 8", rated(pod("p", "", "125m", ""), []*corev1.Node{
		node("a", "250m", ""), node("b", "1500m", ""),
	}), "of a quarter of a CPU, and of one and a half")
}

// A Pod that says nothing is taken to take something, and may go where there is
// nothing left.
//
//book:exercise 6m
func TestNothingIsFullerThanFull(t *testing.T) {
	two := []*corev1.Node{node("a", "4", "8Gi"), node("b", "1", "2Gi")}
	assert.Equal(t, "a 2, b 100", rated(pod("p", "", "", ""), two, pod("q", "b", "1", "2Gi")))
	assert.Equal(t, "a 51, b 54", rated(pod("p", "", "", ""), two,
		pod("q", "a", "9", "0"), pod("r", "b", "2", "0")))
}

//book:exercise 6m
func TestWhatANodeHasNoneOfDoesNotCount(t *testing.T) {
	assert.Equal(t, "a 50, b 25, c 0, d 100, e 100", rated(pod("p", "", "1", "2Gi"), []*corev1.Node{
		node("a", "2", ""), node("b", "", "8Gi"), node("c", "", ""),
		node("d", "1m", ""), node("e", "", "1"),
	}))
}
