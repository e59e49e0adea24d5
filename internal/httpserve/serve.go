package httpserve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// A server that stops waits so long: for requests that will end by themselves,
// and then for those that were told to end.
const (
	politeWait = 200 * time.Millisecond
	finalWait  = 2 * time.Second
)

// Serve answers the connections of a listener until ctx ends, and returns when
// the last request has. A client that connects and sends nothing, sends slowly,
// or keeps a connection that it does not use, is cut off after a while; an answer
// may last for as long as its handler likes. Requests that pages of other sites
// caused are refused, unless a pattern in open matches them ("POST /report"), and at a
// listener on loopback those to another host.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, open ...string) error {
	requests, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running running
	server := &http.Server{
		Handler:           running.counted(guarded(listener.Addr(), timed(decided(handler)), open)),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnContext:       withConnection,
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		if shutdown(server, politeWait) != nil {
			cancel() // watches and streams
			shutdown(server, finalWait)
			server.Close()
		}
	})
	err := server.Serve(listener)
	if !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	<-stopped
	cancel()
	running.wait()
	return nil
}

func shutdown(server *http.Server, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return server.Shutdown(ctx)
}

// running counts requests: http.Server forgets those whose connection was taken
// over, and they run on.
type running struct {
	mu     sync.Mutex
	ended  sync.Cond
	count  int
	closed bool
}

func (r *running) counted(next http.Handler) http.Handler {
	r.ended.L = &r.mu
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.begin() {
			http.Error(w, "the server stops", http.StatusServiceUnavailable)
			return
		}
		defer r.end()
		next.ServeHTTP(w, req)
	})
}

func (r *running) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.count++
	}
	return !r.closed
}

func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count--
	r.ended.Broadcast()
}

// wait returns when no request runs, and lets no other begin.
func (r *running) wait() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for r.count > 0 {
		r.ended.Wait()
	}
}
