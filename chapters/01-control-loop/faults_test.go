package controlloop_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// story is what happens to a ReplicationController: three Pods, one, two, and
// one of them deleted. Whatever goes wrong meanwhile, it ends in the same way.
func story(t *testing.T, c *kubetest.Cluster) {
	t.Helper()
	for _, chapter := range []func(){
		func() {
			kubetest.Create(c, kubetest.ReplicationController("web", 3,
				kubetest.Container("nginx", kubetest.Nginx)))
		},
		func() { c.Scale("web", 1) },
		func() { c.Scale("web", 2) },
		func() {
			require.NotEmpty(t, c.Pods(), "there is no Pod to delete")
			c.DeletePod(c.Pods()[0].Name)
		},
	} {
		chapter()
		c.Advance(2 * time.Second)
		if c.Crashed() {
			c.Restart()
			c.Advance(2 * time.Second)
		}
	}
}

func storyteller(seed uint64) kubetest.Setup {
	return kubetest.Setup{
		Controllers: []kubetest.Controller{controlloop.NewReplication},
		Nodes:       2,
		Seed:        seed,
		Invariants:  []kubetest.Invariant{kubetest.NeverTooMany},
	}
}

// theEnd is how the story ends when nothing goes wrong, and how many writes,
// events and notifications it takes.
type theEnd struct {
	shape                         string
	writes, events, notifications int
}

func tell(t *testing.T) (end theEnd) {
	t.Helper()
	in(t, storyteller(0), func(c *kubetest.Cluster) {
		story(t, c)
		end = theEnd{c.Shape(), c.Client.Writes(), c.Client.Events(), c.Notifications()}
		require.Len(t, c.Pods(), 2)
		require.Equal(t, 2, readyPods(c))
		assertQuiet(t, c)
	})
	t.Logf("%d writes, %d events, %d notifications",
		end.writes, end.events, end.notifications)
	require.Greater(t, end.writes, 30)
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
		if !assert.Equal(t, end.shape, c.Shape(), what) {
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
				if c.Shape() != end.shape {
					late++
				}
				resync(c)
				c.Advance(2 * time.Second)
			})
	}
	t.Logf("%d of %d were healed by the resync alone", late, end.notifications)
	assert.NotZero(t, late, "nothing was lost that anybody missed")
}

func TestSameFinalStateWhenTheControllerStopsAfterAnyOneWrite(t *testing.T) {
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

func TestWhatFailsIsTriedAgainLaterAndLater(t *testing.T) {
	setup := storyteller(0)
	setup.Nodes = 0
	in(t, setup, func(c *kubetest.Cluster) {
		var tries []time.Duration
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "create" {
				return nil
			}
			tries = append(tries, c.Elapsed())
			if len(tries) == 6 {
				return nil
			}
			return apierrors.NewForbidden(corev1.Resource("pods"), "", errors.New("exceeded quota"))
		})
		var told []string
		c.Controller("replication").OnError = func(key controlloop.Key, err error) {
			told = append(told, err.Error())
		}
		kubetest.Create(c, kubetest.ReplicationController("web", 1))
		c.Advance(time.Minute)
		ms := time.Millisecond
		assert.Equal(t, []time.Duration{0, 5 * ms, 15 * ms, 35 * ms, 75 * ms, 155 * ms}, tries)
		require.Len(t, told, 5)
		assert.Equal(t, `create a pod of default/web: pods is forbidden: exceeded quota`, told[0])
		assert.Len(t, c.Pods(), 1)
	})
}

// Everything at once, for the race detector: three nodes, five controllers,
// somebody who cannot decide, and connections that break.
func TestManyControllersRunningAtOnceEndInTheRightState(t *testing.T) {
	t.Parallel()
	setup := storyteller(0)
	setup.Nodes, setup.Invariants = 3, nil
	in(t, setup, func(c *kubetest.Cluster) {
		r := newRandom(t, 5)
		c.Run()
		want := map[string]int{}
		for i := range 5 {
			name := fmt.Sprintf("rc-%d", i)
			kubetest.Create(c, kubetest.ReplicationController(name, 1))
		}
		for range 60 {
			name := fmt.Sprintf("rc-%d", r.IntN(5))
			want[name] = r.IntN(8)
			c.Scale(name, int32(want[name]))
			if pods := c.Pods(); len(pods) > 0 && r.IntN(3) == 0 {
				err := c.Store.Delete(t.Context(), controlloop.PodKind,
					controlloop.KeyOf(pods[r.IntN(len(pods))]), kubetest.Grace(int64(r.IntN(2))))
				require.True(t, err == nil || apierrors.IsNotFound(err), "%v", err)
			}
			if r.IntN(10) == 0 {
				c.Client.BreakWatches(io.ErrUnexpectedEOF)
			}
			c.Advance(time.Duration(r.IntN(1500)) * time.Millisecond)
		}
		c.Advance(2 * time.Minute)
		have := map[string]int{}
		for _, pod := range c.Pods() {
			assert.True(t, kubetest.Ready(pod), pod.Name)
			have[pod.OwnerReferences[0].Name]++
		}
		for name, n := range want {
			assert.Equal(t, n, have[name], name)
			rc := kubetest.Get(c, kubetest.ReplicationController(name, 0))
			assert.EqualValues(t, n, rc.Status.ReadyReplicas, name)
		}
		c.Stop()
		synctest.Wait()
		assertQuiet(t, c)
	})
}
