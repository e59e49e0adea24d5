package kubectl

import (
	"context"
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/transport"
)

// endingWith makes requests, and the bodies of their responses, end when ctx
// does.
func endingWith(ctx context.Context) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper { return ending{ctx, next} }
}

type ending struct {
	ctx  context.Context
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (e ending) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	stop := context.AfterFunc(e.ctx, func() { cancel(context.Cause(e.ctx)) })
	release := sync.OnceFunc(func() {
		stop()
		cancel(nil)
	})
	response, err := e.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		release()
		return nil, err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		response.Body = body{response.Body, release}
	}
	return response, nil
}

// body is a response's; Close ends the context that RoundTrip began.
type body struct {
	io.ReadCloser
	release func()
}

// Close implements io.Closer.
func (b body) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
