package streams_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	transportspdy "k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"reconcile/internal/apiserver/streams"
)

// forward forwards a free port of this machine to one of the Pod. It returns
// its address, and a function that ends it and returns its error.
func forward(
	t *testing.T, config *rest.Config, port int,
) (address string, stop func()) {
	dialer, err := portforward.NewSPDYOverWebsocketDialer(
		at(config, "portforward", nil), config)
	require.NoError(t, err)
	stopped, ready := make(chan struct{}), make(chan struct{})
	f, err := portforward.New(dialer, []string{fmt.Sprintf("0:%d", port)},
		stopped, ready, io.Discard, io.Discard)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- f.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-done:
		require.NoError(t, err)
	}
	ports, err := f.GetPorts()
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", ports[0].Local), sync.OnceFunc(
		func() {
			close(stopped)
			<-done
		})
}

// serving returns a server inside a Pod, on connections in memory.
func serving(t *testing.T, port int32, h http.Handler) containers {
	l := newPipes()
	server := &http.Server{Handler: h}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return containers{dial: func(ctx context.Context, to int32) (net.Conn, error) {
		if to != port {
			return nil, errors.New("dial tcp 10.244.1.1:81: connect: connection refused")
		}
		return l.dial(ctx)
	}}
}

func TestPortForwardCarriesManyConnectionsAtOnce(t *testing.T) {
	config := listen(t, web(), serving(t, 80, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, strings.Repeat(r.URL.Path, 10_000))
		})))
	address, stop := forward(t, config, 80)
	defer stop()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			response, err := client.Get(fmt.Sprintf("http://%s/%d", address, i))
			if !assert.NoError(t, err) {
				return
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			assert.NoError(t, err)
			assert.Equal(t, strings.Repeat(fmt.Sprintf("/%d", i), 10_000), string(body))
		})
	}
	all.Wait()
}

// streamTo makes one stream to a port, as client-go does.
func streamTo(
	t *testing.T, conn httpstream.Connection, kind, port, request string,
) httpstream.Stream {
	s, err := conn.CreateStream(http.Header{
		corev1.StreamType: {kind}, corev1.PortHeader: {port},
		corev1.PortForwardRequestIDHeader: {request},
	})
	require.NoError(t, err)
	return s
}

func tunnel(t *testing.T, config *rest.Config) httpstream.Connection {
	dialer, err := portforward.NewSPDYOverWebsocketDialerForStreaming(
		at(config, "portforward", nil), config)
	require.NoError(t, err)
	conn, _, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestPortForwardIsServedToOlderClients(t *testing.T) {
	config := listen(t, web(), serving(t, 80, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hi") })))
	transport, upgrader, err := transportspdy.RoundTripperFor(config)
	require.NoError(t, err)
	dialer := transportspdy.NewDialerForStreaming(upgrader,
		&http.Client{Transport: transport}, http.MethodPost,
		at(config, "portforward", nil))
	conn, _, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	require.NoError(t, err)
	defer conn.Close()
	streamTo(t, conn, corev1.StreamTypeError, "80", "0").Close()
	data := streamTo(t, conn, corev1.StreamTypeData, "80", "0")
	io.WriteString(data, "GET / HTTP/1.0\r\n\r\n")
	answer, err := io.ReadAll(data)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(answer), "hi"), string(answer))
}

func TestPortForwardSaysWhyAPortCannotBeReached(t *testing.T) {
	config := listen(t, web(), serving(t, 80, http.NotFoundHandler()))
	conn := tunnel(t, config)
	problem := streamTo(t, conn, corev1.StreamTypeError, "81", "0")
	problem.Close()
	data := streamTo(t, conn, corev1.StreamTypeData, "81", "0")
	text, err := io.ReadAll(problem)
	require.NoError(t, err)
	assert.Equal(t, "error forwarding port 81 to pod web, "+
		"uid uid-of-web: dial tcp 10.244.1.1:81: connect: connection refused",
		string(text))
	rest, _ := io.ReadAll(data)
	assert.Empty(t, rest)
}

func TestAStreamToNoPortIsRefused(t *testing.T) {
	config := listen(t, web(), serving(t, 80, http.NotFoundHandler()))
	conn := tunnel(t, config)
	for name, header := range map[string]http.Header{
		"no port":    {corev1.StreamType: {"data"}, corev1.PortForwardRequestIDHeader: {"0"}},
		"port 0":     {corev1.StreamType: {"data"}, corev1.PortHeader: {"0"}, corev1.PortForwardRequestIDHeader: {"0"}},
		"no request": {corev1.StreamType: {"data"}, corev1.PortHeader: {"80"}},
		"no kind":    {corev1.PortHeader: {"80"}, corev1.PortForwardRequestIDHeader: {"0"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := conn.CreateStream(header)
			if err == nil {
				_, err = s.Read(make([]byte, 1))
			}
			assert.Error(t, err)
		})
	}
}

// tunnelInMemory returns a tunnel inside a bubble.
func tunnelInMemory(t *testing.T, c streams.Containers) httpstream.Connection {
	// When all is closed, package spdystream waits to be asked how.
	t.Cleanup(func() { time.Sleep(2 * time.Second) })
	ws := connect(t, "portforward", "SPDY/3.1+portforward.k8s.io", c)
	conn, err := spdy.NewClientConnection(
		portforward.NewTunnelingConnection("client", ws))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestAPodAnswersToWhoHasSaidAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := tunnelInMemory(t, serving(t, 80, http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(3 * time.Second)
				io.WriteString(w, "hi")
			})))
		streamTo(t, conn, corev1.StreamTypeError, "80", "0").Close()
		data := streamTo(t, conn, corev1.StreamTypeData, "80", "0")
		io.WriteString(data, "GET / HTTP/1.1\r\nHost: web\r\n\r\n")
		data.Close()
		answer, err := io.ReadAll(data)
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(string(answer), "hi"), string(answer))
	})
}

func TestPortForwardThatEndsEndsItsConnectionsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := make(chan struct{})
		conn := tunnelInMemory(t, serving(t, 80, http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				close(hung)
			})))
		streamTo(t, conn, corev1.StreamTypeError, "80", "0").Close()
		data := streamTo(t, conn, corev1.StreamTypeData, "80", "0")
		io.WriteString(data, "GET / HTTP/1.1\r\nHost: web\r\n\r\n")
		synctest.Wait()
		before := time.Now()
		conn.Close()
		<-hung
		assert.Less(t, time.Since(before), time.Second)
	})
}
