package controlloop_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// take hands a worker the next key, and fails if there is none.
func take(t *testing.T, q *controlloop.Queue[string]) string {
	t.Helper()
	key, ok := q.TryGet(0)
	require.True(t, ok, "no key waits")
	return key
}

// idle fails when a key waits that no worker should be given now.
func idle(t *testing.T, q *controlloop.Queue[string], why string) {
	t.Helper()
	key, ok := q.TryGet(0)
	require.False(t, ok, "%q was handed out: %s", key, why)
}

// Ten events, one look.
//
//book:exercise 1g
func TestQueueHandsOutAKeyOnce(t *testing.T) {
	q := controlloop.NewQueue[string]()
	for range 10 {
		q.Add("web")
		q.Add("db")
	}
	assert.Equal(t, "web", take(t, q))
	assert.Equal(t, "db", take(t, q))
	idle(t, q, "ten adds before it was taken are one piece of work")
}

// Two workers on one object would each undo what the other has done.
//
//book:exercise 1g
func TestQueueKeepsAKeyFromASecondWorker(t *testing.T) {
	q := controlloop.NewQueue[string]()
	q.Add("web")
	require.Equal(t, "web", take(t, q))
	q.Add("web")
	idle(t, q, "a worker has it")
	q.Done("web")
	require.Equal(t, "web", take(t, q))
	idle(t, q, "a worker has it")
}

// The change that comes while a worker is looking may be the one it did not
// see.
//
//book:exercise 1g
func TestQueueHandsAKeyOutAgainThatChangedMeanwhile(t *testing.T) {
	q := controlloop.NewQueue[string]()
	q.Add("web")
	require.Equal(t, "web", take(t, q))
	q.Add("web")
	q.Add("web")
	q.Done("web")
	require.Equal(t, "web", take(t, q), "the change in between went unnoticed")
	q.Done("web")
	idle(t, q, "nothing has changed since")
	q.Add("web")
	require.Equal(t, "web", take(t, q), "a worker is taken to have it, and none has")
}

// A key that Done has queued waits like any other: there is nothing to add.
//
//book:exercise 1g
func TestQueueTakesAKeyThatDoneHasQueuedForOneThatWaits(t *testing.T) {
	q := controlloop.NewQueue[string]()
	q.Add("web")
	require.Equal(t, "web", take(t, q))
	q.Add("web")
	q.Done("web")
	q.Add("web")
	require.Equal(t, "web", take(t, q), "the change in between went unnoticed")
	idle(t, q, "a worker has it, and it waited in two places")
	q.Done("web")
	idle(t, q, "nothing has changed since")
}

//book:exercise 1g
func TestQueueTakesAndTakesBackAKeyWhenNobodyElseHasIt(t *testing.T) {
	q := controlloop.NewQueue[string]()
	lock := controlloop.LockOfQueue(q)
	assert.True(t, kubetest.Waits(lock, func() { q.Add("web") }), "Add does not wait for q.mu")
	assert.True(t, kubetest.Waits(lock, func() { q.Done("web") }), "Done does not wait for q.mu")
}

// What is added and done at the same time is counted: every key comes out once.
//
//book:exercise 1g
func TestQueueTakesKeysFromManyGoroutines(t *testing.T) {
	const adds = 1000
	q := controlloop.NewQueue[int]()
	atOnce(64, func(n int) {
		for i := range adds {
			q.Add(n*adds + i)
		}
	})
	require.Equal(t, 64*adds, q.Len(), "keys that wait")
	var out atomic.Int64
	atOnce(64, func(int) {
		for key, ok := q.TryGet(0); ok; key, ok = q.TryGet(0) {
			out.Add(1)
			q.Done(key)
		}
	})
	assert.EqualValues(t, 64*adds, out.Load(), "keys that came out")
	dirty, queue, processing := controlloop.Sets(q)
	assert.Empty(t, dirty)
	assert.Empty(t, queue)
	assert.Empty(t, processing)
}

// atOnce calls f in n goroutines, which begin together, and waits for them.
func atOnce(n int, f func(i int)) {
	begin := make(chan struct{})
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	running.Wait()
}

//book:exercise 1g
func TestQueuePutsAKeyThatChangedMeanwhileBehindThoseThatWait(t *testing.T) {
	q := controlloop.NewQueue[string]()
	q.Add("busy")
	require.Equal(t, "busy", take(t, q))
	q.Add("other")
	q.Add("busy")
	q.Done("busy")
	require.Equal(t, "other", take(t, q), "a key that changes all the time keeps no other from its turn")
	require.Equal(t, "busy", take(t, q))
}

// A worker that found nothing sleeps. A key that is added wakes it, and so does
// a key that another worker gives back.
//
//book:exercise 1g
func TestQueueWakesAWorkerThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controlloop.NewQueue[string]()
		defer q.ShutDown() // so that a worker that was not woken goes home
		got := 0
		await := func(wake func()) {
			go func() {
				if _, ok := q.Get(); ok {
					got++
				}
			}()
			synctest.Wait()
			wake()
			synctest.Wait()
		}
		await(func() { q.Add("web") })
		require.Equal(t, 1, got, "a key was added, and a worker sleeps")
		await(func() { q.Add("web"); q.Done("web") })
		require.Equal(t, 2, got, "a key was given back, and a worker sleeps")
	})
}

// Closing time: the customers inside are served, and the door is shut.
//
//book:exercise 1g
func TestQueueServesWhatItHoldsWhenItIsClosed(t *testing.T) {
	q := controlloop.NewQueue[string]()
	q.Add("web")
	q.ShutDown()
	q.Add("late")
	require.Equal(t, "web", take(t, q))
	q.Done("web")
	idle(t, q, "it came after closing time")

	q = controlloop.NewQueue[string]()
	q.Add("web")
	require.Equal(t, "web", take(t, q))
	q.Add("web")
	q.ShutDown()
	q.Done("web")
	require.Equal(t, "web", take(t, q), "it came before, and a worker had it")
}
