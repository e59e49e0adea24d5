package apiserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/httpserve"
)

// inMemory is a listener whose connections are pipes, which know virtual time.
type inMemory struct {
	connections chan net.Conn
	closed      chan bool
}

func listen() *inMemory {
	return &inMemory{make(chan net.Conn), make(chan bool)}
}

func (l *inMemory) dial() net.Conn {
	client, server := net.Pipe()
	l.connections <- server
	return client
}

func (l *inMemory) Accept() (net.Conn, error) {
	select {
	case connection := <-l.connections:
		return connection, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *inMemory) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l *inMemory) Addr() net.Addr { return &net.TCPAddr{} }

func TestWhoSaysNothingIsHungUpOn(t *testing.T) {
	for name, said := range map[string]string{
		"nothing":           "",
		"half a request":    "GET / HTTP/1.1\r\nHost:",
		"and then no more":  "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
		"a watch, and then": "GET " + pods + "?watch=true&timeoutSeconds=1 HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := listen()
				ctx, stop := context.WithCancel(t.Context())
				done := make(chan error)
				go func() { done <- httpserve.Serve(ctx, listener, newAPI(t).handler) }()
				connection := listener.dial()
				go fmt.Fprint(connection, said)
				began := time.Now()
				_, err := io.Copy(io.Discard, connection)
				assert.NoError(t, err, "hung up, as the other end sees it")
				assert.LessOrEqual(t, time.Since(began), 2*time.Minute)
				stop()
				assert.NoError(t, <-done)
			})
		})
	}
}

func TestAListenerThatFailsIsReported(t *testing.T) {
	listener := listen()
	listener.Close()
	err := httpserve.Serve(t.Context(), listener, http.NotFoundHandler())
	assert.True(t, errors.Is(err, net.ErrClosed), "%v", err)
}
