package controlloop_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func isSynced(i *controlloop.Informer) bool {
	select {
	case <-i.Synced():
		return true
	default:
		return false
	}
}

func TestSyncedIsClosedWhenTheFirstListHasBeenHandled(t *testing.T) {
	s := newSensor(t, 0)
	s.create("a", "b", "c")
	s.Handle(controlloop.Handler{OnAdd: func(obj controlloop.Object) {
		assert.False(t, isSynced(s.Informer), "%s is still being handled", obj.GetName())
	}})
	assert.False(t, isSynced(s.Informer))
	s.step()
	assert.True(t, isSynced(s.Informer))
	s.create("d")
	s.client.BreakWatches(errors.New("eof"))
	assert.True(t, isSynced(s.Informer), "once for all")
}

// An empty list says that there is nothing. No list says nothing.
//
//book:exercise 1f
func TestNothingAtAllIsSyncedToo(t *testing.T) {
	s := newSensor(t, 0)
	s.fail(func(verb string) error { return errors.New("connection refused") })
	_, err := s.Step(t.Context())
	require.Error(t, err)
	assert.False(t, isSynced(s.Informer), "an empty cache is not an empty cluster")
	s.fail(nil)
	s.step()
	assert.True(t, isSynced(s.Informer))
}

func TestALateHandlerHearsOfEverythingOnce(t *testing.T) {
	s := newSensor(t, 0)
	s.create("a", "b")
	s.step()
	s.touch("a") // not in the cache yet
	var late []string
	s.Handle(s.ear(&late))
	assert.Equal(t, []string{"add a", "add b"}, late)
	heard, _ := s.step()
	assert.Equal(t, []string{"update a"}, heard)
	assert.Equal(t, []string{"add a", "add b", "update a"}, late)
}

func TestALateHandlerHearsOfEverythingOnceWhileTheInformerRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSensor(t, 0)
		stop := running(t, s.Informer.Run)
		ears := make([][]string, 20)
		creating := make(chan struct{})
		go func() {
			defer close(creating)
			for i := range 100 {
				s.create(fmt.Sprint("p", i))
			}
		}()
		for i := range ears {
			s.Handle(s.ear(&ears[i]))
		}
		<-creating
		synctest.Wait()
		stop()
		for i := range ears {
			times := map[string]int{}
			for _, heard := range ears[i] {
				times[heard]++
			}
			assert.Len(t, times, 100, "handler %d", i)
			assert.Len(t, ears[i], 100, "handler %d heard of something twice", i)
		}
	})
}

func TestAHandlerNeedsNoMoreThanWhatInterestsIt(t *testing.T) {
	s := newSensor(t, 0)
	deleted := 0
	s.Handle(controlloop.Handler{})
	s.Handle(controlloop.Handler{OnDelete: func(controlloop.Object) { deleted++ }})
	s.create("a")
	s.touch("a")
	s.step()
	s.delete("a")
	s.step()
	assert.Equal(t, 1, deleted)
}

func TestTheCacheIsAheadOfTheHandlers(t *testing.T) {
	s := newSensor(t, 0)
	s.Handle(controlloop.Handler{
		OnAdd: func(obj controlloop.Object) {
			cached, ok := s.Cache.Get(controlloop.KeyOf(obj))
			assert.True(t, ok)
			assert.Same(t, obj, cached)
		},
		OnDelete: func(obj controlloop.Object) {
			_, ok := s.Cache.Get(controlloop.KeyOf(obj))
			assert.False(t, ok)
		},
	})
	s.create("a")
	s.step()
	s.delete("a")
	s.step()
}

func TestAHandlerIsToldOldAndNew(t *testing.T) {
	s := newSensor(t, 0)
	s.create("a")
	s.step()
	before, _ := s.Cache.Get(kubetest.Named("a"))
	told := false
	s.Handle(controlloop.Handler{OnUpdate: func(old, obj controlloop.Object) {
		told = true
		assert.Same(t, before, old)
		assert.NotEqual(t, old.GetResourceVersion(), obj.GetResourceVersion())
	}})
	s.touch("a")
	s.step()
	assert.True(t, told)
}

func TestWhatCameAndWentMeanwhileIsAddedAndDeleted(t *testing.T) {
	s := newSensor(t, 0)
	s.step()
	s.create("a")
	s.touch("a")
	s.delete("a")
	heard, _ := s.step()
	assert.Equal(t, []string{"add a", "update a", "delete a"}, heard)
	assert.Empty(t, s.Cache.List())
}

func TestAResyncRemindsOfEverything(t *testing.T) {
	s := newSensor(t, 0)
	s.create("a", "b")
	s.step()
	s.Resync()
	heard, calls := s.step()
	assert.Equal(t, []string{"update a", "update b"}, heard)
	assert.Empty(t, calls, "the store is not asked")
}

// A reminder of what is on its way out would bring it back.
func TestAResyncLeavesOutWhatHasNewsWaiting(t *testing.T) {
	known := controlloop.NewIndexer()
	known.Put(nginxPod("gone"))
	known.Put(nginxPod("same"))
	fifo := controlloop.NewDeltaFIFO(known)
	fifo.Add(controlloop.Deleted, nginxPod("gone"))
	fifo.Resync()
	var popped []string
	for fifo.TryPop(func(deltas []controlloop.Delta) {
		for _, d := range deltas {
			popped = append(popped, fmt.Sprint(d.Type, " ", d.Object.GetName()))
		}
	}) {
	}
	assert.Equal(t, []string{"Deleted gone", "Sync same"}, popped)
}

func TestAResyncComesOnceAPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSensor(t, 10*time.Minute)
		s.create("a")
		stop := running(t, s.Informer.Run)
		time.Sleep(25 * time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"add a", "update a", "update a"}, s.heard)
		stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Len(t, s.heard, 3, "it is over")
	})
}

func TestAllWhoAskForTheSameShareAnInformer(t *testing.T) {
	system := &controlloop.System{Client: newStore()}
	all := system.Informer(controlloop.PodKind, controlloop.ListOptions{})
	mine := system.Informer(controlloop.PodKind, controlloop.ListOptions{Fields: onNode("node-1")})
	assert.Same(t, all, system.Informer(controlloop.PodKind, controlloop.ListOptions{}))
	assert.Same(t, mine, system.Informer(controlloop.PodKind,
		controlloop.ListOptions{Fields: onNode("node-1")}))
	assert.Same(t, all, system.Informer(controlloop.PodKind, controlloop.ListOptions{
		Labels: labels.Everything(), Fields: fields.Everything(),
	}), "a selector of everything selects no less than none")

	different := []*controlloop.Informer{
		all,
		mine,
		system.Informer(controlloop.RCKind, controlloop.ListOptions{}),
		system.Informer(controlloop.PodKind, controlloop.ListOptions{Namespace: "a"}),
		system.Informer(controlloop.PodKind, controlloop.ListOptions{Labels: labelled("app", "a")}),
		system.Informer(controlloop.PodKind, controlloop.ListOptions{Labels: labelled("app", "b")}),
		system.Informer(controlloop.PodKind, controlloop.ListOptions{Fields: onNode("node-2")}),
		system.Informer(controlloop.PodKind, controlloop.ListOptions{
			Labels: labels.SelectorFromSet(labels.Set{"spec.nodeName": "node-2"}),
		}),
	}
	for i, one := range different {
		for _, other := range different[:i] {
			assert.NotSame(t, one, other)
		}
	}
}
