package scene

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// Others are controllers that are not the lab's, and play in the place of some that
// are: Kubernetes' own, say. Their requests are let in one at a time, like kubectl's,
// and before the next of the lab's controllers reconciles a key: so they, too, have
// come to rest between two requests of a user.
type Others struct {
	Names []string // whose place they take, of those that a scene's lab has: see lab.Options
	// Fill starts the caches of those of some names, at the API. When they are full,
	// run is called, after which the others run; end has ended them all when it returns,
	// and time may pass until then.
	Fill func(names []string, api http.RoundTripper) (run, end func(), err error)
	// AtOnce reports whether a request is let in at once: one during which a lock is
	// held that others of its program wait for. The bubble would never be still.
	AtOnce func(*http.Request) bool
	// Wrote is told of each write since a user began to act.
	Wrote func(*http.Request)
}

func (st *stage) startOthers() {
	if st.others.Fill == nil {
		return
	}
	var run, end func()
	var err error
	started := false
	go func() {
		run, end, err = st.others.Fill(st.lab.Others(), wings{st})
		started = true
		st.wake.Send()
	}()
	st.live(time.Now().Add(st.limit), func() bool { return started })
	st.quiesce()
	if err != nil {
		st.fail("%v", err)
	}
	st.endOthers = func() {
		st.wings.close(errOver)
		end()
	}
	run()
}

var errOver = errors.New("the scene is over")

// wings is the others' way to the API.
type wings struct{ stage *stage }

// RoundTrip implements http.RoundTripper. Events from before the scene are
// forgotten, as those of the lab's controllers are.
func (w wings) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPost && !w.stage.trace.begun &&
		strings.HasSuffix(request.URL.Path, "/events") {
		return &http.Response{
			StatusCode: http.StatusForbidden, Status: errForgotten.Error(),
			Header: http.Header{}, Body: http.NoBody, Request: request,
		}, nil
	}
	if err := w.enter(request); err != nil {
		return nil, err
	}
	response, err := w.stage.transport.RoundTrip(request)
	if err == nil && w.stage.trace.begun && request.Method != http.MethodGet && response.StatusCode < 300 {
		w.stage.others.Wrote(request)
	}
	return response, err
}

// enter waits until a request is let in. Requests to one address are ordered by
// their bodies, because their senders start in no order.
func (w wings) enter(request *http.Request) error {
	if w.stage.others.AtOnce(request) {
		return nil
	}
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(request.Body); err != nil {
			return err
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	return w.stage.wings.pass(0, request, request.UserAgent(), string(body))
}
