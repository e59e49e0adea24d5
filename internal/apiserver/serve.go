package apiserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve answers the connections of a listener until ctx ends, and returns when
// the last request has. Who connects and sends nothing, sends slowly, or keeps
// a connection that he does not use, is cut off after a while. Watches end with
// ctx; all else gets a moment to be finished.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	err := server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
