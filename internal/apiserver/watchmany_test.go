package apiserver_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver"
)

const (
	watchers = 100
	changes  = 10_000
)

// All watch over real connections while changes are made as fast as they can
// be: each sees each of them, once and in order.
func TestAHundredWatchersMissNothingOfTenThousandChanges(t *testing.T) {
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
// and those who write, notice nothing.
func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	a := newAPIWith(t, apiserver.Options{
		Limits: apiserver.Limits{Stall: 200 * time.Millisecond},
	}, controlloop.WithHistory(10))
	ended := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			a.handler.ServeHTTP(w, r)
			ended <- r.URL.Query().Get("name")
		}))
	defer server.Close()

	deaf, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer deaf.Close()
	require.NoError(t, deaf.(*net.TCPConn).SetReadBuffer(4096))
	fmt.Fprintf(deaf, "GET %s?watch=true&name=deaf HTTP/1.1\r\nHost: x\r\n\r\n", configMaps)
	response, err := http.Get(server.URL + configMaps + "?watch=true&name=good")
	require.NoError(t, err)
	defer response.Body.Close()
	good := bufio.NewReader(response.Body)

	big := make([]byte, 100_000)
	for i := range big {
		big[i] = 'x'
	}
	a.post(configMaps, `{"metadata":{"name":"c"}}`)
	for n := 0; ; n++ {
		a.patch(configMaps+"/c", merge, fmt.Sprintf(`{"data":{"n":"%d","x":"%s"}}`, n, big))
		_, err := good.ReadBytes('\n')
		require.NoError(t, err, "who reads is served")
		select {
		case who := <-ended:
			assert.Equal(t, "deaf", who)
			assert.Less(t, n, 5000)
			return
		default:
		}
	}
}

// When it comes back, what it missed is gone: it is told so, and lists again.
func TestWhoWasCutOffForTooLongIsExpired(t *testing.T) {
	a := newAPI(t, controlloop.WithHistory(10))
	for n := range 100 {
		a.post(configMaps, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, n))
	}
	got := a.get(configMaps + "?watch=true&resourceVersion=3&timeoutSeconds=1")
	assert.Contains(t, got.body, `{"type":"ERROR","object":{"kind":"Status"`)
	assert.Contains(t, got.body, `"reason":"Expired"`)
}
