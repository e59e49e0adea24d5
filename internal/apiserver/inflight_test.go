package apiserver_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/apiserver"
	"reconcile/internal/httpserve"
)

// unread is a request whose answer waits until it is let go.
type unread struct {
	*httptest.ResponseRecorder
	letGo chan bool
}

func (u unread) Write(p []byte) (int, error) {
	<-u.letGo
	return u.ResponseRecorder.Write(p)
}

func TestTooManyRequestsAtOnceAreToldToComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPIWith(t, apiserver.Options{Limits: apiserver.Limits{InFlight: 2}})
		letGo := make(chan bool)
		for range 2 {
			slow := unread{httptest.NewRecorder(), letGo}
			go a.handler.ServeHTTP(slow, httptest.NewRequest("GET", pods, nil))
		}
		synctest.Wait()
		got := a.get(pods)
		assert.Equal(t, http.StatusTooManyRequests, got.code)
		assert.Equal(t, "1", got.header.Get("Retry-After"))
		assert.Equal(t, "Too many requests, please try again later.\n", got.body)
		for _, path := range []string{
			pods + "?watch=true&timeoutSeconds=1", pods + "?watch&timeoutSeconds=1",
			"/healthz", "/api",
		} {
			assert.Equal(t, http.StatusOK, a.get(path).code, path)
		}
		assert.Equal(t, http.StatusTooManyRequests, a.get(pods+"?watch=false").code)
		assert.Equal(t, http.StatusNotFound, a.get(pods+"/web/log").code,
			"what lasts is not counted")
		close(letGo)
		synctest.Wait()
		assert.Equal(t, http.StatusOK, a.get(pods).code, "and then there is room")
	})
}

// 100 clients ask for a list of 6 MB, and do not read it.
func TestListsThatNobodyReadsAreNotKeptForEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		for n := range 200 {
			a.post(configMaps, fmt.Sprintf(`{"metadata":{"name":"c%d"},"data":{"a":%q}}`,
				n, strings.Repeat("x", 30_000)))
		}
		whole := a.get(configMaps).body
		require.Greater(t, len(whole), 6_000_000)
		runtime.GC()
		before := heap()
		listener := listen()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- httpserve.Serve(ctx, listener, a.handler) }()
		var deaf []net.Conn
		for range 100 {
			deaf = append(deaf, listener.dial())
			fmt.Fprintf(deaf[len(deaf)-1],
				"GET %s HTTP/1.1\r\nHost: x\r\n\r\n", configMaps)
		}
		synctest.Wait()
		runtime.GC()
		assert.Less(t, heap(), before+20<<20, "bytes for %d readers", len(deaf))
		time.Sleep(time.Minute) // by then all of them are cut off
		stop()
		assert.NoError(t, <-done)
	})
}

func TestAListIsWrittenAsAWholeWouldBe(t *testing.T) {
	a := newAPI(t)
	for _, want := range []int{0, 1, 3} {
		for n := range want {
			a.post(configMaps, aConfigMap(n, 10))
		}
		got := a.get(configMaps)
		list := into[map[string]any](http.StatusOK, got)
		assert.Len(t, list["items"], want)
		assert.Equal(t, "ConfigMapList", list["kind"])
		assert.True(t, strings.HasSuffix(got.body, "]}\n"), got.body)
		assert.True(t, strings.HasPrefix(got.body,
			`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"`),
			got.body)
	}
}
