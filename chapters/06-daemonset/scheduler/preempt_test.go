package scheduler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// sentAway are the Pods that the scheduler has deleted.
func sentAway(c *kubetest.Cluster) string {
	var names []string
	for _, pod := range kubetest.All[*corev1.Pod](c, controlloop.PodKind) {
		if kubetest.Condition(pod, corev1.DisruptionTarget).Reason == "PreemptionByScheduler" {
			names = append(names, pod.Name)
		}
	}
	return strings.Join(names, " ")
}

// serving is a Pod that runs on a node since so many seconds.
func serving(name, node, requests string, priority int32, changes ...podChange) *corev1.Pod {
	p := guest(name, placedOn(node), requesting(requests), important(priority), both(changes...))
	p.Spec.TerminationGracePeriodSeconds = new(int64(30))
	return p
}

func since(c *kubetest.Cluster, name string, seconds int64) {
	p := controlloop.Copy(c.Pod(name))
	p.Status.StartTime = new(metav1.Unix(946684800-seconds, 0))
	if _, err := c.Store.UpdateStatus(context.Background(), p); err != nil {
		panic(err)
	}
}

func TestTheImportantTakeThePlaceOfTheLessImportant(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, serving("low", "a", "cpu=3", 1))
		kubetest.Create(c, serving("high", "a", "cpu=1", 100))
		c.Settle()
		p := kubetest.Create(c, guest("p", requesting("cpu=2"), important(10)))
		c.Settle()
		assert.Equal(t, "0/1 nodes are available: 1 Insufficient cpu. preemption: "+
			"found a potential placement for pod on node a, preempting 1 victims", why(c, "p"))
		assert.Equal(t, "a", c.Pod("p").Status.NominatedNodeName)
		low := c.Pod("low")
		assert.NotNil(t, low.DeletionTimestamp, "it has its grace")
		target := kubetest.Condition(low, corev1.DisruptionTarget)
		assert.Equal(t, corev1.ConditionTrue, target.Status)
		assert.Equal(t, "default-scheduler: preempting to accommodate a higher priority pod", target.Message)
		assert.Equal(t, []string{
			"Warning FailedScheduling default-scheduler: " + why(c, "p"),
			fmt.Sprintf("Normal Preempted default-scheduler: Preempted by pod %s on node a", p.UID),
		}, c.Events())

		writes := len(c.Writes())
		c.Resync()
		c.Advance(20 * time.Second)
		assert.Len(t, c.Writes(), writes, "it waits")
		c.DeletePod("low", kubetest.Grace(0))
		c.Advance(2 * time.Second)
		assert.Equal(t, "high@a p@a", where(c))
		assert.Empty(t, c.Pod("p").Status.NominatedNodeName)
	})
}

func TestTheRoomThatWasMadeIsKept(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, serving("low", "a", "cpu=2", 1))
		kubetest.Create(c, guest("p", requesting("cpu=3"), important(10)))
		c.Settle()
		require.Equal(t, "low", sentAway(c))
		kubetest.Create(c, guest("q", requesting("cpu=2"), important(5)))
		kubetest.Create(c, guest("r", requesting("cpu=1"), important(5)))
		c.Settle()
		assert.Equal(t, "low@a p@ q@ r@", where(c), "there is room for both, and it is promised")
		c.DeletePod("low", kubetest.Grace(0))
		c.Advance(15 * time.Second)
		assert.Equal(t, "p@a q@ r@a", where(c))
	})
}

// Who was promised a place may still go elsewhere: nobody is to rely on it.
func TestAPodIsNotNearOneThatIsNotThereYet(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, serving("low", "a", "cpu=2", 1))
		kubetest.Create(c, guest("p", requesting("cpu=3"), important(10)))
		c.Settle()
		require.Equal(t, "low", sentAway(c))
		kubetest.Create(c, guest("f", near(corev1.LabelHostname, labels("app", "p"))))
		c.Settle()
		assert.Equal(t, "f@ low@a p@", where(c))
		c.DeletePod("low", kubetest.Grace(0))
		c.Advance(15 * time.Second)
		assert.Equal(t, "f@a p@a", where(c))
	})
}

// There is room, but not beside the other.
func TestALessImportantPodKeepsNoneAway(t *testing.T) {
	for name, says := range map[string]struct{ low, p podChange }{
		"it is not wanted near":       {app("low"), apart(corev1.LabelHostname, labels("app", "low"))},
		"it wants the other not near": {apart(corev1.LabelHostname, labels("app", "p")), app("p")},
	} {
		scheduled(t, func(c *kubetest.Cluster) {
			kubetest.Create(c, server("a"))
			kubetest.Create(c, serving("low", "a", "cpu=1", 1, says.low))
			kubetest.Create(c, serving("far", "a", "cpu=1", 1, app("far")))
			kubetest.Create(c, guest("p", requesting("cpu=1"), important(10), says.p))
			c.Settle()
			assert.Equal(t, "low", sentAway(c), name)
			c.DeletePod("low", kubetest.Grace(0))
			c.Advance(15 * time.Second)
			assert.Equal(t, "far@a p@a", where(c), name)
		})
	}
}

func TestAPodIsTheFirstOfItsGroupWhereTheOnlyOtherIsSentAway(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a", inZone("1")))
		kubetest.Create(c, serving("low", "a", "cpu=2", 1, app("web")))
		kubetest.Create(c, guest("p", requesting("cpu=3"), important(10),
			app("web"), near(zoneKey, labels("app", "web"))))
		c.Settle()
		assert.Equal(t, "low", sentAway(c))
	})
}

func TestWhoNeverPreemptsWaits(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, serving("low", "a", "cpu=4", 1))
		p := guest("p", requesting("cpu=3"), important(10))
		p.Spec.PreemptionPolicy = new(corev1.PreemptNever)
		kubetest.Create(c, p)
		c.Settle()
		assert.Equal(t, "0/1 nodes are available: 1 Insufficient cpu. preemption: "+
			"not eligible due to preemptionPolicy=Never.", why(c, "p"))
		assert.Empty(t, sentAway(c))
	})
}

func TestAsImportantIsNotMoreImportant(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, server("b", withTaint("x", noSchedule)))
		kubetest.Create(c, serving("same", "a", "cpu=4", 10))
		kubetest.Create(c, guest("p", requesting("cpu=3"), important(10)))
		c.Settle()
		assert.Equal(t, "0/2 nodes are available: 1 Insufficient cpu, "+
			"1 node(s) had untolerated taint(s). preemption: 0/2 nodes are available: "+
			"1 No preemption victims found for incoming pod, "+
			"1 Preemption is not helpful for scheduling.", why(c, "p"))
	})
}

// It would not fit if they all left: so none has to.
func TestNobodyLeavesInVain(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, serving("low", "a", "cpu=1", 1))
		kubetest.Create(c, serving("high", "a", "cpu=3", 100))
		kubetest.Create(c, guest("p", requesting("cpu=2"), important(10)))
		c.Settle()
		assert.Equal(t, "0/1 nodes are available: 1 Insufficient cpu. preemption: "+
			"0/1 nodes are available: 1 Insufficient cpu.", why(c, "p"))
		assert.Empty(t, sentAway(c))
	})
}

// Of a node's Pods as few leave as can be, and the least important ones.
func TestTheLeastImportantLeaveAndNoMoreThanNeeded(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		for i, name := range []string{"l1", "l2", "l3", "l4"} {
			kubetest.Create(c, serving(name, "a", "cpu=1", int32(i+1)))
		}
		kubetest.Create(c, guest("p", requesting("cpu=2"), important(10)))
		c.Settle()
		assert.Equal(t, "l1 l2", sentAway(c))
	})
}

func TestOfTwoAsImportantTheYoungerLeaves(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		kubetest.Create(c, serving("new", "a", "cpu=2", 1))
		kubetest.Create(c, serving("old", "a", "cpu=2", 1))
		since(c, "new", 10)
		since(c, "old", 1000)
		kubetest.Create(c, guest("p", requesting("cpu=2"), important(10)))
		c.Settle()
		assert.Equal(t, "new", sentAway(c))
	})
}

func sparing(name, of string, allowed int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": of}},
		},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

// Which node it is: the rules one after the other, each where those before it
// leave two.
func TestTheNodeIsThatWhereTheLeastIsLost(t *testing.T) {
	for name, given := range map[string]struct {
		pods []*corev1.Pod
		left string
	}{
		"no budget is broken": {[]*corev1.Pod{
			serving("a1", "a", "cpu=4", 1, app("kept")), serving("b1", "b", "cpu=4", 5),
		}, "b1"},
		"the least important of the most important": {[]*corev1.Pod{
			serving("a1", "a", "cpu=4", 5),
			serving("b1", "b", "cpu=2", 4), serving("b2", "b", "cpu=2", 4),
		}, "b1 b2"},
		"the least sum": {[]*corev1.Pod{
			serving("a1", "a", "cpu=2", 5), serving("a2", "a", "cpu=2", 4),
			serving("b1", "b", "cpu=2", 5), serving("b2", "b", "cpu=2", 3),
		}, "b1 b2"},
		"the fewest": {[]*corev1.Pod{
			serving("a1", "a", "cpu=2", 5), serving("a2", "a", "cpu=2", 5),
			serving("b1", "b", "cpu=4", 5),
		}, "b1"},
		"the youngest": {[]*corev1.Pod{
			serving("a1", "a", "cpu=4", 5), serving("b1", "b", "cpu=4", 5),
		}, "b1"},
	} {
		t.Run(name, func(t *testing.T) {
			scheduled(t, func(c *kubetest.Cluster) {
				kubetest.Create(c, server("a"))
				kubetest.Create(c, server("b"))
				withStatus(c, sparing("kept", "kept", 0))
				for i, pod := range given.pods {
					kubetest.Create(c, pod)
					since(c, pod.Name, int64(1000-i))
				}
				c.Settle()
				kubetest.Create(c, guest("p", requesting("cpu=4"), important(10)))
				c.Settle()
				assert.Equal(t, given.left, sentAway(c))
			})
		})
	}
}

// Kubernetes takes either of them, a map says which.
func TestOfTwoNodesThatLoseAsMuchTheFirstByNameIsTaken(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		for _, name := range []string{"b", "a"} {
			kubetest.Create(c, server(name))
			kubetest.Create(c, serving(name+"1", name, "cpu=4", 5))
			since(c, name+"1", 1000)
		}
		c.Settle()
		kubetest.Create(c, guest("p", requesting("cpu=4"), important(10)))
		c.Settle()
		assert.Equal(t, "a1", sentAway(c))
	})
}

func withStatus(c *kubetest.Cluster, b *policyv1.PodDisruptionBudget) {
	stored := controlloop.Copy(kubetest.Create(c, b))
	stored.Status = b.Status
	if _, err := c.Store.UpdateStatus(context.Background(), stored); err != nil {
		panic(err)
	}
}

// Whom a budget keeps stays, if another can leave.
func TestThoseWhomABudgetKeepsComeBackFirst(t *testing.T) {
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("a"))
		withStatus(c, sparing("kept", "kept", 1))
		kubetest.Create(c, serving("k1", "a", "cpu=1", 1, app("kept")))
		kubetest.Create(c, serving("k2", "a", "cpu=1", 1, app("kept")))
		kubetest.Create(c, serving("other", "a", "cpu=2", 5))
		c.Settle()
		kubetest.Create(c, guest("p", requesting("cpu=1"), important(10)))
		c.Settle()
		assert.Equal(t, "k1", sentAway(c), "one may go")
		kubetest.Create(c, guest("q", requesting("cpu=2"), important(10)))
		c.Settle()
		assert.Equal(t, "k1 other", sentAway(c))
	})
}

// Cut short at any of its writes, it goes on where it was.
func TestACrashWhileRoomIsMadeIsSurvived(t *testing.T) {
	for k := 1; k <= 8; k++ {
		for _, when := range []kubetest.When{kubetest.Before, kubetest.After} {
			t.Run(fmt.Sprintf("%s write %d", when, k), func(t *testing.T) {
				scheduled(t, func(c *kubetest.Cluster) {
					kubetest.Create(c, server("a"))
					kubetest.Create(c, serving("l1", "a", "cpu=2", 1))
					kubetest.Create(c, serving("l2", "a", "cpu=2", 1))
					kubetest.Create(c, guest("p", requesting("cpu=4"), important(10)))
					c.Client.CrashAtWrite(k, when)
					for range 4 { // while one is about to go, no other is sent away
						c.Advance(12 * time.Second)
						if c.Crashed() {
							c.Restart()
							c.Advance(12 * time.Second)
						}
						for _, name := range strings.Fields(sentAway(c)) {
							c.DeletePod(name, kubetest.Grace(0))
						}
					}
					assert.Equal(t, "p@a", where(c))
				})
			})
		}
	}
}
