package apiserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// watcher is a client that watches, in a bubble.
type watcher struct {
	t      testing.TB
	cancel context.CancelFunc

	mu        sync.Mutex
	header    http.Header
	code      int
	pending   bytes.Buffer // written
	delivered bytes.Buffer // and flushed
	ended     bool
}

// frame is an event on the wire.
type frame struct {
	Type   string
	Object json.RawMessage
}

func (a *api) watch(path, accept string) *watcher {
	ctx, cancel := context.WithCancel(a.t.Context())
	w := &watcher{t: a.t, cancel: cancel, header: http.Header{}}
	req := request{method: "GET", path: path, accept: accept}.http(a.t).WithContext(ctx)
	go func() {
		a.handler.ServeHTTP(w, req)
		w.Flush()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = true
	}()
	a.t.Cleanup(cancel)
	synctest.Wait()
	return w
}

func (w *watcher) Header() http.Header { return w.header }

func (w *watcher) WriteHeader(code int) { w.code = code }

func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending.Write(p)
}

func (w *watcher) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending.WriteTo(&w.delivered)
}

// frames returns those that have come since the last call.
func (w *watcher) frames() []frame {
	w.t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	var frames []frame
	for decoder := json.NewDecoder(&w.delivered); decoder.More(); {
		var f frame
		require.NoError(w.t, decoder.Decode(&f))
		frames = append(frames, f)
	}
	w.delivered.Reset()
	return frames
}

// events returns frames as "ADDED web@3".
func (w *watcher) events() string {
	w.t.Helper()
	var events []string
	for _, f := range w.frames() {
		var about metav1.PartialObjectMetadata
		require.NoError(w.t, json.Unmarshal(f.Object, &about), string(f.Object))
		events = append(events, fmt.Sprintf("%s %s@%s",
			f.Type, about.Name, about.ResourceVersion))
	}
	return strings.Join(events, ", ")
}

func (w *watcher) hasEnded() bool {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// bubbled runs a test in virtual time, with an API that has Pods a@3 and b@5.
func bubbled(t *testing.T, f func(t *testing.T, a *api)) {
	synctest.Test(t, func(t *testing.T) { f(t, withPods(t, "a", "b")) })
}

func TestAWatchTellsEveryChangeFromAVersionOn(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		w := a.watch(pods+"?watch=true&resourceVersion=4", "")
		assert.Equal(t, 200, w.code)
		assert.Equal(t, "application/json", w.header.Get("Content-Type"))
		assert.Equal(t, "ADDED b@5", w.events())
		a.post(pods, aPod("c"))
		assert.Equal(t, "ADDED c@7", w.events(), "as soon as it happens")
		a.patch(pods+"/c", merge, `{"metadata":{"labels":{"a":"b"}}}`)
		a.delete(pods+"/a", nil)
		a.post("/api/v1/namespaces/other/pods", aPod("d"))
		assert.Equal(t, "MODIFIED c@8, DELETED a@9", w.events())
		assert.False(t, w.hasEnded())
		w.cancel()
		assert.True(t, w.hasEnded())
	})
}

func TestAWatchWithoutAVersionBeginsWithWhatIsThere(t *testing.T) {
	for _, version := range []string{"", "&resourceVersion=0"} {
		bubbled(t, func(t *testing.T, a *api) {
			w := a.watch(pods+"?watch=true"+version, "")
			assert.Equal(t, "ADDED a@3, ADDED b@5", w.events())
			a.post(pods, aPod("c"))
			assert.Equal(t, "ADDED c@7", w.events())
		})
	}
}

const streaming = "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true" +
	"&resourceVersionMatch=NotOlderThan"

func TestAStreamedListEndsWithABookmark(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		w := a.watch(pods+streaming, "")
		frames := w.frames()
		require.Len(t, frames, 3)
		assert.Equal(t, "BOOKMARK", frames[2].Type)
		assert.JSONEq(t, `{"kind":"Pod","apiVersion":"v1","metadata":{
			"resourceVersion":"6","annotations":{"k8s.io/initial-events-end":"true"}},
			"spec":{"containers":null},"status":{}}`, string(frames[2].Object))
		a.post(pods, aPod("c"))
		assert.Equal(t, "ADDED c@7", w.events())
	})
}

func TestAStreamedListIsNotOlderThanAskedFor(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		assert.Equal(t, "ADDED a@3, ADDED b@5, BOOKMARK @6",
			a.watch(pods+streaming+"&resourceVersion=4", "").events())
		w := a.watch(pods+streaming+"&resourceVersion=99", "")
		frames := w.frames()
		require.Len(t, frames, 1)
		assert.Equal(t, "ERROR", frames[0].Type)
		assert.Contains(t, string(frames[0].Object), "ResourceVersionTooLarge")
		assert.True(t, w.hasEnded())
	})
}

func TestWithoutInitialEventsOnlyChangesAreTold(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		w := a.watch(pods+"?watch=true&sendInitialEvents=false"+
			"&resourceVersionMatch=NotOlderThan", "")
		assert.Empty(t, w.events())
		a.post(pods, aPod("c"))
		assert.Equal(t, "ADDED c@7", w.events())
		since := a.watch(pods+"?watch=true&sendInitialEvents=false"+
			"&resourceVersionMatch=NotOlderThan&resourceVersion=3", "")
		assert.Equal(t, "ADDED b@5, ADDED c@7", since.events())
	})
}

func TestWhatLeavesASelectionIsDeletedAndWhatEntersIsAdded(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		byLabel := a.watch(pods+"?watch=true&labelSelector=on%3Dyes", "")
		byField := a.watch("/api/v1/nodes?watch=true&fieldSelector=spec.unschedulable=true", "")
		byName := a.watch(pods+"?watch=true&fieldSelector=metadata.name%3Da", "")
		assert.Equal(t, "ADDED a@3", byName.events())
		a.patch(pods+"/b", merge, `{"metadata":{"labels":{"on":"yes"}}}`)
		a.patch(pods+"/b", merge, `{"metadata":{"labels":{"on":"no"}}}`)
		assert.Equal(t, "ADDED b@7, DELETED b@8", byLabel.events())
		a.post("/api/v1/nodes", `{"metadata":{"name":"n"}}`)
		a.patch("/api/v1/nodes/n", merge, `{"spec":{"unschedulable":true}}`)
		a.patch("/api/v1/nodes/n", merge, `{"spec":{"unschedulable":null}}`)
		assert.Equal(t, "ADDED n@10, DELETED n@11", byField.events())
		assert.Empty(t, byName.events())
	})
}

func TestAWatchFromTooLongAgoIsExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t, controlloop.WithHistory(2))
		for i := range 10 {
			a.post(pods, aPod(fmt.Sprint("pod-", i)))
		}
		w := a.watch(pods+"?watch=true&resourceVersion=3", "")
		frames := w.frames()
		require.Len(t, frames, 1)
		assert.Equal(t, 200, w.code, "by now it is a stream")
		assert.Equal(t, "ERROR", frames[0].Type)
		var status metav1.Status
		require.NoError(t, json.Unmarshal(frames[0].Object, &status))
		assert.Equal(t, metav1.StatusReasonExpired, status.Reason)
		assert.EqualValues(t, 410, status.Code)
		assert.Regexp(t, `^too old resource version: 3 \(\d+\)$`, status.Message)
		assert.True(t, w.hasEnded())
	})
}

func TestAWatchEndsWhenItsTimeIsUp(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		short := a.watch(pods+"?watch=true&timeoutSeconds=5", "")
		long := a.watch(pods+"?watch=true", "")
		time.Sleep(4 * time.Second)
		assert.False(t, short.hasEnded())
		time.Sleep(time.Second)
		assert.True(t, short.hasEnded())
		assert.Equal(t, "ADDED a@3, ADDED b@5", short.events(), "and no error")
		time.Sleep(2 * time.Hour)
		assert.True(t, long.hasEnded(), "some end is set to every watch")
	})
}

func TestBookmarksTellHowFarAWatchIs(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		path := pods + "?watch=true&resourceVersion=6"
		with := a.watch(path+"&allowWatchBookmarks=true", "")
		without := a.watch(path, "")
		a.post("/api/v1/namespaces/other/pods", aPod("c"))
		time.Sleep(2 * time.Minute)
		assert.Equal(t, "BOOKMARK @7, BOOKMARK @7", with.events(), "one a minute")
		assert.Empty(t, without.events())
	})
}

func TestAWatchCanBeOfTables(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		w := a.watch(pods+"?watch=true", table)
		frames := w.frames()
		require.Len(t, frames, 2)
		for i, want := range []struct {
			name    string
			columns bool
		}{{"a", true}, {"b", false}} {
			var got metav1.Table
			require.NoError(t, json.Unmarshal(frames[i].Object, &got))
			assert.Equal(t, "Table", got.Kind)
			assert.Equal(t, want.columns, len(got.ColumnDefinitions) > 0,
				"only the first has them")
			require.Len(t, got.Rows, 1)
			assert.Equal(t, want.name, got.Rows[0].Cells[0])
		}
		assert.Equal(t, 500, a.get(pods+"?watch=true&resourceVersion=x").code, "as in Kubernetes")
		assert.Equal(t, 400, a.as(table, pods+"?watch=true&includeObject=Some").code)
	})
}

func TestAWatchCanBeOfMetadata(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		w := a.watch(pods+streaming, partial)
		frames := w.frames()
		require.Len(t, frames, 3, "two Pods, and that these are all")
		for _, f := range frames {
			assert.Contains(t, string(f.Object),
				`"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"`)
			assert.NotContains(t, string(f.Object), `"spec"`)
		}
	})
}

func TestAWatchCanBeAskedForInItsPath(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		all := a.watch("/api/v1/watch/namespaces/default/pods", "")
		one := a.watch("/api/v1/watch/namespaces/default/pods/b", "")
		assert.Equal(t, "ADDED a@3, ADDED b@5", all.events())
		assert.Equal(t, "ADDED b@5", one.events())
	})
}
