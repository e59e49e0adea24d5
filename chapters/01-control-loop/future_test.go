package controlloop_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
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

// A watch from a version that the store has not reached yet.
func TestAWatchFromTheFutureIsSilentUntilThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := written()
		mustCreate(t, s, settings("first"))
		w, err := s.Watch(t.Context(), configMapKind,
			controlloop.ListOptions{ResourceVersion: "4", Bookmarks: true})
		require.NoError(t, err)
		for _, name := range []string{"second", "third"} {
			mustCreate(t, s, settings(name))
			time.Sleep(10 * time.Minute)
			assert.Empty(t, eventsOf(t, w), "not even a bookmark")
		}
		mustCreate(t, s, settings("fourth"))
		assert.Empty(t, eventsOf(t, w), "that is where it begins")
		mustCreate(t, s, settings("fifth"))
		assert.Equal(t, []string{"ADDED 5"}, eventsOf(t, w), "and all between is missing")
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"BOOKMARK 5"}, eventsOf(t, w))
	})
}

func TestOnlyWhatHasBeenIsForgotten(t *testing.T) {
	s, _ := written()
	mustCreate(t, s, settings("first"))
	assert.ErrorContains(t, s.Compact("2"), "version 2 is yet to come: this one is 1")
}

// restored is a Pod informer whose store is exchanged for one that is not as far.
func restored(t *testing.T, test func(s *sensor, restore func(names ...string))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSensor(t, 0)
		for i := range 30 {
			s.create(fmt.Sprintf("p%d", i))
		}
		client := &exchanged{Client: s.client}
		s.Informer = controlloop.NewInformer(client, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
		running(t, s.Informer.Run)
		time.Sleep(time.Second)
		require.Len(t, s.Cache.List(), 30)
		test(s, func(names ...string) {
			s.store = newStore()
			s.create(names...)
			client.exchange(s.store)
			s.client.BreakWatches(io.ErrUnexpectedEOF)
		})
	})
}

// exchanged is a client that reads from a store which can be exchanged.
type exchanged struct {
	controlloop.Client
	mu sync.Mutex
}

func (e *exchanged) exchange(store controlloop.Client) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Client = store
}

func (e *exchanged) now() controlloop.Client {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Client
}

func (e *exchanged) List(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	return e.now().List(ctx, kind, opts)
}

func (e *exchanged) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	return e.now().Watch(ctx, kind, opts)
}

func podsIn(cache *controlloop.Indexer) string {
	var names []string
	for _, obj := range cache.List() {
		names = append(names, obj.GetName())
	}
	return strings.Join(names, " ")
}

// The counter has gone back, and a cache that believes that it cannot would wait for
// ever.
func TestARestoredStoreIsListedAgainAfterThreeSilentMinutes(t *testing.T) {
	restored(t, func(s *sensor, restore func(names ...string)) {
		restore("p1", "p2")
		time.Sleep(time.Minute)
		s.create("new")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, s.Cache.List(), 30, "it does not know")
		time.Sleep(time.Minute + 2*time.Second)
		synctest.Wait()
		assert.Equal(t, "new p1 p2", podsIn(s.Cache))
	})
}

// A version is given twice, to two states of one object.
func TestAVersionThatWasGivenAgainIsNotTakenForTheOldOne(t *testing.T) {
	s := newSensor(t, 0)
	s.create("web")
	client := &exchanged{Client: s.client}
	informer := controlloop.NewInformer(client, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
	var apps []string
	informer.Handle(controlloop.Handler{OnUpdate: func(_, obj controlloop.Object) {
		apps = append(apps, obj.GetLabels()["app"])
	}})
	_, err := informer.Step(t.Context())
	require.NoError(t, err)
	s.store = newStore()
	other := nginxPod("web")
	other.Labels = map[string]string{"app": "other"}
	mustCreate(t, s.store, other)
	client.exchange(s.store)
	s.client.BreakWatches(apierrors.NewResourceExpired(""))
	_, err = informer.Step(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"other"}, apps)
}

// A watch that is refused is not asked for again from the same place, but for two
// answers that are none: nobody is there, and there are too many.
func TestARefusedWatchBeginsAgainWithAList(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for _, c := range []struct {
		refusal error
		lists   bool
	}{
		{apierrors.NewUnauthorized("who is that"), true},
		{apierrors.NewForbidden(pods, "", errors.New("not you")), true},
		{apierrors.NewInternalError(errors.New("etcdserver: no leader")), true},
		{apierrors.NewServiceUnavailable("not yet"), true},
		{apierrors.NewTimeoutError("Too large resource version", 1), true},
		{apierrors.NewResourceExpired("too old resource version"), true},
		{apierrors.NewTooManyRequests("later", 1), false},
		{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), false},
		{io.ErrUnexpectedEOF, false},
	} {
		t.Run(c.refusal.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSensor(t, 0)
				s.create("web")
				running(t, s.Informer.Run)
				synctest.Wait()
				refused := false
				s.fail(func(verb string) error {
					if verb == "watch" && !refused {
						refused = true
						return c.refusal
					}
					return nil
				})
				s.calls = nil
				s.client.BreakWatches(io.ErrUnexpectedEOF)
				time.Sleep(time.Minute)
				synctest.Wait()
				want := []string{"watch", "watch"}
				if c.lists {
					want = []string{"watch", "list", "watch"}
				}
				assert.Equal(t, want, s.calls)
			})
		})
	}
}

// What is refused for good is asked for later and later, and a step ends.
func TestAWatchThatIsRefusedForGoodHoldsUpNoStep(t *testing.T) {
	s := newSensor(t, 0)
	s.create("web")
	s.fail(func(verb string) error {
		if verb == "watch" {
			return apierrors.NewForbidden(corev1.Resource("pods"), "", errors.New("not you"))
		}
		return nil
	})
	_, err := s.Step(t.Context())
	assert.True(t, apierrors.IsForbidden(err), "%v", err)
	_, known := s.Cache.Get(kubetest.Named("web"))
	assert.True(t, known, "the list was taken")
}

func TestAnIdleStoreIsNotListedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSensor(t, 0)
		running(t, s.Informer.Run)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.Equal(t, []string{"list", "watch"}, s.calls)
	})
}
