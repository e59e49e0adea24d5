package apiserver_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
)

// BenchmarkTellAllWhoWatch changes a Pod that many watch, and measures the cost
// of telling one of them, each in the form that it asked for. With -cpu 1 the
// time is the processor's.
func BenchmarkTellAllWhoWatch(b *testing.B) {
	for _, form := range []struct{ name, accept string }{
		{"object", "application/json"},
		{"metadata", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
		{"table", "application/json;as=Table;v=v1;g=meta.k8s.io"},
	} {
		for _, watchers := range []int{1, 10, 200} {
			b.Run(fmt.Sprintf("%s/watchers=%d", form.name, watchers), func(b *testing.B) {
				audience := newAudience(b, form.accept, watchers)
				before, n := allocated(), 0
				for ; b.Loop(); n++ {
					audience.updatePod(strconv.Itoa(n))
				}
				after, events := allocated(), float64(n*watchers)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/events, "ns/event")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/events, "allocs/event")
			})
		}
	}
}

// A big object is not written anew for each of its watchers.
func TestWhatTwoHundredWatchIsWrittenOnce(t *testing.T) {
	const events, watchers, size = 20, 200, 50_000
	audience := newAudience(t, "application/json", watchers)
	before := allocated()
	for n := range events {
		audience.updatePod(strings.Repeat(string(rune('a'+n)), size))
	}
	each := (allocated().TotalAlloc - before.TotalAlloc) / (events * watchers)
	assert.Less(t, each, uint64(size/10), "bytes that a watcher costs, by event")
}

func allocated() (stats runtime.MemStats) {
	runtime.ReadMemStats(&stats)
	return stats
}

// audience is many watchers of the Pods of a namespace, of which one changes.
type audience struct {
	*api
	pod      controlloop.Object
	watchers int
	heard    sync.WaitGroup // done when all have been told
}

// newAudience returns one that listens.
func newAudience(t testing.TB, accept string, watchers int) *audience {
	a := &audience{api: newAPI(t), watchers: watchers}
	created, err := a.store.Create(t.Context(), aPod("web"))
	require.NoError(t, err)
	a.pod = controlloop.Copy(created)
	a.pod.SetResourceVersion("")
	a.pod.SetAnnotations(map[string]string{})
	watching, stop := context.WithCancel(context.Background()) // outlives the test's
	var gone sync.WaitGroup
	a.heard.Add(2 * watchers) // each begins with a flush, and tells of the Pod with one
	for range watchers {
		request := request{method: http.MethodGet, path: pods + "?watch=true", accept: accept}
		gone.Go(func() {
			a.handler.ServeHTTP(ear{&a.heard, http.Header{}},
				request.http(t).WithContext(watching))
		})
	}
	a.heard.Wait()
	t.Cleanup(func() {
		stop()
		gone.Wait()
	})
	return a
}

// updatePod changes the Pod, and returns when all have heard of it.
func (a *audience) updatePod(what string) {
	a.t.Helper()
	a.heard.Add(a.watchers)
	a.pod.GetAnnotations()["what"] = what
	_, err := a.store.Update(context.Background(), a.pod)
	require.NoError(a.t, err)
	a.heard.Wait()
}

// ear is a connection whose other end reads at once, and counts flushes.
type ear struct {
	heard  *sync.WaitGroup
	header http.Header
}

func (e ear) Header() http.Header              { return e.header }
func (e ear) WriteHeader(int)                  {}
func (e ear) Write(text []byte) (int, error)   { return len(text), nil }
func (e ear) SetWriteDeadline(time.Time) error { return nil }
func (e ear) FlushError() error                { e.heard.Done(); return nil }
