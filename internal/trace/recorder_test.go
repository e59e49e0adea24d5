package trace

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// recorded returns a record of three Pods that are created, and of which one is deleted.
func recorded(t *testing.T) *Recorder {
	t.Helper()
	r := New()
	r.Begin()
	store := controlloop.NewStore(controlloop.CoreKinds(), controlloop.OnWrite(r.Wrote))
	for _, name := range []string{"a", "b", "c"} {
		_, err := store.Create(t.Context(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "web:v1"}}},
		})
		require.NoError(t, err)
	}
	key := controlloop.Key{Namespace: "default", Name: "b"}
	require.NoError(t, store.Delete(t.Context(), controlloop.PodKind, key, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	return r
}

// names returns what entries are about.
func names(all []Entry) (names []string) {
	for _, e := range all {
		names = append(names, string(e.Do)+" "+e.Verb+" "+e.Key)
	}
	return names
}

func TestWhatIsTooOldForARecordIsWhatWasThereBefore(t *testing.T) {
	r := recorded(t)
	r.shrink(2)
	assert.Equal(t, []string{"is  default/a", "is  default/b", "write added default/c", "write deleted default/b"}, names(r.Entries()))
	assert.Equal(t, 3, r.Entries()[2].N, "numbers stay")
	assert.Len(t, r.Versions("Pod", "default/b"), 2)

	r.shrink(2)
	assert.Equal(t, []string{"is  default/a", "is  default/c"}, names(r.Entries()))
	assert.Empty(t, r.Versions("Pod", "default/b"))
	assert.Empty(t, r.writes)
}

func TestWhoFollowsIsToldOfEachEntryOnce(t *testing.T) {
	r := recorded(t)
	all := r.since(-1)
	assert.Len(t, all, 4)
	assert.Equal(t, all[3:], r.since(3))
	assert.Empty(t, r.since(4))
}

// busy is a Reconciler whose workers have all begun before the first of them writes.
type busy struct {
	client controlloop.Client
	begun  *sync.WaitGroup
	wrote  chan struct{}
	late   chan struct{} // ends what c does
}

func (b busy) Reconcile(ctx context.Context, key controlloop.Key) (controlloop.Result, error) {
	b.begun.Done()
	b.begun.Wait()
	if key.Name == "a" {
		defer close(b.wrote)
		_, err := b.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}})
		return controlloop.Result{}, err
	}
	<-b.wrote
	if key.Name == "c" {
		<-b.late
	}
	return controlloop.Result{}, nil
}

func TestALoopThatCrashesIsStartedAgainOnceWhenItsLastWorkerHasEnded(t *testing.T) {
	r, starts := New(), atomic.Int32{}
	r.Restart = func(string) { starts.Add(1) }
	store := controlloop.NewStore(controlloop.CoreKinds(), controlloop.OnWrite(r.Wrote))
	b := busy{r.Client(store, store.Kinds()), &sync.WaitGroup{}, make(chan struct{}), make(chan struct{})}
	keys := []string{"a", "b", "c"}
	b.begun.Add(len(keys))
	c := controlloop.NewController("busy", b)
	r.Loop(c)
	_, err := r.Do(Verb{Name: "crash", Of: "busy"})
	require.NoError(t, err)
	var all, early sync.WaitGroup
	early.Add(2)
	for _, name := range keys {
		all.Go(func() {
			_, err := c.Reconciler.Reconcile(t.Context(), controlloop.Key{Namespace: "default", Name: name})
			assert.ErrorIs(t, err, errCrashed)
			if name != "c" {
				early.Done()
			}
		})
	}
	early.Wait()
	assert.Zero(t, starts.Load(), "one of its workers may have something to tell")
	close(b.late)
	all.Wait()
	assert.EqualValues(t, 1, starts.Load())
}

func TestWhoFollowsIsToldSinceWhenAllIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New()
		r.Begin()
		since := func() (at int64) {
			enough := errors.New("enough")
			assert.Equal(t, enough, r.Follow(t.Context(), func(all []Entry) error {
				assert.Equal(t, Since, all[0].Do)
				at = all[0].At
				return enough
			}))
			return at
		}
		begun := time.Now()
		for range 3 {
			time.Sleep(time.Second)
			r.Told("", "resync", "")
		}
		assert.Equal(t, begun.UnixMicro(), since())
		r.mu.Lock()
		r.shrink(2)
		r.mu.Unlock()
		assert.Equal(t, begun.Add(2*time.Second).UnixMicro(), since())
		r.End()
		time.Sleep(linger) // the record goes
	})
}

func TestARequestIsSomebodys(t *testing.T) {
	for who, header := range map[string]http.Header{
		"kubectl scale": {"Kubectl-Command": {"kubectl scale"}, "User-Agent": {"kubectl/v1.37.2"}},
		"curl":          {"User-Agent": {"curl/8.14"}},
		"a client":      {},
	} {
		r := New()
		r.Begin()
		request := httptest.NewRequest(http.MethodPatch, "/api/v1/pods", nil)
		request.Header = header
		r.Requests(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), request)
		request.Method = http.MethodGet
		r.Requests(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), request)
		require.Len(t, r.Entries(), 1, "who only asks is not told of")
		assert.Equal(t, who, r.Entries()[0].Lane)
		assert.Empty(t, r.asks)
	}
}
