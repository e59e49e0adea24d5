package kubetest

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

func replicating(t *testing.T, test func(c *Cluster)) {
	synctest.Test(t, func(t *testing.T) {
		c := New(t, Setup{Controllers: []Controller{controlloop.NewReplication}})
		Create(c, ReplicationController("web", 3))
		test(c)
	})
}

func TestACrashStrikesBeforeOrAfterAWriteTakesEffect(t *testing.T) {
	for when, want := range map[When]int{Before: 1, After: 2} {
		replicating(t, func(c *Cluster) {
			c.Client.CrashAtWrite(2, when)
			c.Settle()
			assert.True(t, c.Crashed())
			assert.Len(t, c.Pods(), want, when)
			c.Settle()
			assert.Len(t, c.Pods(), want, "who has crashed does nothing more")
			_, err := c.Client.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
			assert.ErrorIs(t, err, errCrashed)
			c.Restart()
			c.Settle()
			assert.False(t, c.Crashed())
			assert.Len(t, c.Pods(), 3)
		})
	}
}

func TestAWatchBreaksBeforeOrAfterAnEvent(t *testing.T) {
	for when, want := range map[When]int{Before: 0, After: 1} {
		synctest.Test(t, func(t *testing.T) {
			c := New(t, Setup{})
			c.Client.BreakWatchAtEvent(1, when, io.ErrUnexpectedEOF)
			w, err := c.Client.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
			require.NoError(t, err)
			Create(c, Pod("a"))
			Create(c, Pod("b"))
			delivered := 0
			for {
				_, ok, err := w.TryNext()
				if err != nil {
					assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
					break
				}
				require.True(t, ok)
				delivered++
			}
			assert.Equal(t, want, delivered, when)
			_, err = w.Next(t.Context())
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "it stays broken")
		})
	}
}

func TestAWatchThatWaitsLearnsThatItIsBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(t, Setup{})
		w, err := c.Client.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		ended := make(chan error)
		go func() {
			_, err := w.Next(t.Context())
			ended <- err
		}()
		synctest.Wait()
		c.Client.BreakWatches(io.ErrUnexpectedEOF)
		assert.ErrorIs(t, <-ended, io.ErrUnexpectedEOF)
	})
}

func TestACallThatFailsHasNoEffect(t *testing.T) {
	replicating(t, func(c *Cluster) {
		no := errors.New("no")
		c.Client.Fail(func(call Call) error {
			if call.Verb == "create" && call.Kind == controlloop.PodKind {
				return no
			}
			return nil
		})
		var told error
		c.Controller("replication").OnError = func(_ controlloop.Key, err error) { told = err }
		c.Settle()
		assert.ErrorIs(t, told, no)
		assert.Empty(t, c.Pods())
	})
}

func TestAnEventThatIsLateArrivesInItsTime(t *testing.T) {
	replicating(t, func(c *Cluster) {
		c.Settle()
		c.Client.Late(time.Second)
		c.Scale("web", 5)
		c.Advance(999 * time.Millisecond)
		assert.Len(t, c.Pods(), 3)
		c.Advance(time.Millisecond)
		assert.Len(t, c.Pods(), 5)
	})
}

func TestAWriteWhoseAnswerIsLostIsMade(t *testing.T) {
	replicating(t, func(c *Cluster) {
		lost := 0
		c.Client.LoseAnswers(func(call Call) bool {
			lost++
			return lost == 1 && call.Verb == "create"
		})
		c.Advance(time.Minute)
		assert.True(t, c.Told(ErrFailedOnce), "its author learns of no success")
		assert.Len(t, c.Pods(), 3)
	})
}

func TestANotificationThatIsLostIsNotHeardOfAgain(t *testing.T) {
	replicating(t, func(c *Cluster) {
		c.LoseNotification(1) // the ReplicationController's
		c.Settle()
		assert.Empty(t, c.Pods())
		assert.Equal(t, 1, c.Notifications())
		c.System.Informer(controlloop.RCKind, controlloop.ListOptions{}).Resync()
		c.Settle()
		assert.Len(t, c.Pods(), 3)
	})
}

func TestAShapeLeavesOutNamesAndTimesAndNothingElse(t *testing.T) {
	shape := func(change func(*corev1.Pod)) (shape string) {
		synctest.Test(t, func(t *testing.T) {
			c := New(t, Setup{})
			pod := Pod("")
			pod.GenerateName = "web-"
			change(pod)
			Create(c, pod)
			shape = c.Shape()
		})
		return shape
	}
	plain := shape(func(*corev1.Pod) {})
	assert.Equal(t, plain, shape(func(p *corev1.Pod) { p.Name = "web-other" }))
	assert.NotEqual(t, plain, shape(func(p *corev1.Pod) { p.Labels["app"] = "db" }))
	assert.NotEqual(t, plain, shape(func(p *corev1.Pod) { p.Spec.NodeName = "node-1" }))
}

// parallel is a Reconciler that creates its Pod in another goroutine.
type parallel struct {
	client controlloop.Client
	after  *int // the work that it does after the create
}

func (p parallel) Reconcile(
	ctx context.Context, _ controlloop.Key,
) (controlloop.Result, error) {
	created := make(chan error)
	go func() {
		_, err := p.client.Create(ctx, Pod("made"))
		created <- err
	}()
	if err := <-created; err != nil {
		*p.after++
		return controlloop.Result{}, err
	}
	return controlloop.Result{}, nil
}

func TestACrashInAGoroutineOfAControllerIsAnErrorThereAndEndsTheStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		after := 0
		c := New(t, Setup{Controllers: []Controller{
			func(s *controlloop.System) *controlloop.Controller {
				pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
				c := controlloop.NewController("parallel", parallel{s.Client, &after})
				s.Add(c)
				c.Watch(pods, controlloop.Self)
				return c
			},
		}})
		Create(c, Pod("first"))
		c.Client.CrashAtWrite(1, Before)
		c.Settle()
		assert.True(t, c.Crashed())
		assert.Equal(t, 1, after)
		c.Advance(time.Minute)
		assert.Equal(t, 1, after, "who has crashed does nothing more")
		assert.Len(t, c.Pods(), 1)
	})
}
