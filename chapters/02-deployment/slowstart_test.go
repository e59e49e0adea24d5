package deployment_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	deployment "reconcile/chapters/02-deployment"
)

// batches makes n calls, each of which takes a second, and returns how many
// were made at each second. From the failing-th call on, counted from 1, all
// fail; 0: none does.
func batches(n, failing int) (sizes []int, succeeded int, err error) {
	var made atomic.Int64
	began := time.Now()
	at := make(chan int, n+100)
	succeeded, err = deployment.SlowStart(n, func() error {
		call := int(made.Add(1))
		at <- int(time.Since(began) / time.Second)
		time.Sleep(time.Second)
		if failing > 0 && call >= failing {
			return fmt.Errorf("call %d is refused", call)
		}
		return nil
	})
	close(at)
	for second := range at {
		for len(sizes) <= second {
			sizes = append(sizes, 0)
		}
		sizes[second]++
	}
	return sizes, succeeded, err
}

// The calls of a batch are made side by side: nine rounds for five hundred.
//
//book:exercise 2c
func TestSlowStartDoublesItsBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for n, want := range map[int][]int{
			1: {1}, 2: {1, 1}, 3: {1, 2}, 7: {1, 2, 4}, 10: {1, 2, 4, 3},
			500: {1, 2, 4, 8, 16, 32, 64, 128, 245},
		} {
			sizes, succeeded, err := batches(n, 0)
			assert.Equal(t, want, sizes, "sizes of the batches of %d calls", n)
			assert.Equal(t, n, succeeded)
			assert.NoError(t, err)
		}
	})
}

// If the first is refused, the next hundred would be too.
//
//book:exercise 2c
func TestSlowStartStopsAfterABatchInWhichACallFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for failing, want := range map[int][]int{
			1: {1}, 2: {1, 2}, 3: {1, 2}, 4: {1, 2, 4}, 7: {1, 2, 4}, 8: {1, 2, 4, 8},
		} {
			sizes, _, err := batches(100, failing)
			assert.Equal(t, want, sizes, "sizes of the batches, if call %d and all after it fail", failing)
			assert.Error(t, err)
		}
	})
}

// A controller that does not know how many were made does not know how many to
// expect.
//
//book:exercise 2c
func TestSlowStartCountsWhatSucceededBesideAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for failing, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 3, 6: 5, 7: 6, 100: 99} {
			_, succeeded, err := batches(100, failing)
			assert.Equal(t, want, succeeded, "calls that succeeded, if call %d and all after it fail", failing)
			assert.Error(t, err)
		}
	})
}

// It does not return while a call is under way, even if another has failed.
//
//book:exercise 2c
func TestSlowStartWaitsForAllOfABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made, ended atomic.Int64
		no := errors.New("no")
		succeeded, err := deployment.SlowStart(3, func() error {
			defer ended.Add(1)
			if made.Add(1) == 2 {
				return no
			}
			time.Sleep(time.Second)
			return nil
		})
		assert.EqualValues(t, 3, ended.Load(), "calls that have ended")
		assert.Equal(t, 2, succeeded)
		assert.ErrorIs(t, err, no)
		time.Sleep(time.Minute) // so that a call under way is over
	})
}

// The first error is the cause. Those after it may be no more than its echo.
//
//book:exercise 2c
func TestSlowStartReturnsTheFirstErrorOfABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made atomic.Int64
		_, err := deployment.SlowStart(7, func() error {
			call := made.Add(1)
			if call < 4 {
				return nil
			}
			time.Sleep(time.Duration(call) * time.Second)
			return fmt.Errorf("call %d is refused", call)
		})
		assert.EqualError(t, err, "call 4 is refused")
	})
}

func TestSlowStartOfNothingCallsNothing(t *testing.T) {
	for _, n := range []int{0, -1} {
		succeeded, err := deployment.SlowStart(n, func() error {
			t.Error("called")
			return nil
		})
		assert.Zero(t, succeeded)
		assert.NoError(t, err)
	}
}
