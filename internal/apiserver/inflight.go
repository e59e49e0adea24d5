package apiserver

import (
	"net/http"
	"strings"
)

// inFlight limits how many requests are answered at once. An answer that a
// client does not read takes memory until it is cut off, so that their
// number must be bounded.
type inFlight chan struct{}

// bounded lets a request through if there is room, and else tells its client to
// try again later (Kubernetes: k8s.io/apiserver, filters/maxinflight.go).
// Requests that last by their nature are not counted.
func (f inFlight) bounded(
	w http.ResponseWriter, r *http.Request, path path, serve func(),
) {
	if isLong(r, path) {
		serve()
		return
	}
	select {
	case f <- struct{}{}:
		defer func() { <-f }()
		serve()
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many requests, please try again later.",
			http.StatusTooManyRequests)
	}
}

// isLong reports whether a request is a watch, or a stream of a Pod.
func isLong(r *http.Request, path path) bool {
	at, _ := path.place()
	if at.isStream() || at.watched {
		return true
	}
	values, watches := r.URL.Query()["watch"]
	return watches && r.Method == http.MethodGet && at.name == "" &&
		!strings.EqualFold(values[0], "false") && values[0] != "0"
}
