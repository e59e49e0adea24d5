package apiserver

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/warning"

	"reconcile/internal/httpserve"
)

// Kubernetes' handlers have these settings once for the process. By default an error
// of an answer is logged as well as sent, and all other requests wait a moment: so no
// handler logs. Without the limit, a few bytes of a JSON patch could copy an object
// into itself again and again.
func init() {
	utilruntime.ErrorHandlers = nil
	jsonpatch.AccumulatedCopySizeLimit = 3 << 20
}

// serve answers a request to a resource.
func (s *server) serve(w http.ResponseWriter, r *http.Request, path path) {
	at, resource, err := s.find(path)
	if err == notServed && !s.has(at.gvr) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		writeError(w, err)
		return
	}
	methods := resource.methods(at)
	if methods == nil {
		writeError(w, notServed)
		return
	}
	handler, ok := methods[r.Method]
	if !ok {
		w.Header().Set("Allow",
			strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		writeError(w, notAllowed)
		return
	}
	ctx := s.context(w, r, at)
	if resource.GroupVersionKind == endpointsKind {
		warn(ctx, "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
	}
	r = r.WithContext(ctx)
	if at.isStream() {
		handler.ServeHTTP(w, r)
		return
	}
	s.answer(handler, w, r)
}

// endpointsKind is the one kind here that Kubernetes keeps for old clients only.
var endpointsKind = corev1.SchemeGroupVersion.WithKind("Endpoints")

// find returns the place that a path names, and the resource that is there.
func (s *server) find(path path) (place, *resource, error) {
	at, ok := path.place()
	if !ok {
		return at, nil, notServed
	}
	if err := absent(at); err != nil {
		return at, nil, err
	}
	resource, ok := s.resources[at.gvr]
	if !ok || !resource.Namespaced && at.namespace != "" {
		return at, nil, notServed
	}
	return at, resource, nil
}

// has reports whether a path is below a group of which anything is served.
func (s *server) has(at schema.GroupVersionResource) bool {
	for gvr := range s.resources {
		if at.Version != "" && gvr.Group == at.Group {
			return true
		}
	}
	return false
}

// methods returns the questions that a place answers, or nil if there is no such
// place.
func (r *resource) methods(at place) methods {
	switch {
	case r.Namespaced && at.namespace == "" && at.name != "":
		return nil
	case at.watched && at.subresource == "":
		return r.watches
	case r.Namespaced && at.namespace == "":
		return methods{http.MethodGet: r.collection[http.MethodGet]}
	case at.name == "":
		return r.collection
	case at.subresource == "":
		return r.object
	}
	return r.subresources[at.subresource]
}

// context returns what Kubernetes' handlers look for in that of a request.
func (s *server) context(w http.ResponseWriter, r *http.Request, at place) context.Context {
	ctx := request.WithRequestInfo(r.Context(), &request.RequestInfo{
		IsResourceRequest: true,
		Path:              r.URL.Path,
		Verb:              strings.ToLower(r.Method),
		APIGroup:          at.gvr.Group,
		APIVersion:        at.gvr.Version,
		Namespace:         at.namespace,
		Resource:          at.gvr.Resource,
		Subresource:       at.subresource,
		Name:              at.name,
	})
	ctx = request.WithNamespace(ctx, at.namespace)
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: s.user})
	ctx = request.WithReceivedTimestamp(ctx, time.Now())
	ctx = audit.WithAuditContext(ctx) // of which nothing is kept
	return warning.WithWarningRecorder(ctx, &warnings{header: w.Header()})
}

// answer has one of Kubernetes' handlers answer. Its client neither sends nor reads
// for ever.
func (s *server) answer(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache, private")
	r.Header.Del("Accept-Encoding") // many read one text as it is, and near
	r.Body = body{r.Body}
	out := &patient{w, http.NewResponseController(w), s.limits.Stall}
	defer out.SetWriteDeadline(time.Time{})
	handler.ServeHTTP(out, r)
}

// body is the body of a request, whose errors say what they mean to a client.
type body struct{ io.ReadCloser }

// Read implements io.Reader.
func (b body) Read(text []byte) (int, error) {
	n, err := b.ReadCloser.Read(text)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	if httpserve.IsLate(err) {
		return n, refusal(http.StatusRequestTimeout, metav1.StatusReasonTimeout,
			"the body of the request did not arrive in time")
	}
	return n, apierrors.NewBadRequest(err.Error())
}

// patient is an answer whose client is given so long to read each piece, and is
// cut off then. A connection that knows no deadlines has none.
type patient struct {
	http.ResponseWriter
	*http.ResponseController
	stall time.Duration
}

// Write implements io.Writer.
func (p *patient) Write(piece []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(p.stall))
	return p.ResponseWriter.Write(piece)
}

// Flush implements http.Flusher.
func (p *patient) Flush() {
	p.SetWriteDeadline(time.Now().Add(p.stall))
	p.ResponseController.Flush()
}
