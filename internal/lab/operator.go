package lab

import (
	"net/http"

	"reconcile/internal/trace"
)

// operator returns a handler that does to machines what no API of Kubernetes'
// can: a person has to be there, and pull a cable.
//
//	POST /lab/nodes               another machine; its name is the answer
//	POST /lab/nodes/NAME/cut      likewise stop, start
//	POST /lab/do?verb=pause       what Do does
//	GET  /lab/why?of=pod/web-0    what Why says
func (l *Lab) operator() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("POST /lab/nodes", func(w http.ResponseWriter, _ *http.Request) {
		name, err := l.AddNode()
		trace.Answer(w, http.StatusCreated, name, err)
	})
	for verb, do := range map[string]func(string) error{
		"cut": l.Cut, "stop": l.Stop, "start": l.Start,
	} {
		routes.HandleFunc("POST /lab/nodes/{name}/"+verb,
			func(w http.ResponseWriter, r *http.Request) {
				name := r.PathValue("name")
				trace.Answer(w, http.StatusOK, name, do(name))
			})
	}
	routes.Handle("POST /lab/do", trace.VerbHandler(l.Do))
	routes.HandleFunc("GET /lab/why", l.serveWhy)
	return routes
}
