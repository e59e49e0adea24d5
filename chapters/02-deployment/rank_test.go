package deployment_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// noon is some time on some day; a Pod of these tests is an hour old by then.
var noon = time.Date(2025, time.June, 2, 12, 0, 0, 0, time.UTC)

// serving returns a Pod that has been ready for half an hour, and is as useful
// as a Pod can be, changed by change.
func serving(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	pod := kubetest.Pod(name)
	pod.Spec.NodeName = "node-1"
	pod.CreationTimestamp = metav1.NewTime(noon.Add(-time.Hour))
	pod.Status.Phase = corev1.PodRunning
	readySince(30 * time.Minute)(pod)
	restarted(0)(pod)
	for _, f := range change {
		f(pod)
	}
	return pod
}

func onNode(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeName = name }
}

func phase(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Phase = phase }
}

func readySince(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(noon.Add(-d)),
		}}
	}
}

func unready(p *corev1.Pod) {
	p.Status.Conditions[0].Status = corev1.ConditionFalse
}

func cost(cost string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Annotations = map[string]string{corev1.PodDeletionCost: cost}
	}
}

func restarted(times ...int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = nil
		for _, n := range times {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses,
				corev1.ContainerStatus{RestartCount: n})
		}
	}
}

func aged(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(noon.Add(-d)) }
}

// Three of the Pods are on node-2, one on node-1.
var crowd = map[string]int{"node-1": 1, "node-2": 3, "node-3": 4}

// reasons holds the criteria in their order: a is of less use than b by this
// one.
var reasons = []struct {
	name string
	a, b func(*corev1.Pod)
}{
	{"on no node before on one", onNode(""), onNode("node-1")},
	{"pending before running", phase(corev1.PodPending), phase(corev1.PodRunning)},
	{"unready before ready", unready, readySince(time.Hour)},
	{"cheap before dear", cost("-5"), cost("10")},
	{"crowded before alone", onNode("node-2"), onNode("node-1")},
	{"ready of late before ready for long", readySince(time.Minute), readySince(time.Hour)},
	{"restarted often before seldom", restarted(0, 7), restarted(3, 3)},
	{"young before old", aged(time.Minute), aged(24 * time.Hour)},
	{"by name in the end", func(p *corev1.Pod) { p.Name = "a" }, func(p *corev1.Pod) { p.Name = "b" }},
}

// less asserts that a goes before b, whichever is asked about first.
func less(t *testing.T, a, b *corev1.Pod) {
	t.Helper()
	assert.Negative(t, deployment.CompareUse(a, b, crowd), "%s goes first", a.Name)
	assert.Positive(t, deployment.CompareUse(b, a, crowd), "%s goes first", a.Name)
}

//book:exercise 2d
func TestCompareUseHasAReasonAfterTheOther(t *testing.T) {
	for _, r := range reasons {
		t.Run(r.name, func(t *testing.T) {
			less(t, serving("web", r.a), serving("web", r.b))
		})
	}
}

// Each reason decides against all that come after it.
//
//book:exercise 2d
func TestCompareUseDecidesByTheFirstReasonThatTellsTwoApart(t *testing.T) {
	for i, first := range reasons {
		for _, later := range reasons[i+1:] {
			if first.name == "on no node before on one" && later.name == "crowded before alone" {
				continue // a Pod on no node is in no crowd
			}
			t.Run(first.name+", not "+later.name, func(t *testing.T) {
				less(t, serving("web", later.b, first.a), serving("web", later.a, first.b))
			})
		}
	}
}

//book:exercise 2d
func TestCompareUseKnowsWhatIsNotSaid(t *testing.T) {
	less(t, serving("a", cost("-1")), serving("b"))
	less(t, serving("b"), serving("a", cost("1")))
	less(t, serving("a", cost("many")), serving("b")) // no number costs nothing
	less(t, serving("a", phase(corev1.PodPending)), serving("b", phase(corev1.PodUnknown)))
	less(t, serving("b", phase(corev1.PodUnknown)), serving("a", phase(corev1.PodRunning)))
	less(t, serving("b", restarted(0, 2, 0)), serving("a", restarted()))
	less(t, serving("b", onNode("node-3")), serving("a", onNode("node-2")))
	less(t, serving("b", cost("-2147483648")), serving("a", cost("2147483647")))
}

// anyPod returns one of a few thousand Pods, so that many are nearly alike.
func anyPod(r *rand.Rand) *corev1.Pod {
	nodes := []string{"", "node-1", "node-2"}
	phases := []corev1.PodPhase{corev1.PodPending, corev1.PodUnknown, corev1.PodRunning}
	pod := serving("web-"+strconv.Itoa(r.IntN(1000)),
		onNode(nodes[r.IntN(3)]), phase(phases[r.IntN(3)]),
		readySince(time.Duration(r.IntN(2))*time.Minute),
		aged(time.Duration(r.IntN(2))*time.Hour), restarted(int32(r.IntN(2))))
	if r.IntN(2) == 0 {
		unready(pod)
	}
	if r.IntN(3) == 0 {
		cost(strconv.Itoa(r.IntN(2)))(pod)
	}
	return pod
}

// A sort needs an order: of any two one is first, of any three it fits together.
func TestCompareUseIsATotalOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for range 20_000 {
		a, b, c := anyPod(r), anyPod(r), anyPod(r)
		ab, bc, ac := deployment.CompareUse(a, b, crowd),
			deployment.CompareUse(b, c, crowd), deployment.CompareUse(a, c, crowd)
		require.Equal(t, -ab, deployment.CompareUse(b, a, crowd))
		require.Zero(t, deployment.CompareUse(a, a, crowd))
		if a.Name != b.Name {
			require.NotZero(t, ab, "%s and %s", a.Name, b.Name)
		}
		if ab <= 0 && bc <= 0 {
			require.LessOrEqual(t, ac, 0, "%s, %s, %s", a.Name, b.Name, c.Name)
		}
	}
}

func TestTheLeastUsefulAreTheSameInWhateverOrderTheyAreListed(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	var pods []*corev1.Pod
	for i := range 30 {
		pod := anyPod(r)
		pod.Name = "web-" + strconv.Itoa(i)
		pods = append(pods, pod)
	}
	want := deployment.LeastUseful(pods, pods, 10)
	for range 20 {
		shuffled := slices.Clone(pods)
		r.Shuffle(len(pods), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		before := slices.Clone(shuffled)
		require.Equal(t, want, deployment.LeastUseful(shuffled, pods, 10))
		require.Equal(t, before, shuffled, "the list belongs to a cache")
	}
	assert.Len(t, deployment.LeastUseful(pods, pods, 100), 30)
}

func TestTheLeastUsefulAreThoseThatSortingAllWouldPutFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	var pods []*corev1.Pod
	for i := range 200 {
		pod := anyPod(r)
		pod.Name = "web-" + strconv.Itoa(i)
		pods = append(pods, pod)
	}
	nobody := map[string]int{}
	sorted := slices.SortedFunc(slices.Values(pods), func(a, b *corev1.Pod) int {
		return deployment.CompareUse(a, b, nobody)
	})
	for _, n := range []int{1, 2, 50, 199, 200, 500} {
		require.Equal(t, sorted[:min(n, 200)], deployment.LeastUseful(pods, nil, n))
	}
	assert.Empty(t, deployment.LeastUseful(pods, nil, 0))
}

// Pods that have ended, or are about to, crowd no other.
func TestOnlyActivePodsMakeACrowd(t *testing.T) {
	a := serving("a", onNode("node-1"))
	b := serving("b", onNode("node-2"))
	gone := serving("gone", onNode("node-1"), phase(corev1.PodFailed))
	leaving := serving("leaving", onNode("node-1"), func(p *corev1.Pod) {
		p.DeletionTimestamp = new(metav1.NewTime(noon))
	})
	other := serving("other", onNode("node-2"))
	first := deployment.LeastUseful([]*corev1.Pod{a, b},
		[]*corev1.Pod{a, b, gone, leaving, other}, 1)
	assert.Equal(t, []*corev1.Pod{b}, first)
}
