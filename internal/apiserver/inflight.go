package apiserver

import (
	"net/http"
	"strings"
)

// inFlight is how many requests are answered at once. What a client does not
// read takes memory until it is cut off, so that there must be a bound to how
// many there are.
type inFlight chan struct{}

// bounded lets a request through where there is room, and else has its client
// try again later (Kubernetes: k8s.io/apiserver, filters/maxinflight.go). What
// lasts by its nature is not counted.
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

// isLong: a watch, or what goes on in a Pod.
func isLong(r *http.Request, path path) bool {
	at, _ := path.place()
	if at.isStream() {
		return true
	}
	values, watches := r.URL.Query()["watch"]
	return watches && r.Method == http.MethodGet && at.name == "" &&
		!strings.EqualFold(values[0], "false") && values[0] != "0"
}
