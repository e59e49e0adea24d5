package controlloop_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// reconciles is a Reconciler made of a function.
type reconciles func(ctx context.Context, key controlloop.Key) (controlloop.Result, error)

func (r reconciles) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	return r(ctx, key)
}

// watching makes a controller of Pods of a function.
func watching(f reconciles) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := controlloop.NewController("test", f)
		s.Add(c)
		c.Watch(s.Informer(controlloop.PodKind, controlloop.ListOptions{}), controlloop.Self)
		return c
	}
}

func with(f reconciles) kubetest.Setup {
	return kubetest.Setup{Controllers: []kubetest.Controller{watching(f)}}
}

func TestEveryEventBecomesAKey(t *testing.T) {
	var seen []string
	in(t, with(func(_ context.Context, key controlloop.Key) (controlloop.Result, error) {
		seen = append(seen, key.String())
		return controlloop.Result{}, nil
	}), func(c *kubetest.Cluster) {
		web := kubetest.Create(c, kubetest.Pod("web"))
		c.Settle()
		kubetest.Edit(c, web, func(p *corev1.Pod) { p.Labels = nil })
		c.Bind(web, "node-1")
		c.Settle()
		c.DeletePod("web", kubetest.Grace(0))
		kubetest.Create(c, kubetest.Pod("db"))
		c.Settle()
		assert.Equal(t, []string{
			"default/web", "default/web", "default/web", "default/db",
		}, seen, "two changes before a look are looked at once")
	})
}

// An object that changes hands concerns both hands.
func TestAnUpdateAddsTheKeysOfOldAndNew(t *testing.T) {
	var seen []string
	record := reconciles(func(_ context.Context, key controlloop.Key) (controlloop.Result, error) {
		seen = append(seen, key.Name)
		return controlloop.Result{}, nil
	})
	byLabel := func(s *controlloop.System) *controlloop.Controller {
		c := controlloop.NewController("test", record)
		s.Add(c)
		c.Watch(s.Informer(controlloop.PodKind, controlloop.ListOptions{}),
			func(obj controlloop.Object) []controlloop.Key {
				return []controlloop.Key{{Name: obj.GetLabels()["app"]}}
			})
		return c
	}
	in(t, kubetest.Setup{Controllers: []kubetest.Controller{byLabel}}, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web"))
		c.Settle()
		kubetest.Edit(c, kubetest.Pod("web"), func(p *corev1.Pod) { p.Labels["app"] = "db" })
		c.Settle()
		assert.Equal(t, []string{"web", "web", "db"}, seen)
	})
}

// An error is reported, and tried again; a success is over.
//
//book:exercise 1h
func TestAKeyThatFailedComesBackAndOneThatSucceededDoesNot(t *testing.T) {
	const ms = time.Millisecond
	errs := []error{ // an error is an error, whichever it is
		apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "web", nil),
		context.DeadlineExceeded, context.Canceled,
	}
	fails := 3
	var at []time.Duration
	var c *kubetest.Cluster
	in(t, with(func(context.Context, controlloop.Key) (controlloop.Result, error) {
		at = append(at, c.Elapsed())
		if len(at) <= fails {
			return controlloop.Result{After: time.Hour}, errs[len(at)%len(errs)]
		}
		return controlloop.Result{}, nil
	}), func(cluster *kubetest.Cluster) {
		c = cluster
		var told []error
		c.Controller("test").OnError = func(key controlloop.Key, err error) {
			assert.Equal(t, kubetest.Named("web"), key)
			told = append(told, err)
		}
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(time.Minute)
		require.Equal(t, []time.Duration{0, 5 * ms, 15 * ms, 35 * ms}, at)
		assert.Len(t, told, 3)
		assert.Zero(t, c.Controller("test").Queue.Failures(kubetest.Named("web")))

		fails = len(at) + 1 // once more, after the success
		kubetest.Edit(c, kubetest.Pod("web"), func(p *corev1.Pod) { p.Labels = nil })
		c.Advance(time.Minute)
		assert.Equal(t, []time.Duration{time.Minute, time.Minute + 5*ms}, at[4:],
			"the success made it forget the failures")
		c.Advance(2 * time.Hour)
		assert.Len(t, at, 6, "what comes beside an error asks for nothing")
	})
}

func seconds(all ...int) (durations []time.Duration) {
	for _, s := range all {
		durations = append(durations, time.Duration(s)*time.Second)
	}
	return durations
}

// A Reconciler that waits for a time, and not for an event, says so.
//
//book:exercise 1h
func TestAResultSaysWhenToLookAgain(t *testing.T) {
	var at []time.Duration
	var c *kubetest.Cluster
	after := 20 * time.Second
	in(t, with(func(context.Context, controlloop.Key) (controlloop.Result, error) {
		at = append(at, c.Elapsed())
		return controlloop.Result{After: after}, nil
	}), func(cluster *kubetest.Cluster) {
		c = cluster
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(35 * time.Second)
		after = time.Nanosecond // the shortest of all waits is one
		c.Advance(5*time.Second + 2*time.Nanosecond)
		const end = 40 * time.Second
		assert.Equal(t, append(seconds(0, 20), end, end+1, end+2), at)
		after = 0
		c.Advance(time.Hour)
		assert.Len(t, at, 6, "no wait is none")
	})
}

func TestNoWorkerStartsBeforeAllCachesAreFilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		client := kubetest.NewFaults(store)
		mustCreate(t, store, nginxPod("web"))
		mustCreate(t, store, settings("settings"))
		var up atomic.Bool
		var looked atomic.Int32
		client.Fail(func(call kubetest.Call) error {
			if call.Kind == configMapKind && !up.Load() {
				return errors.New("connection refused")
			}
			return nil
		})
		system := &controlloop.System{Client: client}
		pods := system.Informer(controlloop.PodKind, controlloop.ListOptions{})
		maps := system.Informer(configMapKind, controlloop.ListOptions{})
		c := controlloop.NewController("test", reconciles(
			func(context.Context, controlloop.Key) (controlloop.Result, error) {
				looked.Add(1)
				assert.Len(t, maps.Cache.List(), 1, "half of the world is missing")
				return controlloop.Result{}, nil
			}))
		system.Add(c)
		c.Watch(pods, controlloop.Self)
		c.Watch(maps, controlloop.Self)
		running(t, system.Run)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.Len(t, pods.Cache.List(), 1)
		assert.Zero(t, looked.Load())
		up.Store(true)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 2, looked.Load())
	})
}

func TestRunEndsThoughNothingEverCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := kubetest.NewFaults(newStore())
		client.Fail(func(kubetest.Call) error { return errors.New("connection refused") })
		system := &controlloop.System{Client: client, Resync: time.Minute}
		c := watching(nil)(system)
		stop := running(t, system.Run)
		time.Sleep(time.Hour)
		stop() // waits; and the bubble waits for every goroutine
		c.Queue.Add(kubetest.Named("web"))
		assert.Zero(t, c.Queue.Len(), "nobody will ever take it out")
	})
}

// crew counts the workers at each key, and the most that were ever at one.
type crew struct {
	mu           sync.Mutex
	at           map[controlloop.Key]int
	most, apiece int
}

// Reconcile takes a second. Two workers at one key at once are found out.
func (w *crew) Reconcile(
	_ context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	w.mu.Lock()
	w.at[key]++
	w.most, w.apiece = max(w.most, len(w.at)), max(w.apiece, w.at[key])
	w.mu.Unlock()
	time.Sleep(time.Second)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at[key]--; w.at[key] == 0 {
		delete(w.at, key)
	}
	return controlloop.Result{After: time.Millisecond}, nil
}

// Four workers, and one Pod that changes faster than any of them is done with
// it: three have nothing to do. Of twenty Pods each has one.
//
//book:exercise 1h
func TestWorkersShareTheKeysAndNeverOneKey(t *testing.T) {
	for keys, busy := range map[int]int{1: 1, 2: 2, 20: 4} {
		synctest.Test(t, func(t *testing.T) {
			store := newStore()
			for i := range keys {
				mustCreate(t, store, nginxPod(fmt.Sprint("p", i)))
			}
			w := &crew{at: map[controlloop.Key]int{}}
			system := &controlloop.System{Client: store}
			c := watching(w.Reconcile)(system)
			c.Workers = 4
			stop := running(t, system.Run)
			for range 50 {
				time.Sleep(300 * time.Millisecond)
				c.Queue.Add(kubetest.Named("p0"))
			}
			stop()
			assert.Equal(t, 1, w.apiece, "workers at one key at the same time")
			assert.Equal(t, busy, w.most, "workers at %d keys", keys)
		})
	}
}

func TestAWorkerEndsWhatItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		mustCreate(t, store, nginxPod("web"))
		ended := false
		system := &controlloop.System{Client: store}
		watching(func(ctx context.Context, _ controlloop.Key) (controlloop.Result, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return controlloop.Result{After: time.Second}, ctx.Err()
		})(system)
		stop := running(t, system.Run)
		synctest.Wait()
		stop()
		assert.True(t, ended, "Run returned before its worker")
	})
}
