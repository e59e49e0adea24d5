package apiserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/httpserve"
	"reconcile/internal/slow"
)

const (
	watchers = 100
	changes  = 10_000
)

// All watch over real connections while changes are made as fast as they can
// be: each sees each of them, once and in order.
func TestAHundredWatchersMissNothingOfTenThousandChanges(t *testing.T) {
	slow.Test(t, "it reads a million events")
	a := newAPI(t, controlloop.WithHistory(changes))
	url := a.config().Host
	var done, ready sync.WaitGroup
	for range watchers {
		response, err := http.Get(url + configMaps + "?watch=true")
		require.NoError(t, err)
		ready.Add(1)
		done.Go(func() {
			defer response.Body.Close()
			ready.Done()
			assert.NoError(t, follows(response.Body))
		})
	}
	ready.Wait()
	before := heap()
	made := into[metav1.PartialObjectMetadata](201, a.post(configMaps,
		`{"metadata":{"name":"c"},"data":{"n":"1"}}`))
	assert.Equal(t, "3", made.ResourceVersion)
	most := uint64(0)
	for n := 2; n <= changes; n++ {
		got := a.patch(configMaps+"/c", merge, fmt.Sprintf(`{"data":{"n":"%d"}}`, n))
		require.Equal(t, 200, got.code, got.body)
		if n%1000 == 0 {
			most = max(most, heap())
		}
	}
	done.Wait()
	t.Logf("heap: %d MB before, at most %d MB", before>>20, most>>20)
	assert.Less(t, most, before+150<<20, "what is not read is not kept for its reader")
}

// follows reads a stream that begins with version 3 of an object and goes up by
// one, until all changes are seen.
func follows(stream io.Reader) error {
	lines := bufio.NewReader(stream)
	for n := 1; n <= changes; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("after %d events: %w", n-1, err)
		}
		version := fmt.Appendf(nil, `"resourceVersion":"%d"`, n+2)
		data := fmt.Appendf(nil, `"data":{"n":"%d"}`, n)
		if !bytes.Contains(line, version) || !bytes.Contains(line, data) {
			return fmt.Errorf("event %d: %s", n, line)
		}
	}
	return nil
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// A client that opens a watch and never reads is cut off. Meanwhile the others,
// and the writers, notice nothing.
func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t, controlloop.WithHistory(10))
		listener := listen()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- httpserve.Serve(ctx, listener, a.handler) }()
		watching := func() net.Conn {
			connection := listener.dial()
			fmt.Fprintf(connection, "GET %s?watch=true HTTP/1.1\r\nHost: x\r\n\r\n", configMaps)
			return connection
		}
		deaf, good := watching(), watching()
		var seen atomic.Int32
		go func() {
			for lines := bufio.NewScanner(good); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), `{"type":`) {
					seen.Add(1)
				}
			}
		}()
		for n := range 100 {
			require.Equal(t, 201, a.post(configMaps,
				fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, n)).code)
			synctest.Wait()
			require.EqualValues(t, n+1, seen.Load(), "who reads is served at once")
		}
		time.Sleep(time.Minute)
		_, err := deaf.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF, "nothing was kept, and nobody is there any longer")
		a.post(configMaps, `{"metadata":{"name":"last"}}`)
		synctest.Wait()
		assert.EqualValues(t, 101, seen.Load())
		stop()
		assert.NoError(t, <-done)
	})
}

// When it comes back, the events that it missed are gone: it is
// told so, and lists again.
func TestWhoWasCutOffForTooLongIsExpired(t *testing.T) {
	a := newAPI(t, controlloop.WithHistory(10))
	for n := range 100 {
		a.post(configMaps, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, n))
	}
	got := a.get(configMaps + "?watch=true&resourceVersion=3&timeoutSeconds=1")
	assert.Contains(t, got.body, `{"type":"ERROR","object":{"kind":"Status"`)
	assert.Contains(t, got.body, `"reason":"Expired"`)
}
