package look

import (
	"net/http"
	"strings"
)

// Requests has what a handler of an API writes be what was asked for.
func (r *Recorder) Requests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !r.on.Load() || req.Method == http.MethodGet || req.Method == http.MethodHead {
			next.ServeHTTP(w, req)
			return
		}
		g, who := Goroutine(), asker(req)
		r.mu.Lock()
		n := r.add(Entry{Do: Ask, Lane: who, Text: req.Method + " " + req.URL.Path})
		r.doing[g] = cause{who, n, 0}
		r.mu.Unlock()
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.doing, g)
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
