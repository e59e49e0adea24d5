package node_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/node"
	"reconcile/internal/kubetest"
)

func taint(key string, effect corev1.TaintEffect) corev1.Taint {
	return corev1.Taint{Key: key, Effect: effect}
}

// under is a node's taints by which Pods go.
func under(keys ...string) (taints []corev1.Taint) {
	for _, key := range keys {
		taints = append(taints, taint(key, corev1.TaintEffectNoExecute))
	}
	return taints
}

// endures tolerates a key for so long, or without an end.
func endures(key string, seconds ...int64) corev1.Toleration {
	t := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
	for _, s := range seconds {
		t.TolerationSeconds = &s
	}
	return t
}

const forever = time.Duration(1<<63 - 1)

// stays says how long a Pod that tolerates so much stays under some taints.
func stays(taints []corev1.Taint, by []corev1.Toleration) string {
	return inWords(node.Stay(taints, by))
}

func inWords(d time.Duration) string {
	if d == forever {
		return "forever"
	}
	return d.String()
}

//book:exercise 6c
func TestAPodStaysForTheShortestOfItsTimes(t *testing.T) {
	for name, test := range map[string]struct {
		taints []corev1.Taint
		by     []corev1.Toleration
		want   time.Duration
	}{
		"one": {under("a"), []corev1.Toleration{endures("a", 300)}, 5 * time.Minute},
		"the second is shorter": {under("a", "b"),
			[]corev1.Toleration{endures("a", 300), endures("b", 60)}, time.Minute},
		"the first is shorter": {under("a", "b"),
			[]corev1.Toleration{endures("a", 60), endures("b", 300)}, time.Minute},
		"one for both": {under("a", "b"), []corev1.Toleration{endures("", 30)}, 30 * time.Second},
		"one has no end": {under("a", "b"),
			[]corev1.Toleration{endures("a"), endures("b", 60)}, time.Minute},
		"a short one about nothing here": {under("a"),
			[]corev1.Toleration{endures("b", 1), endures("a", 300)}, 5 * time.Minute},
		"a hundred years": {under("a"), []corev1.Toleration{endures("a", 100*365*86400)},
			100 * 365 * 24 * time.Hour},
		"none at all":    {under("a"), []corev1.Toleration{endures("a", 0)}, 0},
		"less than none": {under("a"), []corev1.Toleration{endures("a", -5)}, 0},
		"less, and forever": {under("a", "b"),
			[]corev1.Toleration{endures("a", -5), endures("b")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, inWords(test.want), stays(test.taints, test.by), name)
		})
	}
}

//book:exercise 6c
func TestAPodStaysForeverWhereNothingSetsAnEnd(t *testing.T) {
	for name, test := range map[string]struct {
		taints []corev1.Taint
		by     []corev1.Toleration
	}{
		"no taint":                 {nil, nil},
		"no taint, and a time":     {nil, []corev1.Toleration{endures("a", 0)}},
		"tolerated without an end": {under("a", "b"), []corev1.Toleration{endures("")}},
		"taints that only keep away": {[]corev1.Taint{
			taint("a", corev1.TaintEffectNoSchedule),
			taint("b", corev1.TaintEffectPreferNoSchedule),
		}, nil},
		"keep away, and a time": {[]corev1.Taint{
			taint("a", corev1.TaintEffectNoSchedule),
		}, []corev1.Toleration{endures("a", 10)}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, "forever", stays(test.taints, test.by), name)
		})
	}
}

//book:exercise 6c
func TestAPodLeavesAtOnceWhatItDoesNotTolerate(t *testing.T) {
	for name, test := range map[string]struct {
		taints []corev1.Taint
		by     []corev1.Toleration
	}{
		"nothing":          {under("a"), nil},
		"one of two":       {under("a", "b"), []corev1.Toleration{endures("a", 300)}},
		"the other of two": {under("a", "b"), []corev1.Toleration{endures("b")}},
		"behind one that keeps away": {append([]corev1.Taint{
			taint("b", corev1.TaintEffectNoSchedule)}, under("a")...), nil},
		"for another effect": {under("a"), []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}},
	} {
		t.Run(name, func(t *testing.T) {
			anything := []corev1.Toleration{endures("")}
			require.Equal(t, "forever", stays(test.taints, anything), "everything is tolerated")
			assert.Equal(t, "0s", stays(test.taints, test.by), name)
		})
	}
}

//book:exercise 6c
func TestOfTwoTolerationsForOneTaintTheFirstCounts(t *testing.T) {
	assert.Equal(t, "forever", stays(under("a"),
		[]corev1.Toleration{endures("a"), endures("a", 60)}), "the first has no end")
	assert.Equal(t, "5m0s", stays(under("a"),
		[]corev1.Toleration{endures("a", 300), endures("", 60)}), "the second is shorter")
	assert.Equal(t, "1m0s", stays(under("a"),
		[]corev1.Toleration{endures("", 60), endures("a", 300)}), "the second is about this taint only")
}

// put has a node have these taints besides its others.
func put(c *kubetest.Cluster, node string, taints ...corev1.Taint) {
	kubetest.Edit(c, nodeNamed(c, node), func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, taints...)
	})
	c.Settle()
}

func takeOff(c *kubetest.Cluster, node string) {
	kubetest.Edit(c, nodeNamed(c, node), func(n *corev1.Node) { n.Spec.Taints = nil })
	c.Settle()
}

// look is how long after a node has fallen silent it is looked at whether it is
// the only one.
const look = 100 * time.Millisecond

func TestAPodIsEvictedFromASilentNodeAtTheSecond(t *testing.T) {
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		kubetest.Create(c, podWith("short", hosted("node-2"), tolerating(30)))
		kubetest.Create(c, podWith("long", hosted("node-2"), tolerating(300)))
		kubetest.Create(c, podWith("always", hosted("node-2"), func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		}))
		c.Advance(20 * time.Second)
		x.pull("node-2")
		c.Advance(80*time.Second + look - time.Nanosecond)
		assert.Empty(t, departing(c))
		c.Advance(time.Nanosecond)
		assert.Equal(t, "short", departing(c))
		assert.Equal(t, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason:             "DeletionByTaintManager",
			Message:            "Taint manager: deleting due to NoExecute taint",
			LastTransitionTime: kubetest.Condition(c.Pod("short"), corev1.DisruptionTarget).LastTransitionTime,
			ObservedGeneration: 1,
		}, kubetest.Condition(c.Pod("short"), corev1.DisruptionTarget))
		c.Advance(270*time.Second - time.Nanosecond)
		assert.Equal(t, "short", departing(c))
		c.Advance(time.Nanosecond)
		assert.Equal(t, "long short", departing(c))
		c.Advance(time.Hour)
		assert.Equal(t, "long short", departing(c))
		assert.Equal(t, []string{
			"Normal TaintManagerEviction taint-eviction-controller: Marking for deletion Pod default/short",
			"Normal TaintManagerEviction taint-eviction-controller: Marking for deletion Pod default/long",
		}, saidOf(c, "TaintManagerEviction"))
	})
}

func TestAPodThatDoesNotTolerateATaintGoesAtOnce(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, podWith("web", hosted("node-1")))
		c.Advance(20 * time.Second)
		put(c, "node-1", under("example.com/fire")...)
		assert.Empty(t, pods(c))
		kubetest.Create(c, podWith("late", hosted("node-1")))
		c.Settle()
		assert.Empty(t, pods(c), "as does one that comes to be there now")
	})
}

func TestATaintThatIsTakenOffInTimeEvictsNobody(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, podWith("web", hosted("node-1"), func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{endures("example.com/fire", 60)}
		}))
		put(c, "node-1", under("example.com/fire")...)
		c.Advance(59 * time.Second)
		takeOff(c, "node-1")
		c.Advance(time.Minute)
		assert.Equal(t, "web", pods(c))
		put(c, "node-1", under("example.com/fire")...)
		c.Advance(59 * time.Second)
		assert.Equal(t, "web", pods(c), "its time begins anew")
		c.Advance(time.Second)
		assert.Empty(t, pods(c))
	})
}

// Kubernetes asks how long a Pod may stay when the first taint comes, and lets
// that stand.
func TestASecondTaintChangesNothingForAPodThatToleratesBoth(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, podWith("web", hosted("node-1"), func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{endures("a", 100), endures("b", 10)}
		}))
		put(c, "node-1", under("a")...)
		c.Advance(50 * time.Second)
		put(c, "node-1", under("b")...)
		c.Advance(49 * time.Second)
		assert.Equal(t, "web", pods(c))
		c.Advance(time.Second)
		assert.Empty(t, pods(c))
	})
}

func TestAfterARestartTheTimeOfAPodBeginsAnew(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, podWith("web", hosted("node-1"), func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{endures("a", 100)}
		}))
		put(c, "node-1", under("a")...)
		c.Advance(50 * time.Second)
		c.Restart()
		c.Advance(99 * time.Second)
		assert.Equal(t, "web", pods(c))
		c.Advance(time.Second)
		assert.Empty(t, pods(c))
	})
}

// The name is the same, and the Pod is another.
func TestAPodIsNotEvictedForItsPredecessor(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		web := podWith("web", hosted("node-1"), func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{endures("a", 100)}
		})
		kubetest.Create(c, web)
		put(c, "node-1", under("a")...)
		c.Advance(90 * time.Second)
		c.DeletePod("web", kubetest.Grace(0))
		kubetest.Create(c, web)
		c.Advance(99 * time.Second)
		require.Equal(t, "web", pods(c))
		assert.Len(t, saidOf(c, "Cancelling deletion of Pod default/web"), 1)
		c.Advance(time.Second)
		assert.Empty(t, pods(c))
	})
}

// beforehand has something happen before a node is read.
type beforehand struct {
	controlloop.Client
	before func()
}

func (b *beforehand) Get(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	if kind == controlloop.NodeKind && b.before != nil {
		before := b.before
		b.before = nil
		before()
	}
	return b.Client.Get(ctx, kind, key)
}

func TestWhatTheStoreSaysOfATaintCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, between := newCables(), &beforehand{}
		setup := living(1, x)
		setup.Controllers[1] = func(s *controlloop.System) *controlloop.Controller {
			between.Client, s.Client = s.Client, between
			defer func() { s.Client = between.Client }()
			return node.NewTaintEviction(s)
		}
		c := kubetest.New(t, setup)
		c.Settle()
		kubetest.Create(c, podWith("web", hosted("node-1"), func(pod *corev1.Pod) {
			pod.Spec.Tolerations = []corev1.Toleration{endures("b", 300)}
		}))
		c.Settle()
		between.before = func() {
			kubetest.Edit(c, nodeNamed(c, "node-1"), func(n *corev1.Node) {
				n.Spec.Taints = under("b")
			})
		}
		put(c, "node-1", under("a")...)
		require.Nil(t, between.before, "it has asked")
		c.Advance(300*time.Second - time.Nanosecond)
		assert.Equal(t, "web", pods(c))
		c.Advance(time.Nanosecond)
		assert.Empty(t, pods(c))
	})
}
