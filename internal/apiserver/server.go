package apiserver

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/discovery"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/openapi"
	"reconcile/internal/apiserver/streams"
)

// Options say what is served, and to whom.
type Options struct {
	Kinds []kinds.Kind // nil: kinds.All
	// Idle lists the resources on which no controller acts here, though one
	// should: a client that makes one is warned.
	Idle []string
	// Lacks says what of a Pod's spec, which is at path, is not done here, if
	// it is not nil: a client that makes such a Pod, or what makes such Pods, is
	// warned.
	Lacks func(spec *corev1.PodSpec, path string) []error
	// Containers runs the Pods; nil: logs, exec, attach and port-forward are
	// answered with 501.
	Containers streams.Containers
	// Token is what every request has to carry; "": none.
	Token string
	// Lab answers requests below /lab, where no API of Kubernetes' is; nil: they
	// are not served. It is open to the same clients as all else.
	Lab http.Handler
	// User is the name behind all requests; "": "admin".
	User   string
	Limits Limits
}

// Limits keep one client from taking what others need. Zero values are filled
// in.
type Limits struct {
	Body  int64         // bytes of a request; 3 MiB
	Stall time.Duration // how long a client may not read; 30 s
	Watch time.Duration // a watch that does not say how long lasts at least; an hour
	// InFlight is how many requests are answered at once, besides watches and
	// streams; 400, as many as kube-apiserver reads.
	InFlight int
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Body:  cmp.Or(l.Body, 3<<20),
		Stall: cmp.Or(l.Stall, 30*time.Second),
		Watch: cmp.Or(l.Watch, time.Hour),

		InFlight: cmp.Or(l.InFlight, 400),
	}
}

// server is Kubernetes' API over one store.
type server struct {
	store      *controlloop.Store
	containers streams.Containers
	idle       []string
	lacks      func(*corev1.PodSpec, string) []error
	lab        http.Handler
	user       string
	limits     Limits
	resources  map[schema.GroupVersionResource]*resource
	codecs     *codecs
	pages      *pages
	inFlight   inFlight
	turns      turns
}

// New returns Kubernetes' API over a store. It starts no goroutines but those
// of the requests.
func New(store *controlloop.Store, opts Options) http.Handler {
	if opts.Kinds == nil {
		opts.Kinds = kinds.All()
	}
	s := &server{
		store:      store,
		containers: opts.Containers,
		idle:       opts.Idle,
		lacks:      opts.Lacks,
		lab:        opts.Lab,
		user:       cmp.Or(opts.User, "admin"),
		limits:     opts.Limits.orDefaults(),
		resources:  map[schema.GroupVersionResource]*resource{},
		codecs:     codecsFor(opts.Kinds),
		pages:      newPages(),
		turns:      newTurns(),
	}
	s.inFlight = make(inFlight, s.limits.InFlight)
	s.reviews()
	served := slices.Clone(opts.Kinds)
	for _, kind := range opts.Kinds {
		s.serves(newResource(kind, s.codecs))
		if kind.GroupVersionKind == eventKind {
			newer := newResource(newerEvents(), s.codecs)
			asNewerEvents(newer, kind)
			s.serves(newer)
			served = append(served, newer.Kind)
		}
	}
	routes := s.routes(served)
	return s.recovering(s.unbrowsed(s.authenticated(opts.Token, routes)))
}

// routes sends requests about the API as a whole to their handlers, and all
// else to the resources.
func (s *server) routes(kinds []kinds.Kind) http.Handler {
	about := discovery.Handler(kinds)
	schemas := openapi.Handler(kinds)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := pathOf(r.URL.Path)
		switch {
		case path.isHealth():
			health(w, r)
		case path.first() == "openapi":
			schemas.ServeHTTP(w, r)
		case path.isDiscovery():
			about.ServeHTTP(w, r)
		case path.first() == "lab" && s.lab != nil:
			s.lab.ServeHTTP(w, r)
		default:
			s.inFlight.bounded(w, r, path, func() { s.serve(w, r, path) })
		}
	})
}
