package controlloop_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
)

// takeAll empties a queue.
func takeAll(q *controlloop.DelayQueue[string]) (keys []string) {
	synctest.Wait()
	for {
		key, ok := q.TryGet(0)
		if !ok {
			return keys
		}
		q.Done(key)
		keys = append(keys, key)
	}
}

func TestAKeyIsAddedWhenItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controlloop.NewDelayQueue[string]()
		q.AddAfter("later", 10*time.Second)
		q.AddAfter("now", 0)
		q.AddAfter("before", -time.Second)
		q.AddAfter("soon", time.Second)
		assert.Equal(t, []string{"now", "before"}, takeAll(q))
		due, any := q.NextDue()
		assert.True(t, any)
		assert.Equal(t, time.Second, time.Until(due))
		time.Sleep(time.Second)
		assert.Equal(t, []string{"soon"}, takeAll(q))
		time.Sleep(9*time.Second - time.Nanosecond)
		assert.Empty(t, takeAll(q))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, []string{"later"}, takeAll(q))
		_, any = q.NextDue()
		assert.False(t, any)
	})
}

func TestOfTwoTimesTheEarlierCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controlloop.NewDelayQueue[string]()
		q.AddAfter("web", 10*time.Second)
		q.AddAfter("web", time.Minute)
		q.AddAfter("web", 3*time.Second)
		time.Sleep(3 * time.Second)
		assert.Equal(t, []string{"web"}, takeAll(q))
		time.Sleep(time.Hour)
		assert.Empty(t, takeAll(q), "once")
	})
}

func TestKeysThatAreDueTogetherComeInTheOrderInWhichTheyWereAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controlloop.NewDelayQueue[string]()
		var want []string
		for i := range 20 {
			key := fmt.Sprint("k", (i*7)%20)
			q.AddAfter(key, time.Second)
			want = append(want, key)
		}
		time.Sleep(time.Second)
		assert.Equal(t, want, takeAll(q))
	})
}

// A queue of many keys, each due at a time of its own and some brought forward,
// gives every key at its time.
func TestEveryKeyOfManyComesAtItsTime(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0))
		q := controlloop.NewDelayQueue[string]()
		due := map[string]time.Time{}
		came := 0
		for range 2000 {
			key := fmt.Sprint("k", r.IntN(50))
			at := time.Now().Add(time.Duration(1+r.IntN(100)) * time.Second)
			if old, waits := due[key]; !waits || at.Before(old) {
				due[key] = at
			}
			q.AddAfter(key, time.Until(at))
			time.Sleep(time.Second)
			for _, key := range takeAll(q) {
				require.Equal(t, time.Now(), due[key], key)
				delete(due, key)
				came++
			}
		}
		assert.Greater(t, came, 500)
	})
}

func TestWhatWasToComeLaterDoesNotComeToAClosedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := controlloop.NewDelayQueue[string]()
		q.Add("now")
		q.AddAfter("later", time.Second)
		q.ShutDown()
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"now"}, takeAll(q), "what it has it hands out")
		_, any := q.NextDue()
		assert.False(t, any)
		_, ok := q.Get()
		assert.False(t, ok)
		q.AddAfter("late", time.Second)
		_, any = q.NextDue()
		assert.False(t, any, "nothing is to come any more")
	})
}

// Those before it and those behind it keep their places.
//
//book:exercise 1g
func TestAnyWaitingKeyCanBeTaken(t *testing.T) {
	q := controlloop.NewQueue[string]()
	for _, key := range []string{"a", "b", "c", "d"} {
		q.Add(key)
	}
	var taken []string
	for _, i := range []int{2, 0, 1, 5, 0} {
		if key, ok := q.TryGet(i); ok {
			taken = append(taken, key)
		}
	}
	assert.Equal(t, []string{"c", "a", "d", "b"}, taken)
	assert.Zero(t, q.Len())
	q.Add("b")
	_, ok := q.TryGet(0)
	assert.False(t, ok, "a worker has it")
	q.Done("b")
	key, ok := q.TryGet(0)
	assert.True(t, ok)
	assert.Equal(t, "b", key)
}
