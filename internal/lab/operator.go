package lab

import (
	"errors"
	"fmt"
	"net/http"
)

// operator returns a handler that does to machines what no API of Kubernetes'
// can: a person has to be there, and pull a cable.
//
//	POST /lab/nodes               another machine; its name is the answer
//	POST /lab/nodes/NAME/cut      likewise stop, start
func (l *Lab) operator() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("POST /lab/nodes", func(w http.ResponseWriter, _ *http.Request) {
		name, err := l.AddNode()
		answer(w, http.StatusCreated, name, err)
	})
	for verb, do := range map[string]func(string) error{
		"cut": l.Cut, "stop": l.Stop, "start": l.Start,
	} {
		routes.HandleFunc("POST /lab/nodes/{name}/"+verb,
			func(w http.ResponseWriter, r *http.Request) {
				name := r.PathValue("name")
				answer(w, http.StatusOK, name, do(name))
			})
	}
	return routes
}

// answer writes a line of text, or err's if the request failed.
func answer(w http.ResponseWriter, code int, text string, err error) {
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
