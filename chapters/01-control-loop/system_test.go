package controlloop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// order returns a controller of Pods that writes down which keys it gets.
func order(name string, seen *[]string) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := controlloop.NewController(name, reconciles(
			func(_ context.Context, key controlloop.Key) (controlloop.Result, error) {
				*seen = append(*seen, name+" "+key.Name)
				return controlloop.Result{}, nil
			}))
		s.Add(c)
		c.Watch(s.Informer(controlloop.PodKind, controlloop.ListOptions{}), controlloop.Self)
		return c
	}
}

func stepper(t *testing.T, seen *[]string) *controlloop.System {
	system := &controlloop.System{Client: newStore()}
	order("first", seen)(system)
	order("second", seen)(system)
	for _, name := range []string{"a", "b"} {
		mustCreate(t, system.Client.(*controlloop.Store), nginxPod(name))
	}
	return system
}

func TestAStepIsOneKeyOfOneController(t *testing.T) {
	var seen []string
	system := stepper(t, &seen)
	for n := range 4 {
		more, err := system.Step(t.Context(), controlloop.InOrder)
		require.NoError(t, err)
		assert.True(t, more)
		assert.Len(t, seen, n+1)
	}
	assert.Equal(t, []string{"first a", "first b", "second a", "second b"}, seen)
	more, err := system.Step(t.Context(), func(int) int {
		t.Error("there is nothing to choose from")
		return 0
	})
	require.NoError(t, err)
	assert.False(t, more)
}

func TestAStepTakesTheKeyThatIsChosen(t *testing.T) {
	var seen []string
	system := stepper(t, &seen)
	for _, choice := range []struct{ of, at int }{{4, 3}, {3, 1}, {2, 1}, {1, 0}} {
		_, err := system.Step(t.Context(), func(n int) int {
			assert.Equal(t, choice.of, n)
			return choice.at
		})
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"second b", "first b", "second a", "first a"}, seen)
}

func TestAStepSeesAllThatWasWrittenBefore(t *testing.T) {
	in(t, replicated, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.ReplicationController("web", 2))
		choose := func(n int) int { return n - 1 }
		pods := c.System.Informer(controlloop.PodKind, controlloop.ListOptions{})
		for {
			more, err := c.System.Step(t.Context(), choose)
			require.NoError(t, err)
			if !more {
				break
			}
			synctest.Wait()
		}
		list, err := c.Store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		assert.Equal(t, list.Items, pods.Cache.List())
	})
}

func TestAStepWithoutTheStoreIsAnError(t *testing.T) {
	client := kubetest.NewFaults(newStore())
	var seen []string
	system := &controlloop.System{Client: client}
	order("first", &seen)(system)
	refused := errors.New("connection refused")
	client.Fail(func(kubetest.Call) error { return refused })
	_, err := system.Step(t.Context(), controlloop.InOrder)
	assert.ErrorIs(t, err, refused)
}

func TestNextDueIsTheFirstOfAllControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := &controlloop.System{Client: newStore()}
		var seen []string
		first, second := order("first", &seen)(system), order("second", &seen)(system)
		third := order("third", &seen)(system)
		_, any := system.NextDue()
		assert.False(t, any)
		first.Queue.AddAfter(kubetest.Named("a"), 5*time.Second)
		second.Queue.AddAfter(kubetest.Named("b"), 3*time.Second)
		third.Queue.AddAfter(kubetest.Named("c"), 4*time.Second)
		due, any := system.NextDue()
		assert.True(t, any)
		assert.Equal(t, 3*time.Second, time.Until(due))
	})
}

// The same seed gives the same run, to the last byte of the last write.
func TestTwoRunsOfOneSeedAreTheSame(t *testing.T) {
	run := func(seed uint64) string {
		var log strings.Builder
		setup := story.Setup
		setup.Seed = seed
		in(t, setup, func(c *kubetest.Cluster) {
			story.Tell(t, c)
			for _, w := range c.Writes() {
				fmt.Fprintln(&log, w.At, w.Type, asJSON(t, w.Object))
			}
		})
		return log.String()
	}
	first, again, other := run(4), run(4), run(5)
	assert.True(t, first == again, "two runs of one seed differ")
	assert.False(t, first == other, "two seeds make no difference")
}

// The trace of one event is its way through all the parts, in order.
func TestATraceFollowsAnEventFromTheStoreToTheReconcile(t *testing.T) {
	var lanes []string
	var seen []string
	setup := kubetest.Setup{
		Controllers: []kubetest.Controller{order("test", &seen)},
		Trace: func(s controlloop.Step) {
			assert.Equal(t, kubetest.Named("web"), s.Key)
			lanes = append(lanes, s.Lane+": "+s.Action)
		},
	}
	in(t, setup, func(c *kubetest.Cluster) {
		c.Settle()
		kubetest.Create(c, kubetest.Pod("web"))
		c.Settle()
		assert.Equal(t, []string{
			"reflector: event", "fifo: Added", "cache: stored", "test queue: added",
			"test: reconcile",
		}, lanes)
	})
}

func TestRunAndStepEndInTheSameState(t *testing.T) {
	var stepped string
	in(t, story.Setup, func(c *kubetest.Cluster) {
		story.Tell(t, c)
		stepped = c.Shape()
	})
	in(t, story.Setup, func(c *kubetest.Cluster) {
		c.Run()
		story.Tell(t, c)
		assert.Equal(t, stepped, c.Shape())
		c.Stop()
		c.AssertQuiet(2 * time.Second)
	})
}

// Stopped and started again while everything runs, many times.
func TestControllersMayStopAndStartAtAnyTime(t *testing.T) {
	t.Parallel()
	setup := story.Setup
	setup.Invariants = nil
	in(t, setup, func(c *kubetest.Cluster) {
		r := newRandom(t, 9)
		kubetest.Create(c, kubetest.ReplicationController("web", 3))
		for range 30 {
			c.Run()
			c.Scale("web", int32(r.IntN(5)))
			time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
			c.Restart()
		}
		c.Scale("web", 3)
		c.Run()
		c.Advance(time.Minute)
		assert.Equal(t, 3, readyPods(c))
		assert.Len(t, c.Pods(), 3)
		for _, pod := range c.Pods() {
			assert.Zero(t, pod.Status.ContainerStatuses[0].RestartCount)
		}
		running := 0
		for _, node := range c.Nodes {
			running += len(node.Runtime.Sandboxes())
		}
		assert.Equal(t, 3, running, "what runs is what there is")
	})
}
