package apiserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/apiserver"
	"reconcile/internal/httpserve"
	"reconcile/internal/slow"
)

// served runs Serve on loopback. The function that it returns stops it, and
// waits for it.
func served(t *testing.T, handler http.Handler) (address string, stop func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- httpserve.Serve(ctx, listener, handler) }()
	return listener.Addr().String(), func() {
		cancel()
		require.NoError(t, <-done)
	}
}

func TestAServerThatStopsEndsItsWatches(t *testing.T) {
	a := newAPI(t)
	address, stop := served(t, a.handler)
	response, err := http.Get("http://" + address + pods + "?watch=true")
	require.NoError(t, err)
	defer response.Body.Close()
	stop()
	_, err = io.ReadAll(response.Body)
	assert.NoError(t, err, "the stream ends as it should")
	_, err = net.Dial("tcp", address)
	assert.Error(t, err)
}

func TestAServerThatStopsLetsRequestsFinish(t *testing.T) {
	begun, finish := make(chan bool), make(chan bool)
	address, stop := served(t, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			begun <- true
			<-finish
			io.WriteString(w, "done")
		}))
	answer := make(chan string)
	go func() {
		response, err := http.Get("http://" + address)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answer <- string(body)
	}()
	<-begun
	stopped := make(chan bool)
	go func() {
		stop()
		close(stopped)
	}()
	close(finish)
	assert.Equal(t, "done", <-answer)
	<-stopped
}

// Connections that were taken over are not the server's any longer: it waits
// for their handlers all the same.
func TestAServerStopsWhenTheLastHandlerHas(t *testing.T) {
	taken, gone := make(chan bool), false
	address, stop := served(t, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			connection, _, err := http.NewResponseController(w).Hijack()
			if !assert.NoError(t, err) {
				return
			}
			defer connection.Close()
			close(taken)
			<-r.Context().Done()
			gone = true
		}))
	connection, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer connection.Close()
	fmt.Fprint(connection, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-taken
	stop()
	assert.True(t, gone)
}

// Many connect and say nothing, or not enough. A client with a request is
// answered meanwhile.
func TestThousandsThatSayNothingAreInNobodysWay(t *testing.T) {
	slow.Deep(t, "race", "it opens thousands of connections")
	const silent = 4000
	address, stop := served(t, newAPI(t).handler)
	defer stop()
	for n := range silent {
		connection, err := net.Dial("tcp", address)
		require.NoError(t, err, "after %d", n)
		defer connection.Close()
		if n%2 == 0 {
			fmt.Fprint(connection, "GET / HTTP/1.1\r\nHost:")
		}
	}
	response, err := http.Get("http://" + address + "/healthz")
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 200, response.StatusCode)
}

// A client that promises a body and does not send it is told so.
func TestABodyThatDoesNotComeIsNotWaitedForForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := listen()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- httpserve.Serve(ctx, listener, newAPI(t).handler) }()
		connection := listener.dial()
		go fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: x\r\n"+
			"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{", pods)
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusRequestTimeout, response.StatusCode)
		connection.Close()
		stop()
		assert.NoError(t, <-done)
	})
}

func TestABodyOfNoStatedLengthIsLimitedToo(t *testing.T) {
	a := newAPIWith(t, apiserver.Options{Limits: apiserver.Limits{Body: 1000}})
	address, stop := served(t, a.handler)
	defer stop()
	big := io.LimitReader(zeros{}, 100_000)
	response, err := http.Post("http://"+address+pods, "application/json", big)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
