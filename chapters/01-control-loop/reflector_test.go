package controlloop_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// sensor is an informer of Pods over a client that can fail, with the calls it
// makes and the events its handler hears.
type sensor struct {
	*controlloop.Informer
	t      *testing.T
	store  *controlloop.Store
	client *kubetest.Faults
	calls  []string // list, watch
	heard  []string // "add web", "update web", "delete web"
}

// newSensor keeps count of calls; resync is how often it reminds, 0: never.
func newSensor(
	t *testing.T, resync time.Duration, options ...controlloop.Option,
) *sensor {
	s := &sensor{t: t, store: newStore(options...)}
	s.client = kubetest.NewFaults(s.store)
	s.fail(nil)
	s.Informer = controlloop.NewInformer(
		s.client, controlloop.PodKind, controlloop.ListOptions{}, resync, nil)
	s.Handle(s.ear(&s.heard))
	return s
}

// fail makes calls end with an error as long as with returns one.
func (s *sensor) fail(with func(verb string) error) {
	s.client.Fail(func(call kubetest.Call) error {
		s.calls = append(s.calls, call.Verb)
		if with != nil {
			return with(call.Verb)
		}
		return nil
	})
}

// ear returns a handler that writes down what it hears.
func (s *sensor) ear(heard *[]string) controlloop.Handler {
	hear := func(what string, obj controlloop.Object) {
		*heard = append(*heard, what+" "+obj.GetName())
	}
	return controlloop.Handler{
		OnAdd:    func(obj controlloop.Object) { hear("add", obj) },
		OnUpdate: func(_, obj controlloop.Object) { hear("update", obj) },
		OnDelete: func(obj controlloop.Object) { hear("delete", obj) },
	}
}

// step catches up, and returns what was heard and asked meanwhile.
func (s *sensor) step() (heard, calls []string) {
	s.t.Helper()
	s.heard, s.calls = nil, nil
	_, err := s.Step(s.t.Context())
	require.NoError(s.t, err)
	return s.heard, s.calls
}

func (s *sensor) create(names ...string) {
	for _, name := range names {
		mustCreate(s.t, s.store, nginxPod(name))
	}
}

func (s *sensor) touch(name string) {
	s.t.Helper()
	obj, err := s.store.Get(s.t.Context(), controlloop.PodKind, kubetest.Named(name))
	require.NoError(s.t, err)
	mustUpdate(s.t, s.store, edited(obj, func(obj controlloop.Object) {
		obj.SetAnnotations(map[string]string{"touched": obj.GetResourceVersion()})
	}))
}

func (s *sensor) delete(name string) {
	s.t.Helper()
	require.NoError(s.t, s.store.Delete(s.t.Context(), controlloop.PodKind,
		kubetest.Named(name), metav1.DeleteOptions{}))
}

func TestAReflectorListsOnceAndThenWatches(t *testing.T) {
	s := newSensor(t, 0)
	s.create("a", "b")
	heard, calls := s.step()
	assert.Equal(t, []string{"add a", "add b"}, heard)
	assert.Equal(t, []string{"list", "watch"}, calls)
	s.create("c")
	s.touch("a")
	s.delete("b")
	heard, calls = s.step()
	assert.Equal(t, []string{"add c", "update a", "delete b"}, heard)
	assert.Empty(t, calls, "nothing is asked any more")
	heard, _ = s.step()
	assert.Empty(t, heard)
}

func TestAReflectorGoesOnWhereItsWatchBroke(t *testing.T) {
	s := newSensor(t, 0)
	s.create("a", "b", "c")
	s.step()
	s.touch("a")
	s.delete("b")
	s.client.BreakWatches(io.ErrUnexpectedEOF)
	heard, calls := s.step()
	assert.Equal(t, []string{"update a", "delete b"}, heard, "and c is not heard of again")
	assert.Equal(t, []string{"watch"}, calls)
}

func TestAReflectorListsAgainOnlyWhenItsPlaceIsForgotten(t *testing.T) {
	for name, gone := range map[string]error{
		"Expired": apierrors.NewResourceExpired("too old resource version"),
		"Gone": &apierrors.StatusError{ErrStatus: metav1.Status{
			Reason: metav1.StatusReasonGone, Message: "too old resource version",
		}},
	} {
		s := newSensor(t, 0)
		s.create("same", "changed", "gone")
		s.step()
		s.touch("changed")
		s.delete("gone")
		s.create("new")
		s.client.BreakWatches(gone)
		heard, calls := s.step()
		assert.ElementsMatch(t, []string{"update changed", "add new", "delete gone"}, heard,
			"%s: what is the same is not heard of again", name)
		assert.Equal(t, []string{"list", "watch"}, calls, name)
	}
}

func TestAReflectorThatWasTooLateListsAgain(t *testing.T) {
	s := newSensor(t, 0, controlloop.WithHistory(3))
	s.create("a", "b")
	s.step()
	s.delete("b")
	for range 10 {
		s.touch("a")
	}
	heard, calls := s.step()
	assert.ElementsMatch(t, []string{"update a", "delete b"}, heard)
	assert.Equal(t, []string{"list", "watch"}, calls)
}

func TestAReflectorThatWasCutOffForTooLongListsAgain(t *testing.T) {
	s := newSensor(t, 0, controlloop.WithHistory(3))
	s.create("a")
	s.step()
	s.client.BreakWatches(io.ErrUnexpectedEOF)
	for range 10 {
		s.touch("a")
	}
	heard, calls := s.step()
	assert.Equal(t, []string{"update a"}, heard)
	assert.Equal(t, []string{"watch", "list", "watch"}, calls)
}

// The last state of an object whose deletion went unseen is the last that was
// seen.
func TestADeletionThatNobodySawShowsTheLastStateKnown(t *testing.T) {
	s := newSensor(t, 0)
	s.create("web")
	s.step()
	known, _ := s.Cache.Get(kubetest.Named("web"))
	var gone controlloop.Object
	s.Handle(controlloop.Handler{OnDelete: func(obj controlloop.Object) { gone = obj }})
	s.touch("web")
	s.delete("web")
	s.client.BreakWatches(apierrors.NewResourceExpired(""))
	s.step()
	assert.Same(t, known, gone)
}

// Deleted and created again, unseen: a controller that holds on to the old uid
// would wait for ever.
func TestAnObjectReplacedUnseenIsAnUpdateToAnotherUID(t *testing.T) {
	s := newSensor(t, 0)
	s.create("web")
	s.step()
	var uids []any
	s.Handle(controlloop.Handler{OnUpdate: func(old, obj controlloop.Object) {
		uids = append(uids, old.GetUID(), obj.GetUID())
	}})
	s.delete("web")
	s.create("web")
	s.client.BreakWatches(apierrors.NewResourceExpired(""))
	heard, _ := s.step()
	assert.Equal(t, []string{"update web"}, heard)
	require.Len(t, uids, 2)
	assert.NotEqual(t, uids[0], uids[1])
}

func TestAReflectorTriesAgainLaterAndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSensor(t, 0)
		start := time.Now()
		var tries []time.Duration
		s.fail(func(verb string) error {
			tries = append(tries, time.Since(start))
			if len(tries) <= 8 {
				return errors.New("connection refused")
			}
			return nil
		})
		s.create("web")
		stop := running(t, s.Informer.Run)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		ms := time.Millisecond
		assert.Equal(t, []time.Duration{0, 800 * ms, 2400 * ms, 5600 * ms, 12_000 * ms,
			24_800 * ms, 50_400 * ms, 80_400 * ms, 110_400 * ms}, tries[:9])
		assert.Equal(t, []string{"add web"}, s.heard)

		// It works again, so what fails next fails for the first time.
		s.client.BreakWatches(io.ErrUnexpectedEOF)
		s.touch("web")
		time.Sleep(800 * ms)
		synctest.Wait()
		assert.Equal(t, []string{"add web", "update web"}, s.heard)
		stop()
	})
}

// running runs f until stop is called, which waits for it to end.
func running(t *testing.T, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

func TestABookmarkSparesAQuietWatchTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSensor(t, 0, controlloop.WithHistory(10))
		informer := controlloop.NewInformer(s.client, controlloop.PodKind,
			controlloop.ListOptions{Namespace: "quiet"}, 0, nil)
		running(t, informer.Run)
		s.create("web")
		for range 100 { // much happens, but nothing in this namespace
			s.touch("web")
			time.Sleep(2 * time.Second)
		}
		synctest.Wait()
		s.calls = nil
		s.client.BreakWatches(io.ErrUnexpectedEOF)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"watch"}, s.calls)
	})
}
