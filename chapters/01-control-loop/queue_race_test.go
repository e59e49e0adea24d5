package controlloop_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	controlloop "reconcile/chapters/01-control-loop"
)

// 32 goroutines add keys and count how often each has been added; 32 workers
// take them. A worker writes down the count that it finds. If the queue never
// hands a key to two, no worker ever finds a key taken; if it never loses one,
// the last look at every key saw its last change.
func TestQueueUnder64GoroutinesKeepsKeysApartAndLosesNone(t *testing.T) {
	const keys, adders, workers, adds = 20, 32, 32, 500
	q := controlloop.NewQueue[int]()
	var changed, seen [keys]atomic.Int64
	var taken [keys]atomic.Bool
	var twice atomic.Int64
	var adding, working sync.WaitGroup

	for range workers {
		working.Go(func() {
			for {
				key, ok := q.Get()
				if !ok {
					return
				}
				if !taken[key].CompareAndSwap(false, true) {
					twice.Add(1)
				}
				seen[key].Store(changed[key].Load())
				taken[key].Store(false)
				q.Done(key)
			}
		})
	}
	for seed := range uint64(adders) {
		adding.Go(func() {
			r := rand.New(rand.NewPCG(seed, 0))
			for range adds {
				key := r.IntN(keys)
				changed[key].Add(1)
				q.Add(key)
			}
		})
	}
	adding.Wait()
	q.ShutDown()
	working.Wait()

	assert.Zero(t, twice.Load(), "a key was with two workers at once")
	for key := range keys {
		assert.Equal(t, changed[key].Load(), seen[key].Load(),
			"the last change of key %d was never looked at", key)
	}
}
