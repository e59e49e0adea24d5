package kubelet_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// A container crashes every five seconds: every look of its kubelet, and the
// writes that follow.
//
//book:exercise 1l
func TestRunOfACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var c *kubetest.Cluster
		say := func(format string, args ...any) {
			fmt.Fprintf(&log, "%6s  %s\n", c.Elapsed(), fmt.Sprintf(format, args...))
		}
		setup := oneNode(simulated.Images{"app": kubetest.Exits(5*time.Second, 1)})
		setup.Trace = func(s controlloop.Step) {
			if s.Lane == "kubelet node-1" && s.Action == "reconcile" {
				say("the kubelet looks")
			}
		}
		setup.Invariants = []kubetest.Invariant{func(w kubetest.Write, _ []kubetest.Write) error {
			pod := w.Object.(*corev1.Pod)
			if w.Old != nil && equality.Semantic.DeepEqual(w.Old.(*corev1.Pod).Status, pod.Status) {
				return nil // not the kubelet's
			}
			for _, s := range pod.Status.ContainerStatuses {
				say("  and writes: %s, %d restarts", stateOf(s), s.RestartCount)
			}
			return nil
		}}
		c = kubetest.New(t, setup)
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("web", "app")))
		c.Advance(5 * time.Minute)
		say("somebody labels the Pod")
		kubetest.Edit(c, kubetest.Pod("web"), func(p *corev1.Pod) { p.Labels["seen"] = "yes" })
		c.Advance(10 * time.Second)
		kubetest.Recorded(t, "crash.txt", log.Bytes())
	})
}

//book:exercise 1l
func TestACrashedContainerIsStartedAgainWhenItHasWaited(t *testing.T) {
	images := simulated.Images{"app": kubetest.Exits(5*time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("web", "app")))
		c.Advance(12 * time.Second)
		require.Equal(t, "CrashLoopBackOff", stateOf(c.Pod("web").Status.ContainerStatuses[0]))
		c.Advance(10 * time.Second)
		status := c.Pod("web").Status.ContainerStatuses[0]
		assert.Equal(t, "Ready", stateOf(status), "ten seconds were to be waited")
		assert.EqualValues(t, 2, status.RestartCount)
	})
}

// Of two waits the sooner counts: a container that isn't started for five minutes
// keeps the kubelet from no probe of its neighbour.
func TestAProbeIsAskedWhileAnotherContainerWaitsToBeStarted(t *testing.T) {
	q := &questions{}
	images := simulated.Images{"app": q.program(), "crash": kubetest.Exits(time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := probedPod(kubetest.Exec("ready"))
		pod.Spec.Containers = append(pod.Spec.Containers, kubetest.Container("other", "crash"))
		kubetest.Create(c, pod)
		c.Advance(30 * time.Minute)
		asked := len(q.at)
		c.Advance(10 * time.Minute)
		assert.Len(t, q.at[asked:], 60, "ten minutes, and a probe each ten seconds")
	})
}

// And the other way round: a probe that is due in ten minutes keeps no neighbour
// waiting that may be started in ten seconds.
func TestAContainerIsStartedWhileAnotherWaitsForItsProbe(t *testing.T) {
	images := simulated.Images{"app": kubetest.Answers(func(context.Context, []string) int { return 0 }), "crash": kubetest.Exits(5*time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := probedPod(kubetest.Exec("ready"))
		pod.Spec.Containers[0].ReadinessProbe.PeriodSeconds = 600
		pod.Spec.Containers = append(pod.Spec.Containers, kubetest.Container("other", "crash"))
		kubetest.Create(c, pod)
		c.Advance(22 * time.Second)
		status := c.Pod("web").Status.ContainerStatuses[1]
		assert.EqualValues(t, 2, status.RestartCount,
			"starts after the first, in 22 seconds: it runs for five, is started at once, runs for five and waits for ten")
	})
}
