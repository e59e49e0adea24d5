package statefulset_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// Histories reach where no story does: a set of either policy and of any size,
// people who scale and delete at the worst moment, Pods that fail, lose their
// labels or do not come up, nodes that take their time, a controller that is
// killed after any write. The invariants are checked at every write; when all of
// this has ceased the set has to come to what is wanted, and then be still.
func TestRandomHistoriesKeepTheirOrderAndEndWell(t *testing.T) {
	kubetest.Histories(t, live)
}

func live(t *testing.T, n uint64) {
	random := rand.New(rand.NewPCG(n, 4))
	setup := ordered
	setup.Seed = n
	setup.DetectMutations = false
	c := kubetest.New(t, setup)
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
