package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"reconcile/internal/trace/view"
)

// Serve answers with the page in which a record is looked into, and what that asks,
// below the folder that it is in:
//
//	GET  stream                      entries, as server-sent events
//	GET  versions?kind=Pod&key=a/b   an object each time that it was written
//	GET  waits?kind=Pod&key=a/b      what waits says of an object
//	POST do?verb=pause&of=NAME       what do does, in a line
func (r *Recorder) Serve(do func(Verb) (string, error), waits func(kind, key string) any) http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /stream", r.stream)
	for path, of := range map[string]func(kind, key string) any{
		"/versions": func(kind, key string) any { return r.Versions(kind, key) }, "/waits": waits,
	} {
		routes.HandleFunc("GET "+path, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(of(req.FormValue("kind"), req.FormValue("key"))) // the client has gone
		})
	}
	routes.Handle("POST /do", VerbHandler(do))
	for path, file := range map[string]struct {
		kind string
		text []byte
	}{
		"/{$}":      {"text/html", view.Page()},
		"/look.js":  {"text/javascript", view.Script()},
		"/look.css": {"text/css", view.Style()},
		"/page.js":  {"text/javascript", view.PageScript()},
		"/page.css": {"text/css", view.PageStyle()},
	} {
		routes.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind+"; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(file.text) // the client has gone
		})
	}
	return routes
}

// VerbHandler answers requests to do something.
func VerbHandler(do func(Verb) (string, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		text, err := doing(req, do)
		Answer(w, http.StatusOK, text, err)
	})
}

// Answer writes a line of text, or err's if what was asked for was not done: 409 if it
// was refused.
func Answer(w http.ResponseWriter, code int, text string, err error) {
	var refused Refused
	switch {
	case errors.As(err, &refused):
		code, text = http.StatusConflict, refused.Why
	case err != nil:
		code, text = http.StatusInternalServerError, err.Error()
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintln(w, text)
}

func doing(req *http.Request, do func(Verb) (string, error)) (string, error) {
	v := Verb{Name: req.FormValue("verb"), Of: req.FormValue("of")}
	if wait := req.FormValue("for"); wait != "" {
		var err error
		if v.For, err = time.ParseDuration(wait); err != nil || v.For < 0 {
			return "", refusedf("for %q? Say 5s, or 0s to end it", wait)
		}
	}
	return do(v)
}

// stream sends all entries, and then those that come, until the client goes.
func (r *Recorder) stream(w http.ResponseWriter, req *http.Request) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	_ = r.Follow(req.Context(), func(entries []Entry) error { // it ends when the client goes
		if err := out.SetWriteDeadline(time.Now().Add(30 * time.Second)); err != nil {
			return err
		}
		text, err := json.Marshal(entries)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil {
			return err
		}
		return out.Flush()
	})
}
