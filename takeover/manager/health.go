package manager

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A check returns what is wrong, if something is.
type check func(*http.Request) error

// answering answers with the first thing that is wrong.
func answering(checks *[]check) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, check := range *checks {
			if err := check(r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		fmt.Fprintln(w, "ok")
	}
}

// behind is how long a cache may have heard nothing. A server says each minute that
// there is nothing to tell, and chapter 1's reflector lists anew after three minutes
// without that.
const behind = 4 * time.Minute

// upToDate returns an error when a cache is behind a server that answers: then the
// controllers do nothing, with a valid lease, and only another start can help. It is
// the only thing that is asked of health: what restarts a copy must not do so because
// the server is away.
func (m *manager) upToDate(r *http.Request) error {
	kind, silent := m.silent()
	if silent < behind || m.answers(r.Context(), kind) != nil {
		return nil
	}
	return fmt.Errorf("nothing was heard of any %s for %s, and the server answers",
		kind.Kind, silent.Round(time.Second))
}

// silent returns the kind of which nothing has been heard for longest, and how long,
// while this copy works.
func (m *manager) silent() (schema.GroupVersionKind, time.Duration) {
	if system := m.system.Load(); system != nil {
		return system.Silent()
	}
	return schema.GroupVersionKind{}, 0
}

// answers returns an error unless the server lists objects of a kind.
func (m *manager) answers(ctx context.Context, gvk schema.GroupVersionKind) error {
	kind, err := m.kinds.For(gvk)
	if err != nil {
		return err
	}
	path := []string{"/apis", gvk.Group, gvk.Version}
	if gvk.Group == "" {
		path = []string{"/api", gvk.Version}
	}
	if m.Namespace != "" && kind.Namespaced {
		path = append(path, "namespaces", m.Namespace)
	}
	return m.api.Discovery().RESTClient().Get().AbsPath(append(path, kind.Resource)...).
		Param("limit", "1").Do(ctx).Error()
}

// watched returns the metric of what upToDate asks.
func (m *manager) watched() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "lab_watch_silent_seconds",
		Help: "How long nothing has been heard of the kind of which that is longest.",
	}, func() float64 {
		_, silent := m.silent()
		return silent.Seconds()
	})
}
