package controlloop_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// waits returns the first n delays of a key.
func waits(b *controlloop.Backoff[string], key string, n int) []time.Duration {
	var all []time.Duration
	for range n {
		all = append(all, b.Next(key))
	}
	return all
}

//book:exercise 1h
func TestBackoffDoublesUpToItsLimit(t *testing.T) {
	b := controlloop.NewBackoff[string](time.Second, 10*time.Second)
	assert.Equal(t, []time.Duration{
		1 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
		10 * time.Second, 10 * time.Second,
	}, waits(b, "web", 6))
	b = controlloop.NewBackoff[string](time.Minute, time.Second)
	assert.Equal(t, time.Second, b.Next("web"), "the limit holds for the first wait as well")
}

// A thousand doublings of anything are more than a time.Duration can hold. The
// overflow must not come out as a short wait, or as none.
//
//book:exercise 1h
func TestBackoffStaysAtItsLimitForEver(t *testing.T) {
	b := controlloop.NewBackoff[string](5*time.Millisecond, 1000*time.Second)
	for i, wait := range waits(b, "web", 1000) {
		if i >= 18 {
			require.Equal(t, 1000*time.Second, wait, "after %d failures", i+1)
		}
	}
}

//book:exercise 1h
func TestBackoffForgets(t *testing.T) {
	b := controlloop.NewBackoff[string](time.Second, time.Minute)
	waits(b, "web", 5)
	assert.Equal(t, time.Second, b.Next("db"), "one key pays for the failures of another")
	b.Forget("web")
	assert.Equal(t, time.Second, b.Next("web"), "a key that was forgotten starts over")
	assert.Equal(t, 2*time.Second, b.Next("db"), "a key was forgotten with another")
	b.Forget("web")
	b.Forget("never failed")
	assert.Equal(t, 1, controlloop.Counted(b), "keys in the map: keys come and go for years")
}

// script is a Reconciler that returns these errors, one a call, and
// notes when it was called.
type script struct {
	errs  []error
	after time.Duration // asked for by a success
	start time.Time
	calls []time.Duration
}

func (s *script) Reconcile(context.Context, controlloop.Key) (controlloop.Result, error) {
	s.calls = append(s.calls, time.Since(s.start))
	if len(s.errs) == 0 {
		return controlloop.Result{After: s.after}, nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	if err != nil {
		return controlloop.Result{}, err
	}
	return controlloop.Result{After: s.after}, nil
}

// stepFor steps a controller for so long in virtual time.
func stepFor(ctx context.Context, c *controlloop.Controller, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
		synctest.Wait()
		for c.Step(ctx, 0) {
		}
	}
}

//book:exercise 1h
func TestBackoffCountsAndForgetsWhenNobodyElseHasIt(t *testing.T) {
	b := controlloop.NewBackoff[string](time.Second, time.Minute)
	lock := controlloop.LockOfBackoff(b)
	assert.True(t, kubetest.Waits(lock, func() { b.Next("web") }), "Next does not wait for b.mu")
	assert.True(t, kubetest.Waits(lock, func() { b.Forget("web") }), "Forget does not wait for b.mu")
}

// Workers fail beside each other, and each failure counts.
//
//book:exercise 1h
func TestBackoffCountsWhatFailsAtTheSameTime(t *testing.T) {
	const workers, failures = 64, 3000
	b := controlloop.NewBackoff[int](time.Second, time.Minute)
	atOnce(workers, func(worker int) {
		for range failures {
			b.Next(0)
			b.Next(worker + 1)
			b.Forget(worker + 1)
		}
	})
	assert.Equal(t, workers*failures, b.Failures(0))
	for worker := range workers {
		assert.Zero(t, b.Failures(worker+1), "what has succeeded")
	}
}

// Two failures, then success: tried at once, after 5 ms, after 10 ms more.
//
//book:exercise 1h
func TestControllerTriesAgainLaterAndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{errs: []error{errors.New("no"), errors.New("still no")}, start: time.Now()}
		c := controlloop.NewController("test", s)
		c.Queue.Add(controlloop.Key{Name: "web"})
		stepFor(t.Context(), c, time.Second)
		assert.Equal(t, []time.Duration{0, 5 * time.Millisecond, 15 * time.Millisecond}, s.calls)
	})
}

// A key that has worked once has a clean slate: the next failure is a first
// one. That holds for a success that asks for another look, too.
//
//book:exercise 1h
func TestControllerForgetsFailuresAfterASuccess(t *testing.T) {
	for _, after := range []time.Duration{0, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			no := errors.New("no")
			s := &script{errs: []error{no, no, no, nil, no}, after: after, start: time.Now()}
			c := controlloop.NewController("test", s)
			key := controlloop.Key{Name: "web"}
			c.Queue.Add(key)
			stepFor(t.Context(), c, time.Second)
			require.Len(t, s.calls, 4, "three failures, one success")

			s.start, s.calls = time.Now(), nil
			c.Queue.Add(key)
			stepFor(t.Context(), c, time.Second)
			assert.Equal(t, []time.Duration{0, 5 * time.Millisecond}, s.calls,
				"after a success that asked for a look in %s", after)
		})
	}
}
