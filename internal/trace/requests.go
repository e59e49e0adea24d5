package trace

import (
	"net/http"
	"slices"
	"strings"
)

// Requests makes the writes of an API's handler known as those of the request
// that it handles.
func (r *Recorder) Requests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.on.Load() || req.Method == http.MethodGet || req.Method == http.MethodHead {
			next.ServeHTTP(w, req)
			return
		}
		by := cause{lane: asker(req), path: req.URL.Path}
		r.mu.Lock()
		by.n = r.add(Entry{Do: Ask, Lane: by.lane, Text: req.Method + " " + by.path})
		r.asks = append(r.asks, by)
		r.mu.Unlock()
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.asks = slices.DeleteFunc(r.asks, func(other cause) bool { return other == by })
		}()
		next.ServeHTTP(w, req)
	})
}

// asker returns who sends a request: kubectl's command, or the name of another client.
func asker(req *http.Request) string {
	if command := req.Header.Get("Kubectl-Command"); command != "" {
		return command
	}
	name, _, _ := strings.Cut(req.UserAgent(), "/")
	if name == "" {
		return "a client"
	}
	return name
}
