package deployment_test

import (
	"fmt"
	"io"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"reconcile/internal/kubetest"
)

// The story: there are two Deployments. One is scaled up, given another
// template, and scaled down; the other is deleted, in the foreground. Between
// two chapters everything comes to rest. A process that has crashed is started
// again then.
func story(t *testing.T, c *kubetest.Cluster) {
	t.Helper()
	web, other := recreated("web", 2), recreated("other", 1)
	for _, chapter := range []func(){
		func() {
			kubetest.Create(c, web)
			kubetest.Create(c, other)
		},
		func() { scale(c, web, 3) },
		func() { setImage(c, web, "nginx:1.28") },
		func() { scale(c, web, 1) },
		func() { remove(t, c, other, foreground) },
	} {
		chapter()
		rest(t, c)
	}
}

// rest lets controllers and nodes do what there is to do.
func rest(t *testing.T, c *kubetest.Cluster) {
	t.Helper()
	for busy := true; busy; {
		c.Advance(3 * time.Second)
		if busy = c.Crashed(); busy {
			c.Restart()
		}
		busy = serve(t, c) || busy
	}
}

// serve does what the nodes do, in the test's own hands: a new Pod is bound and
// becomes ready, one that was told to end is gone. It reports whether there was
// anything to do.
func serve(t *testing.T, c *kubetest.Cluster) (busy bool) {
	t.Helper()
	for _, pod := range c.Pods() {
		switch {
		case pod.DeletionTimestamp != nil:
			c.DeletePod(pod.Name, kubetest.Grace(0))
		case pod.Spec.NodeName == "":
			kubetest.Edit(c, pod, func(p *corev1.Pod) { p.Spec.NodeName = "node-1" })
			setStatus(t, c, pod, func(p *corev1.Pod) {
				p.Status.Phase = corev1.PodRunning
				p.Status.Conditions = []corev1.PodCondition{{
					Type: corev1.PodReady, Status: corev1.ConditionTrue,
				}}
			})
		default:
			continue
		}
		busy = true
	}
	return busy
}

func storyteller(seed uint64) kubetest.Setup {
	return kubetest.Setup{
		Kinds: kinds(), Seed: seed, Controllers: everything.Controllers,
		Invariants: []kubetest.Invariant{neverTooMany, neverBoth},
	}
}

// theEnd is how the story ends when nothing goes wrong, and how many writes,
// events and notifications it takes.
type theEnd struct {
	shape                         string
	writes, events, notifications int
}

// shape is the state of the cluster, but for one word. A controller that dies
// between creating a ReplicaSet and saying so leaves a Deployment whose
// condition Progressing speaks of the ReplicaSet before, for good: here, and in
// Kubernetes (isCompleteDeployment in pkg/controller/deployment/progress.go).
func shape(c *kubetest.Cluster) string {
	return progressed.ReplaceAllString(c.Shape(), "one has successfully progressed")
}

var progressed = regexp.MustCompile(`ReplicaSet \\"web-\w+\\" has successfully progressed`)

func tell(t *testing.T) (end theEnd) {
	t.Helper()
	in(t, storyteller(0), func(c *kubetest.Cluster) {
		story(t, c)
		end = theEnd{shape(c), c.Client.Writes(), c.Client.Events(), c.Notifications()}
		require.Equal(t, map[string]int{"nginx:1.28": 1}, images(c))
		require.Equal(t, 1, readyPods(c))
		require.Len(t, sets(c), 2)
		assertQuiet(t, c)
	})
	t.Logf("%d writes, %d events, %d notifications",
		end.writes, end.events, end.notifications)
	require.Greater(t, end.writes, 40)
	return end
}

// assertSameEnd tells the story again, with something that goes wrong.
func assertSameEnd(
	t *testing.T, end theEnd, seed uint64, what string,
	wrong func(c *kubetest.Cluster), heal ...func(c *kubetest.Cluster),
) {
	t.Helper()
	in(t, storyteller(seed), func(c *kubetest.Cluster) {
		wrong(c)
		story(t, c)
		for _, h := range heal {
			h(c)
		}
		if !assert.Equal(t, end.shape, shape(c), what) {
			t.FailNow() // the others will say the same
		}
		assertQuiet(t, c)
		require.False(t, t.Failed(), what)
	})
}

func TestSameFinalStateWhenAConnectionBreaksAtAnyEvent(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for j := 1; j <= end.events; j++ {
		assertSameEnd(t, end, 0, fmt.Sprintf("broken before event %d", j),
			func(c *kubetest.Cluster) {
				c.Client.BreakWatchAtEvent(j, kubetest.Before, io.ErrUnexpectedEOF)
			})
	}
}

func TestSameFinalStateWhenTheStoreHasForgottenAnEvent(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for j := 1; j <= end.events; j += 3 {
		assertSameEnd(t, end, 0, fmt.Sprintf("410 in the place of event %d", j),
			func(c *kubetest.Cluster) {
				c.Client.BreakWatchAtEvent(j, kubetest.Before,
					apierrors.NewResourceExpired("too old resource version"))
			})
	}
}

func TestSameFinalStateWhenAnyOneEventIsDropped(t *testing.T) {
	t.Parallel()
	end := tell(t)
	late := 0
	for j := 1; j <= end.notifications; j++ {
		assertSameEnd(t, end, 0, fmt.Sprintf("notification %d was lost", j),
			func(c *kubetest.Cluster) { c.LoseNotification(j) },
			func(c *kubetest.Cluster) {
				if shape(c) != end.shape {
					late++
				}
				resync(c)
				rest(t, c)
			})
	}
	t.Logf("%d of %d were healed by the resync alone", late, end.notifications)
	assert.NotZero(t, late, "nothing was lost that anybody missed")
}

func TestSameFinalStateWhenTheControllersStopAtAnyOneWrite(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for k := 1; k <= end.writes; k++ {
		for _, when := range []kubetest.When{kubetest.Before, kubetest.After} {
			assertSameEnd(t, end, 0, fmt.Sprintf("stopped %s write %d", when, k),
				func(c *kubetest.Cluster) { c.Client.CrashAtWrite(k, when) })
		}
	}
}

func TestSameFinalStateInAnyOrderOfSteps(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for seed := range uint64(60) {
		assertSameEnd(t, end, seed+1, fmt.Sprintf("seed %d", seed+1),
			func(*kubetest.Cluster) {})
	}
}

func TestSameFinalStateWithAllOfItAtOnce(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for seed := range uint64(20) {
		k, j := 1+int(seed*7)%end.writes, 1+int(seed*11)%end.events
		assertSameEnd(t, end, seed+1, fmt.Sprintf("seed %d", seed+1),
			func(c *kubetest.Cluster) {
				c.Client.CrashAtWrite(k, kubetest.After)
				c.Client.BreakWatchAtEvent(j, kubetest.Before, io.ErrUnexpectedEOF)
			})
	}
}

// Every call of a client can fail, and then is tried again.
func TestAnyCallMayFailOnce(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for _, verb := range []string{
		"list", "watch", "create", "update", "update status", "delete",
	} {
		for nth := 1; nth <= 5; nth++ {
			var failed func() bool
			assertSameEnd(t, end, 0, fmt.Sprintf("%s fails the %dth time", verb, nth),
				func(c *kubetest.Cluster) { failed = c.Client.FailNth(verb, nth) })
			assert.True(t, failed(), "there is no %dth %s", nth, verb)
		}
	}
}
