package controlloop_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
)

// threeCalls is a Reconciler that makes three calls. They take three seconds,
// two, and one, and all of them fail.
type threeCalls struct {
	began []int
	ended atomic.Int32
	took  time.Duration
	err   error
}

func (r *threeCalls) Reconcile(
	ctx context.Context, _ controlloop.Key,
) (controlloop.Result, error) {
	start := time.Now()
	order := make(chan int, 3)
	r.err = controlloop.SideBySide(ctx, 3, func(i int) error {
		order <- i
		time.Sleep(time.Duration(3-i) * time.Second)
		r.ended.Add(1)
		return fmt.Errorf("of call %d", i)
	})
	r.took = time.Since(start)
	close(order)
	for i := range order {
		r.began = append(r.began, i)
	}
	return controlloop.Result{}, nil
}

func TestUnderRunCallsAreMadeSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &threeCalls{}
		c := controlloop.NewController("three", r)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Run(ctx)
		}()
		c.Queue.Add(controlloop.Key{Name: "a"})
		time.Sleep(time.Minute)
		cancel()
		<-done
		assert.ElementsMatch(t, []int{0, 1, 2}, r.began)
		assert.EqualValues(t, 3, r.ended.Load(), "it waits for all of them")
		assert.Equal(t, 3*time.Second, r.took)
		assert.EqualError(t, r.err, "of call 2", "the first to fail")
	})
}

func TestWithinAStepCallsAreMadeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &threeCalls{}
		c := controlloop.NewController("three", r)
		c.Queue.Add(controlloop.Key{Name: "a"})
		require.True(t, c.Step(t.Context(), 0))
		assert.Equal(t, []int{0, 1, 2}, r.began)
		assert.Equal(t, 6*time.Second, r.took)
		assert.EqualError(t, r.err, "of call 0")
	})
}
