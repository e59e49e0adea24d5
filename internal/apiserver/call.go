package apiserver

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// call is one request to a resource.
type call struct {
	*server
	*resource
	place
	w     http.ResponseWriter
	r     *http.Request
	query url.Values
	media media // the form of the answer
}

// reply is the answer to a call. A verb that has answered by itself, or has
// taken the connection, returns the zero value.
type reply struct {
	code int
	body any
}

func ok(body any) (reply, error) { return reply{http.StatusOK, body}, nil }

// verbs are what one kind of path can be asked, by HTTP method.
type verbs map[string]func(*call) (reply, error)

var ofCollections = verbs{
	http.MethodGet:    (*call).listOrWatch,
	http.MethodPost:   (*call).create,
	http.MethodDelete: (*call).deleteCollection,
}

var ofObjects = verbs{
	http.MethodGet:    (*call).get,
	http.MethodPut:    (*call).put,
	http.MethodPatch:  (*call).patch,
	http.MethodDelete: (*call).delete,
}

// ofViews are the verbs of status and scale, which are read and written, but
// come and go with the object.
var ofViews = verbs{
	http.MethodGet:   (*call).get,
	http.MethodPut:   (*call).put,
	http.MethodPatch: (*call).patch,
}

// serve answers a request to a resource.
func (s *server) serve(w http.ResponseWriter, r *http.Request, path path) {
	if err := s.answer(w, r, path); err != nil {
		writeError(w, err)
	}
}

func (s *server) answer(w http.ResponseWriter, r *http.Request, path path) error {
	at, ok := path.place()
	if !ok {
		return notServed
	}
	if review, ok := reviews[at.gvr]; ok && at.name == "" && at.namespace == "" {
		return s.review(w, r, review)
	}
	if err := absent(at); err != nil {
		return err
	}
	if at.gvr == bindings && at.name == "" {
		at.gvr, at.subresource = pods, "binding"
	}
	resource, ok := s.resources[at.gvr]
	if !ok || !resource.Namespaced && at.namespace != "" {
		return notServed
	}
	verbs := resource.verbs(at)
	if verbs == nil {
		return notServed
	}
	verb, ok := verbs[r.Method]
	if !ok {
		w.Header().Set("Allow",
			strings.Join(slices.Sorted(maps.Keys(verbs)), ", "))
		return apierrors.NewMethodNotSupported(
			resource.GroupResource(), strings.ToLower(r.Method))
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	c := &call{server: s, resource: resource, place: at, w: w, r: r, query: query}
	return c.run(verb)
}

func (c *call) run(verb func(*call) (reply, error)) error {
	var err error
	c.media, err = accepted(c.r.Header.Get("Accept"), c.wantsPretty())
	if err != nil && !c.isStream() {
		return err
	}
	c.warnOfAge()
	reply, err := verb(c)
	if err != nil || reply.code == 0 {
		return err
	}
	return c.write(reply)
}

var endpointsKind = corev1.SchemeGroupVersion.WithKind("Endpoints")

// warnOfAge warns of the one kind here that Kubernetes keeps for old clients only.
func (c *call) warnOfAge() {
	if c.GroupVersionKind == endpointsKind {
		c.warn([]error{errors.New("v1 Endpoints is deprecated in v1.33+; " +
			"use discovery.k8s.io/v1 EndpointSlice")})
	}
}

// verbs returns the questions that a place answers, or nil if there is no such
// place.
func (r *resource) verbs(at place) verbs {
	switch {
	case r.Namespaced && at.namespace == "" && at.name != "":
		return nil
	case at.subresource == "binding" && at.namespace != "":
		return ofSubresources[at.subresource]
	case r.Namespaced && at.namespace == "":
		return verbs{http.MethodGet: ofCollections[http.MethodGet]}
	case at.name == "" && r.OneByOne:
		return verbs{
			http.MethodGet:  ofCollections[http.MethodGet],
			http.MethodPost: ofCollections[http.MethodPost],
		}
	case at.name == "":
		return ofCollections
	case at.subresource == "":
		return ofObjects
	case r.views[at.subresource] != nil:
		return ofViews
	case slices.Contains(r.Subresources, at.subresource):
		return ofSubresources[at.subresource]
	}
	return nil
}

// key returns the key of the object that the path names.
func (c *call) key() controlloop.Key {
	return controlloop.Key{Namespace: c.namespace, Name: c.name}
}

// gvk returns the kind that the store keeps.
func (c *call) gvk() schema.GroupVersionKind { return c.inStore.GroupVersionKind }

// shown returns objects of the store as clients see them.
func (c *call) shown(objs []controlloop.Object) []controlloop.Object {
	all := []controlloop.Object{}
	for _, obj := range objs {
		all = append(all, c.views[""].show(obj))
	}
	return all
}
