package lab

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/trace"
	"reconcile/internal/trace/why"
)

// Why returns what an object waits for: "deployment/web", or "web" of a kind, as kubectl
// has it, in a namespace, "" for default.
func (l *Lab) Why(of, namespace string) (why.Chain, error) {
	resource, name, ok := strings.Cut(of, "/")
	if !ok || name == "" {
		return why.Chain{}, refusedf("why %s? Say a kind and a name: deployment/web", of)
	}
	kind, err := l.kindOf(resource)
	if err != nil {
		return why.Chain{}, err
	}
	key := name
	if kind.Namespaced {
		key = cmp.Or(namespace, metav1.NamespaceDefault) + "/" + name
	}
	chain, there := l.Waits(kind.Kind.Kind, key)
	if !there {
		return chain, refusedf("there is no %s %s", kind.Kind.Kind, key)
	}
	return chain, nil
}

// Waits returns what an object waits for, told by its kind and namespace/name, and
// whether there is one.
func (l *Lab) Waits(kind, key string) (why.Chain, bool) {
	return l.world().Explain(kind, key)
}

// WaitsNow returns what an object waits for as a view has it: the list of that one.
func (l *Lab) WaitsNow(kind, key string) any {
	chain, there := l.Waits(kind, key)
	if !there {
		return []any{}
	}
	return []any{struct {
		why.Note
		Now bool `json:"now"`
	}{why.Note{Chain: chain}, true}}
}

// NoteWaits notes what each object waits for now.
func (l *Lab) NoteWaits(notes why.Notes) { notes.Record(l.world(), l.Look.Last()) }

func (l *Lab) world() why.World {
	return why.World{Objects: l.objects(), Look: l.Look, Machine: l.machineState, Now: time.Now()}
}

// machineState returns "cut" or "off" for a machine that is.
func (l *Lab) machineState(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.known(name)
	if err != nil {
		return ""
	}
	return map[state]string{cut: "cut", off: "off"}[n.state]
}

// serveWhy answers GET /lab/why?of=deployment/web&namespace=default with a chain.
func (l *Lab) serveWhy(w http.ResponseWriter, r *http.Request) {
	chain, err := l.Why(r.FormValue("of"), r.FormValue("namespace"))
	if err != nil {
		trace.Answer(w, http.StatusNotFound, "", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(chain) // the client has gone
}
