package statefulset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// Histories reach where no story does: a set of either policy and of any size,
// people who scale and delete at the worst moment, Pods that fail, lose their
// labels or do not come up, nodes that take their time, a controller that is
// killed after any write. The invariants are checked at every write; when all of
// this has ceased the set has to come to what is wanted, and then be still.
func TestRandomHistoriesKeepTheirOrderAndEndWell(t *testing.T) {
	kubetest.Histories(t, func(t *testing.T, n uint64) {
		live(t, n, ordered, func(*kubetest.Cluster, *rand.Rand) {})
	})
}

// The world goes on between the controller's look and its writes. The order that
// it keeps is that of what it saw, and all ends as well as ever.
func TestRandomHistoriesOfALateControllerKeepTheOrderThatItSaw(t *testing.T) {
	kubetest.Histories(t, func(t *testing.T, n uint64) {
		l := &late{}
		setup := ordered
		setup.Invariants = []kubetest.Invariant{neverTwoOfAName, l.inOrder}
		setup.Trace = l.trace
		live(t, n, setup, l.meddle)
	})
}

// late is how far a controller is behind.
type late struct {
	writes, seen int  // so far, and when it looked last
	byHand       bool // a write is not the controller's
}

func (l *late) trace(step controlloop.Step) {
	if step.Action == "reconcile" {
		l.seen = l.writes
	}
}

func (l *late) inOrder(w kubetest.Write, before []kubetest.Write) error {
	l.writes = len(before) + 1
	if l.byHand {
		return nil
	}
	return orderly(w, after(before[:l.seen]))
}

// meddle makes something happen before one in three of the writes that are
// about to be made.
func (l *late) meddle(c *kubetest.Cluster, random *rand.Rand) {
	c.Client.Fail(func(call kubetest.Call) error {
		if call.Kind == controlloop.PodKind && call.Verb != "list" &&
			call.Verb != "watch" && random.IntN(3) == 0 {
			l.byHand = true
			disturb(c, random)
			l.byHand = false
		}
		return nil
	})
}

func live(
	t *testing.T, n uint64, setup kubetest.Setup,
	meddle func(*kubetest.Cluster, *rand.Rand),
) {
	random := rand.New(rand.NewPCG(n, 4))
	setup.Seed = n
	setup.DetectMutations = false
	c := kubetest.New(t, setup)
	meddle(c, random)
	changes := []func(*appsv1.StatefulSet){from(int32(random.IntN(3)))}
	if random.IntN(3) == 0 {
		changes = append(changes, parallel)
	}
	if random.IntN(3) == 0 {
		changes = append(changes, patient(int32(1+random.IntN(20))))
	}
	kubetest.Create(c, web(int32(random.IntN(6)), changes...))
	for range 10 + random.IntN(20) {
		if random.IntN(8) == 0 {
			c.Client.CrashAtWrite(1+random.IntN(4), kubetest.When(random.IntN(2)))
		}
		disturb(c, random)
		c.Advance(time.Duration(random.IntN(15)) * time.Second)
		if random.IntN(3) > 0 {
			serve(c, fmt.Sprintf("web-%d", random.IntN(8)))
		}
		if c.Crashed() {
			c.Restart()
			meddle(c, random)
		}
	}
	c.Restart()
	for range 40 {
		heal(c)
		c.Advance(time.Minute)
		serve(c)
	}
	set := kubetest.Get(c, web(0))
	require.EqualValues(t, *set.Spec.Replicas, set.Status.AvailableReplicas, names(c))
	require.Equal(t, int(*set.Spec.Replicas), len(c.Pods()), names(c))
	c.AssertQuiet(time.Hour)
}

// disturb makes something happen.
func disturb(c *kubetest.Cluster, random *rand.Rand) {
	pods := c.Pods()
	if random.IntN(4) == 0 || len(pods) == 0 {
		scale(c, int32(random.IntN(6)))
		return
	}
	pod := pods[random.IntN(len(pods))]
	switch random.IntN(5) {
	case 0:
		c.DeletePod(pod.Name)
	case 1:
		c.DeletePod(pod.Name, kubetest.Grace(0))
	case 2:
		if pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			is(c, pod.Name, corev1.PodFailed, false)
		}
	case 3:
		if pod.Status.Phase == corev1.PodRunning {
			is(c, pod.Name, corev1.PodRunning, random.IntN(2) == 0)
		}
	case 4:
		kubetest.Edit(c, pod, func(p *corev1.Pod) {
			delete(p.Labels, appsv1.StatefulSetPodNameLabel)
		})
	}
}

// heal makes every running Pod ready. Those that have failed are deleted by
// hand: two of them that are both too many would hold each other for ever.
func heal(c *kubetest.Cluster) {
	for _, pod := range c.Pods() {
		if pod.Status.Phase == corev1.PodFailed {
			c.DeletePod(pod.Name)
		}
		if pod.Status.Phase == corev1.PodRunning && !kubetest.Ready(pod) {
			is(c, pod.Name, corev1.PodRunning, true)
		}
	}
}
