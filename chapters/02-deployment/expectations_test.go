package deployment_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

const web, db types.UID = "web", "db"

//book:exercise 2b
func TestExpectationsWaitUntilEveryCreateIsHeardOf(t *testing.T) {
	e := deployment.NewExpectations()
	assert.Zero(t, e.Wait(web), "who expects nothing need not wait")
	e.ExpectCreates(web, 3)
	for heard := range 3 {
		assert.NotZero(t, e.Wait(web), "%d of 3 have been heard of", heard)
		e.Created(web)
	}
	assert.Zero(t, e.Wait(web))
}

// A deletion is reported twice: when the Pod is told to go, and when it is
// gone.
//
//book:exercise 2b
func TestExpectationsTakeADeleteThatIsToldTwiceForOne(t *testing.T) {
	e := deployment.NewExpectations()
	e.ExpectDeletes(web, "web-0", "web-1")
	e.Deleted(web, "web-0")
	e.Deleted(web, "web-0")
	assert.NotZero(t, e.Wait(web), "web-1 has not been heard of, web-0 twice")
	e.Deleted(web, "web-1")
	assert.Zero(t, e.Wait(web))
	e.Deleted(web, "web-1")
	assert.Zero(t, e.Wait(web), "what is told again changes nothing")
}

//book:exercise 2b
func TestExpectationsAreNotMetByTheDeathOfAnother(t *testing.T) {
	e := deployment.NewExpectations()
	e.ExpectDeletes(web, "web-0")
	e.Deleted(web, "web-7")
	e.Deleted(db, "web-0")
	assert.NotZero(t, e.Wait(web), "web-0 has not been heard of")
	e.Created(web)
	assert.NotZero(t, e.Wait(web), "a create is no delete")
}

// An event that was lost must not stop a controller for ever.
//
//book:exercise 2b
func TestExpectationsEndAfterFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := deployment.NewExpectations()
		e.ExpectCreates(web, 2)
		assert.Equal(t, 5*time.Minute, e.Wait(web))
		time.Sleep(4 * time.Minute)
		assert.Equal(t, time.Minute, e.Wait(web), "it says how long, not only whether")
		e.Created(web)
		assert.Equal(t, time.Minute, e.Wait(web), "it counts from the note, not from the last event")
		time.Sleep(time.Minute)
		assert.Zero(t, e.Wait(web))
		time.Sleep(time.Hour)
		assert.Zero(t, e.Wait(web))
	})
}

// More may come than was expected: Pods of before a crash, or a user's own.
//
//book:exercise 2b
func TestExpectationsHearOfMoreThanTheyWaitedFor(t *testing.T) {
	e := deployment.NewExpectations()
	e.Created(web) // with no expectation
	e.Deleted(web, "web-0")
	assert.Zero(t, e.Wait(web))
	e.ExpectCreates(web, 1)
	assert.NotZero(t, e.Wait(web), "what was heard of before does not count")
	e.Created(web)
	e.Created(web)
	assert.False(t, e.Wait(web) > 0, "one was waited for, and two have been heard of")
}

func TestExpectationsOfOneOwnerAreNotAnothers(t *testing.T) {
	e := deployment.NewExpectations()
	e.ExpectCreates(web, 1)
	assert.Zero(t, e.Wait(db))
	e.Created(db)
	assert.NotZero(t, e.Wait(web))
	e.Forget(web)
	assert.Zero(t, e.Wait(web))
	e.Forget(web)
}

// Events may arrive in any order, and each of them any number of times.
func TestExpectationsAreMetInAnyOrderOfEvents(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		e := deployment.NewExpectations()
		n := 1 + r.IntN(8)
		uids := map[types.UID]bool{}
		for i := range n {
			uids[types.UID(fmt.Sprint("web-", i))] = true
		}
		all := []types.UID{}
		for uid := range uids {
			all = append(all, uid)
		}
		e.ExpectDeletes(web, all...)
		for len(uids) > 0 {
			require.NotZero(t, e.Wait(web), "seed %d: %d are missing", seed, len(uids))
			uid := all[r.IntN(n)]
			e.Deleted(web, uid)
			delete(uids, uid)
		}
		require.Zero(t, e.Wait(web), "seed %d", seed)
	}
}

//book:exercise 2b
func TestExpectationsAreToldWhenNobodyElseHasThem(t *testing.T) {
	e := deployment.NewExpectations()
	for name, f := range map[string]func(){
		"Created": func() { e.Created(web) },
		"Deleted": func() { e.Deleted(web, "web-1") },
		"Wait":    func() { e.Wait(web) },
	} {
		assert.True(t, kubetest.Waits(deployment.LockOf(e), f), "%s does not wait for e.mu", name)
	}
}

// Informers, workers and the goroutines of a batch all talk to it at once, and
// everything that they tell counts.
//
//book:exercise 2b
func TestExpectationsAreToldFromManyGoroutines(t *testing.T) {
	const goroutines, creates, deletes = 64, 20_000, 500
	e := deployment.NewExpectations()
	e.ExpectCreates(web, goroutines*creates+1)
	var uids []types.UID
	for n := range goroutines*deletes + 1 {
		uids = append(uids, types.UID(fmt.Sprint("db-", n)))
	}
	e.ExpectDeletes(db, uids...)
	begin := make(chan struct{})
	var telling sync.WaitGroup
	for range goroutines {
		telling.Go(func() {
			<-begin
			for range creates {
				e.Created(web)
			}
		})
	}
	for told := range slices.Chunk(uids[1:], deletes) {
		telling.Go(func() {
			<-begin
			for _, uid := range told {
				e.Deleted(db, uid)
				e.Wait(db)
			}
		})
	}
	close(begin)
	telling.Wait()
	assert.NotZero(t, e.Wait(web), "one more is to be created")
	assert.NotZero(t, e.Wait(db), "one more is to be deleted")
	e.Created(web)
	e.Deleted(db, uids[0])
	assert.Zero(t, e.Wait(web), "creates that were told, and not counted")
	assert.Zero(t, e.Wait(db), "deletes that were told, and not counted")
}

func TestWhatIsHeardOfAPodIsTakenForWhatWasExpected(t *testing.T) {
	rs := replicaSet("web", 1)
	rs.UID = web
	pod := ruledBy(rs, deployment.ReplicaSetKind, kubetest.Pod("web-1"))
	pod.UID = "web-1"
	going := controlloop.Copy(pod)
	going.DeletionTimestamp = new(controlloop.Now())
	free := kubetest.Pod("free")
	for name, test := range map[string]struct {
		hear             func(controlloop.Handler)
		created, deleted bool
	}{
		"it is there":                 {func(h controlloop.Handler) { h.OnAdd(pod) }, true, false},
		"it is there, and on its way": {func(h controlloop.Handler) { h.OnAdd(going) }, false, true},
		"it has changed":              {func(h controlloop.Handler) { h.OnUpdate(pod, pod) }, false, false},
		"it was told to go":           {func(h controlloop.Handler) { h.OnUpdate(pod, going) }, false, true},
		"it is gone":                  {func(h controlloop.Handler) { h.OnDelete(pod) }, false, true},
		"a Pod that nobody controls":  {func(h controlloop.Handler) { h.OnAdd(free) }, false, false},
		"its end":                     {func(h controlloop.Handler) { h.OnDelete(free) }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			expected := deployment.NewExpectations()
			expected.ExpectCreates(web, 1)
			test.hear(deployment.Observer(expected))
			assert.Equal(t, test.created, expected.Wait(web) == 0, "of what is to be created")
			expected.ExpectDeletes(web, pod.UID)
			test.hear(deployment.Observer(expected))
			assert.Equal(t, test.deleted, expected.Wait(web) == 0, "of what is to be deleted")
		})
	}
}

func TestWhatAReplicaSetExpectedIsForgottenWithIt(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 0))
		c.Settle()
		expected := c.Reconciler("replicaset").(*deployment.ReplicaSets).Expected
		expected.ExpectCreates(rs.UID, 1)
		require.NotZero(t, expected.Wait(rs.UID))
		remove(t, c, rs)
		c.Settle()
		assert.Zero(t, expected.Wait(rs.UID), "there would be more of them for ever")
	})
}
