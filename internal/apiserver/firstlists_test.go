package apiserver_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver"
	"reconcile/internal/apiserver/kinds"
)

const first = "?watch=true&sendInitialEvents=true" +
	"&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

// A store is read by no more clients at once than there are processors, and
// a writer waits for no more.
func TestCollectionsAreReadByTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reading atomic.Int32
		goOn := make(chan struct{})
		all := kinds.All()
		configMap := &all[slices.IndexFunc(all, func(k kinds.Kind) bool { return k.Resource == "configmaps" })]
		configMap.Fields = func(controlloop.Object) fields.Set {
			reading.Add(1)
			<-goOn
			return fields.Set{}
		}
		store := controlloop.NewStore(kinds.Store(all))
		_, err := store.Create(t.Context(), configMapOf("c", 1))
		require.NoError(t, err)
		a := &api{t, store, apiserver.New(store, apiserver.Options{Kinds: all})}
		var ended sync.WaitGroup
		for n := range 4 * runtime.GOMAXPROCS(0) {
			path := configMaps + "?fieldSelector=metadata.name=c"
			if n%2 == 0 {
				path = configMaps + first + "&timeoutSeconds=1&fieldSelector=metadata.name=c"
			}
			ended.Go(func() { a.get(path) })
		}
		synctest.Wait()
		assert.EqualValues(t, runtime.GOMAXPROCS(0), reading.Load())
		close(goOn)
		ended.Wait()
	})
}

// Clients that don't read what is sent to them keep their turns from no other,
// and hold up no writer.
func TestClientsThatDoNotReadTheirFirstListHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		_, err := a.store.Create(t.Context(), configMapOf("c", 32<<10))
		require.NoError(t, err)
		watching, stop := context.WithCancel(t.Context())
		var full, gone sync.WaitGroup
		for range 4 * runtime.GOMAXPROCS(0) {
			full.Add(1)
			request := request{method: http.MethodGet, path: configMaps + first}
			gone.Go(func() {
				a.handler.ServeHTTP(&slowReader{ear: ear{nil, http.Header{}},
					full: full.Done, ends: watching.Done()}, request.http(t).WithContext(watching))
			})
		}
		full.Wait()
		assert.Equal(t, 200, a.patch(configMaps+"/c", merge, `{"data":{"n":"2"}}`).code)
		assert.Equal(t, 200, a.get(configMaps).code)
		stop()
		gone.Wait()
	})
}

func configMapOf(name string, size int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Data:       map[string]string{"text": strings.Repeat("x", size)},
	}
}

// BenchmarkWriteWhileFirstListsAreSent has a thousand clients ask at once for
// all of five thousand objects and what becomes of them, and stop reading in the
// midst of that. Meanwhile a writer writes: most-ms is its longest wait.
func BenchmarkWriteWhileFirstListsAreSent(b *testing.B) {
	const clients, objects, most = 1000, 5000, 2 << 20
	a := newAPI(b)
	for n := range objects {
		_, err := a.store.Create(b.Context(), configMapOf(fmt.Sprint("c", n), 1000))
		require.NoError(b, err)
	}
	longest := time.Duration(0)
	for b.Loop() {
		watching, stop := context.WithCancel(context.Background())
		var full, gone sync.WaitGroup
		full.Add(clients)
		for range clients {
			request := request{method: http.MethodGet, path: configMaps + first}
			gone.Go(func() {
				a.handler.ServeHTTP(&slowReader{ear: ear{nil, http.Header{}}, room: most,
					full: full.Done, ends: watching.Done()}, request.http(b).WithContext(watching))
			})
		}
		sent := make(chan struct{})
		go func() { full.Wait(); close(sent) }()
		for n, done := 0, false; !done; n++ {
			select {
			case <-sent:
				done = true
			default:
			}
			began := time.Now()
			got := a.patch(configMaps+"/c1", merge, fmt.Sprintf(`{"data":{"n":"%d"}}`, n))
			require.Equal(b, 200, got.code)
			longest = max(longest, time.Since(began))
		}
		stop()
		gone.Wait()
	}
	b.ReportMetric(float64(longest.Milliseconds()), "most-ms")
}

// slowReader is a connection whose other end stops to read when it has so many
// bytes.
type slowReader struct {
	ear
	room int
	full func()
	ends <-chan struct{}
}

func (s *slowReader) FlushError() error { return nil }

func (s *slowReader) Write(text []byte) (int, error) {
	if s.room -= len(text); s.room >= 0 {
		return len(text), nil
	}
	s.full()
	<-s.ends
	return 0, context.Canceled
}
