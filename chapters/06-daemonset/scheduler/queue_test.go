package scheduler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/internal/kubetest"
)

// bindings are the Pods that got a node, in the order in which they did.
func bindings(c *kubetest.Cluster) (names []string) {
	for _, w := range c.Writes() {
		pod, ok := w.Object.(*corev1.Pod)
		if ok && w.Old != nil && w.Old.(*corev1.Pod).Spec.NodeName != pod.Spec.NodeName {
			names = append(names, pod.Name)
		}
	}
	return names
}

func TestTheMostImportantGoesFirstThenWhoHasWaitedLongest(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		c.Settle() // from here on it hears of one after the other
		kubetest.Create(c, server("a"))
		for _, pod := range []*corev1.Pod{
			guest("z"), guest("y", important(5)), guest("b"), guest("a", important(7)), guest("c", important(5)),
		} {
			kubetest.Create(c, pod)
		}
		c.Settle()
		assert.Equal(t, []string{"a", "y", "c", "z", "b"}, bindings(c))
	})
}

// They come a minute apart, and then there is a node for all of them.
func TestOfPodsOfOnePriorityTheOneThatHasWaitedLongestGoesFirst(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		for _, pod := range []*corev1.Pod{
			guest("z"), guest("b"), guest("y", important(5)), guest("a"),
		} {
			kubetest.Create(c, pod)
			c.Advance(time.Minute)
		}
		kubetest.Create(c, server("a"))
		c.Settle()
		assert.Equal(t, []string{"y", "z", "b", "a"}, bindings(c))
	})
}

func TestTheWaitDoublesUpToTenSeconds(t *testing.T) {
	var waits []string
	for n := range 6 {
		waits = append(waits, scheduler.BackoffFor(n+1).String())
	}
	assert.Equal(t, []string{"1s", "2s", "4s", "8s", "10s", "10s"}, waits)
}

func tries(c *kubetest.Cluster, count *int) {
	c.Controller("scheduler").Reconciler.(*scheduler.Scheduler).OnDecision =
		func(scheduler.Decision) { *count++ }
}

// One of several that wait is deleted: the others are scheduled.
func TestAPodThatIsGoneLeavesTheQueueAndNoOtherDoes(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		c.Settle()
		for _, name := range []string{"p", "q", "r", "s"} {
			kubetest.Create(c, guest(name))
		}
		c.DeletePod("r", kubetest.Grace(0))
		c.Settle()
		assert.Equal(t, "p@a q@a s@a", where(c))
	})
}

// Of all that happens, only what may help a Pod has it scheduled again.
func TestAPodIsTriedAgainWhenItMayHelp(t *testing.T) {
	for name, given := range map[string]struct {
		pod   *corev1.Pod
		event func(c *kubetest.Cluster)
		tried bool
	}{
		"another node of the same kind": {guest("p", requesting("cpu=9")),
			func(c *kubetest.Cluster) { kubetest.Create(c, server("b")) }, false},
		"a node that is large enough": {guest("p", requesting("cpu=9")),
			func(c *kubetest.Cluster) { kubetest.Create(c, server("b", having("cpu=9 pods=1"))) }, true},
		"a node that grows": {guest("p", requesting("cpu=9")),
			func(c *kubetest.Cluster) { grow(c, "a", "cpu=9 pods=10") }, true},
		"a node that has GPUs now": {guest("p", requesting("example.com/gpu=1")),
			func(c *kubetest.Cluster) { grow(c, "a", "cpu=4 memory=8Gi pods=10 example.com/gpu=2") }, true},
		"a heartbeat": {guest("p", requesting("cpu=9")), func(c *kubetest.Cluster) {
			grow(c, "a", "cpu=4 memory=8Gi pods=10")
		}, false},
		"a Pod that leaves": {guest("p", requesting("cpu=4")),
			func(c *kubetest.Cluster) { c.DeletePod("there", kubetest.Grace(0)) }, true},
		"a Pod that leaves, and affinity": {guest("p", selecting("disk", "ssd")),
			func(c *kubetest.Cluster) { c.DeletePod("there", kubetest.Grace(0)) }, false},
		"a label": {guest("p", selecting("disk", "ssd")), func(c *kubetest.Cluster) {
			kubetest.Edit(c, server("a"), withLabel("disk", "ssd"))
		}, true},
		"another label": {guest("p", selecting("disk", "ssd")), func(c *kubetest.Cluster) {
			kubetest.Edit(c, server("a"), withLabel("disk", "hdd"))
		}, false},
		"a toleration": {guest("p", requesting("cpu=9")), func(c *kubetest.Cluster) {
			kubetest.Edit(c, guest("p"), withTolerations(corev1.Toleration{Key: "x", Operator: exists}))
		}, true},
		"one that is wanted near": {guest("p", near(zoneKey, labels("app", "web"))),
			func(c *kubetest.Cluster) { kubetest.Create(c, guest("web", placedOn("a"))) }, true},
		"one that the scheduler brings": {guest("p", near(zoneKey, labels("app", "web"))),
			func(c *kubetest.Cluster) { kubetest.Create(c, guest("web")) }, true},
		"one that is not": {guest("p", near(zoneKey, labels("app", "web"))),
			func(c *kubetest.Cluster) { kubetest.Create(c, guest("db", placedOn("a"))) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			scheduled(t, func(c *kubetest.Cluster) {
				kubetest.Create(c, server("a", inZone("1")))
				kubetest.Create(c, guest("there", placedOn("a"), requesting("cpu=1")))
				kubetest.Create(c, given.pod)
				c.Settle()
				require.NotEmpty(t, why(c, "p"))
				count := 0
				c.Controller("scheduler").Reconciler.(*scheduler.Scheduler).OnDecision =
					func(d scheduler.Decision) {
						if d.Pod.Name == "p" {
							count++
						}
					}
				c.Advance(11 * time.Second)
				given.event(c)
				c.Advance(11 * time.Second)
				assert.Equal(t, given.tried, count > 0, why(c, "p"))
			})
		})
	}
}

func TestAPodForWhichThereIsNoSlotIsTriedAgainWhenThereIsOneMore(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a", having("cpu=4 memory=8Gi pods=1")))
		kubetest.Create(c, guest("there", placedOn("a")))
		kubetest.Create(c, guest("p"))
		c.Settle()
		require.Contains(t, why(c, "p"), "Too many pods")
		c.Advance(11 * time.Second)
		grow(c, "a", "cpu=4 memory=8Gi pods=2")
		c.Settle()
		assert.Equal(t, "p@a there@a", where(c))
	})
}

// A Pod that wants others to be spread need not be one of them. Whose Pods come
// and go matters, and not what it is itself.
func TestAPodThatWaitsForOthersToBeSpreadIsTriedAgainWhenOneOfThoseLeaves(t *testing.T) {
	for _, own := range []string{"web", "job"} {
		scheduled(t, func(c *kubetest.Cluster) {
			kubetest.Create(c, server("a", inZone("1")))
			for _, there := range []string{"web-1", "web-2", "db-1"} {
				name, _, _ := strings.Cut(there, "-")
				kubetest.Create(c, guest(there, app(name), placedOn("a")))
			}
			kubetest.Create(c, guest("p", app(own), spreading(zoneKey, 1,
				func(s *corev1.TopologySpreadConstraint) {
					s.MinDomains, s.LabelSelector = new(int32(2)), &metav1.LabelSelector{MatchLabels: labels("app", "web")}
				})))
			c.Settle()
			require.Contains(t, why(c, "p"), "topology spread", own)
			count := 0
			tries(c, &count)
			c.Advance(11 * time.Second)
			c.DeletePod("db-1", kubetest.Grace(0))
			c.Advance(11 * time.Second)
			assert.Zero(t, count, "%s: another app's does not count", own)
			c.DeletePod("web-1", kubetest.Grace(0))
			c.Advance(11 * time.Second)
			assert.Equal(t, 1, count, own)
		})
	}
}

func grow(c *kubetest.Cluster, name, to string) {
	n := controlloop.Copy(kubetest.Get(c, server(name)))
	having(to)(n)
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady,
		Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}}
	if _, err := c.Store.UpdateStatus(context.Background(), n); err != nil {
		panic(err)
	}
}

// What is not understood to help may help all the same.
func TestNobodyIsParkedForMoreThanFiveMinutes(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, guest("p", requesting("cpu=9")))
		c.Settle()
		count := 0
		tries(c, &count)
		c.Advance(4*time.Minute + 59*time.Second)
		assert.Zero(t, count)
		c.Advance(2 * time.Second)
		assert.Equal(t, 1, count)
		c.Advance(5 * time.Minute)
		assert.Equal(t, 2, count)
		assert.Len(t, c.Events(), 1, "nothing new was to be told")
	})
}

func TestAGateOrAnotherSchedulerKeepsAPodOutOfTheQueue(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		p := guest("p")
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "quota"}}
		kubetest.Create(c, p)
		other := guest("q")
		other.Spec.SchedulerName = "mine"
		kubetest.Create(c, other)
		c.Settle()
		assert.Equal(t, "p@ q@", where(c))
		assert.Empty(t, c.Events())
	})
}

func TestWithoutNodesAPodWaitsForTheFirst(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, guest("p"))
		c.Settle()
		assert.Equal(t, "no nodes available to schedule pods", why(c, "p"))
		assert.Equal(t, []string{"Warning FailedScheduling default-scheduler: " +
			"no nodes available to schedule pods"}, c.Events())
		kubetest.Create(c, server("a"))
		c.Advance(time.Second)
		assert.Equal(t, "p@a", where(c))
	})
}

func TestAPodThatIsAimedAtANodeThatIsGoneIsToldSo(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		aim := func(name string) podChange {
			return requiring(nodeTerm{MatchFields: []requirement{rule(nameField, in, name)}})
		}
		kubetest.Create(c, server("a", having("cpu=1 pods=10")))
		kubetest.Create(c, server("b"))
		kubetest.Create(c, guest("p", aim("c")))
		kubetest.Create(c, guest("q", aim("a"), requesting("cpu=2")))
		both := requiring(nodeTerm{MatchFields: []requirement{rule(nameField, in, "a"), rule(nameField, in, "b")}})
		kubetest.Create(c, guest("r", both))
		c.Settle()
		const inVain = " preemption: 0/2 nodes are available: " +
			"2 Preemption is not helpful for scheduling."
		assert.Equal(t, "0/2 nodes are available: "+
			"2 node(s) didn't satisfy plugin(s) [NodeAffinity]."+inVain, why(c, "p"))
		assert.Equal(t, "0/2 nodes are available: 1 Insufficient cpu, "+
			"1 node(s) didn't satisfy plugin(s) [NodeAffinity]."+inVain, why(c, "q"))
		assert.Equal(t, "0/2 nodes are available: pod affinity terms conflict."+inVain, why(c, "r"))
	})
}

// Another is faster, twice: the Pod gets its node all the same.
func TestAConflictIsNotTheEnd(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, guest("p"))
		s := c.Controller("scheduler").Reconciler.(*scheduler.Scheduler)
		s.OnDecision = func(scheduler.Decision) {
			kubetest.Edit(c, guest("p"), func(p *corev1.Pod) { p.Labels["seen"] = "yes" })
		}
		c.Settle()
		assert.Equal(t, "p@a", where(c))
		assert.Equal(t, "yes", c.Pod("p").Labels["seen"])
	})
}

// Another scheduler is faster: the Pod stays where that has put it.
func TestAPodThatGotItsNodeMeanwhileKeepsIt(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, server("b"))
		kubetest.Create(c, guest("p", requesting("cpu=4")))
		s := c.Controller("scheduler").Reconciler.(*scheduler.Scheduler)
		s.OnDecision = func(scheduler.Decision) {
			s.OnDecision = nil
			c.Bind(guest("p"), "b")
		}
		c.Settle()
		kubetest.Create(c, guest("q", requesting("cpu=4")))
		c.Settle()
		assert.Equal(t, "p@b q@a", where(c))
	})
}

// A node comes while the Pod is told that there is none for it.
func TestWhatHappensDuringATurnIsNotMissed(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		once := sync.OnceFunc(func() {
			kubetest.Create(c, server("b", having("cpu=9 pods=10")))
			time.Sleep(time.Second) // until the scheduler has heard of it
		})
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update status" {
				once()
			}
			return nil
		})
		c.Run()
		kubetest.Create(c, guest("p", requesting("cpu=9")))
		c.Advance(5 * time.Second)
		assert.Equal(t, "p@b", where(c))
	})
}

// A Pod that goes while its node is chosen leaves nothing behind.
func TestThePlaceOfAPodThatWentIsFree(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, guest("p", requesting("cpu=4")))
		s := c.Controller("scheduler").Reconciler.(*scheduler.Scheduler)
		s.OnDecision = func(scheduler.Decision) {
			s.OnDecision = nil
			c.DeletePod("p", kubetest.Grace(0))
		}
		c.Settle()
		kubetest.Create(c, guest("q", requesting("cpu=4")))
		c.Advance(time.Second)
		assert.Equal(t, "q@a", where(c))
	})
}

// The write fails once: the Pod is tried again, and its place is not kept.
func TestAWriteThatFailsGivesThePlaceBack(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		c.Client.FailNth("bind", 1)
		kubetest.Create(c, guest("p", requesting("cpu=2")))
		c.Settle()
		require.Equal(t, "p@", where(c))
		require.True(t, c.Told(kubetest.ErrFailedOnce))
		kubetest.Create(c, guest("q", requesting("cpu=3")))
		c.Settle()
		assert.Equal(t, "p@ q@a", where(c))
		c.DeletePod("q", kubetest.Grace(0))
		c.Advance(time.Second)
		assert.Equal(t, "p@a", where(c))
	})
}

func TestASchedulerThatRunsPlacesAllAndOverbooksNothing(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		c.Run()
		for i := range 5 {
			kubetest.Create(c, server(fmt.Sprint("node-", i)))
		}
		for i := range 60 {
			kubetest.Create(c, guest(fmt.Sprintf("p-%02d", i), requesting("cpu=500m")))
		}
		c.Settle()
		assert.Len(t, bindings(c), 40, "eight on each of five")
		for i := range 40 {
			c.DeletePod(bindings(c)[i], kubetest.Grace(0))
		}
		c.Advance(time.Minute)
		c.Stop()
		assert.Len(t, bindings(c), 60)
		placed := slices.Sorted(slices.Values(bindings(c)))
		assert.Len(t, slices.Compact(placed), 60, "each once")
	})
}

func TestADecisionSaysWhatWasSaidOfEachNode(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, server("b"))
		kubetest.Create(c, server("c", unschedulable))
		kubetest.Create(c, guest("there", placedOn("a"), requesting("cpu=2 memory=4Gi")))
		var got []scheduler.Decision
		c.Controller("scheduler").Reconciler.(*scheduler.Scheduler).OnDecision =
			func(d scheduler.Decision) { got = append(got, d) }
		kubetest.Create(c, guest("p", requesting("cpu=1 memory=1Gi")))
		c.Settle()
		require.Len(t, got, 1)
		assert.Equal(t, "b", got[0].Node)
		require.Len(t, got[0].Said, 3)
		said := got[0].Said
		assert.Equal(t, "NodeUnschedulable", said[2].Refusal.Filter)
		assert.Equal(t, scheduler.Points{Score: "NodeResourcesFit", Points: 31, Weight: 1}, said[0].Points[2])
		assert.Equal(t, scheduler.Points{Score: "NodeResourcesFit", Points: 81, Weight: 1}, said[1].Points[2])
		assert.Greater(t, said[1].Sum, said[0].Sum)
	})
}
