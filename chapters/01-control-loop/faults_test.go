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

// story is the life of a ReplicationController: three Pods, one, two, and one
// of them deleted. Whatever goes wrong meanwhile, it ends in the same way.
var story = kubetest.Story{
	Setup: kubetest.Setup{
		Controllers: []kubetest.Controller{controlloop.NewReplication},
		Nodes:       2,
		Invariants:  []kubetest.Invariant{kubetest.NeverTooMany},
	},
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, kubetest.ReplicationController("web", 3,
				kubetest.Container("nginx", kubetest.Nginx)))
		},
		func(_ *testing.T, c *kubetest.Cluster) { c.Scale("web", 1) },
		func(_ *testing.T, c *kubetest.Cluster) { c.Scale("web", 2) },
		func(t *testing.T, c *kubetest.Cluster) {
			require.NotEmpty(t, c.Pods(), "there is no Pod to delete")
			c.DeletePod(c.Pods()[0].Name)
		},
	},
	Rest: func(_ *testing.T, c *kubetest.Cluster) { c.Advance(2 * time.Second) },
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Len(t, c.Pods(), 2)
		require.Equal(t, 2, readyPods(c))
		require.Greater(t, c.Client.Writes(), 30)
	},
	Quiet: 2 * time.Second,
}

func TestSameFinalStateWhenAConnectionBreaksAtAnyEvent(t *testing.T) { story.ConnectionBroken(t) }

func TestSameFinalStateWhenTheStoreHasForgottenAnEvent(t *testing.T) { story.VersionForgotten(t) }

func TestSameFinalStateWhenAnyOneEventIsDropped(t *testing.T) { story.EventDropped(t) }

func TestSameFinalStateWhenTheControllerStopsAfterAnyOneWrite(t *testing.T) {
	story.StoppedAtAnyWrite(t)
}

func TestSameFinalStateInAnyOrderOfSteps(t *testing.T) { story.AnyOrder(t) }

func TestSameFinalStateWhenOneKindIsHeardOfLate(t *testing.T) { story.EachKindLate(t) }

func TestSameFinalStateWithAllOfItAtOnce(t *testing.T) { story.AllAtOnce(t) }

// Every call of a client can fail, and then is reported and tried again.
func TestAnyCallMayFailOnce(t *testing.T) { story.AnyCallFails(t) }

func TestWhatFailsIsTriedAgainLaterAndLater(t *testing.T) {
	setup := story.Setup
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

// Everything at once, for the race detector: three nodes, five controllers, a
// user who cannot decide, and connections that break.
func TestManyControllersRunningAtOnceEndInTheRightState(t *testing.T) {
	t.Parallel()
	setup := story.Setup
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
		c.AssertQuiet(2 * time.Second)
	})
}
