package apiserver

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/handlers"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/rules"
)

// resource is a kind as it is served.
type resource struct {
	kinds.Kind
	inStore controlloop.Kind // mostly the same
	// views are the ways to read and write an object: "" is the object as a
	// whole, the others are subresources.
	views map[string]*view

	collection, watches methods
	object              methods
	subresources        map[string]methods
}

// methods are the answers of one kind of path, by HTTP method.
type methods map[string]http.Handler

// view is what a subresource shows of an object, and the way back from
// there into the object.
type view struct {
	kind     schema.GroupVersionKind // the kind that is shown
	new      func() controlloop.Object
	show     func(obj controlloop.Object) controlloop.Object
	open     func(live controlloop.Object) (controlloop.Object, error) // to be changed
	merge    func(shown, live controlloop.Object) (controlloop.Object, error)
	write    write
	managers *managedfields.FieldManager
}

// write is one of the ways in which a client replaces an object.
type write = func(
	controlloop.Client, context.Context, controlloop.Object,
) (controlloop.Object, error)

func newResource(kind kinds.Kind, codecs *codecs) *resource {
	r := &resource{Kind: kind, inStore: kind.Kind, views: map[string]*view{}}
	r.views[""] = r.whole("", controlloop.Client.Update, codecs)
	if kind.HasStatus {
		r.views["status"] = r.whole("status", controlloop.Client.UpdateStatus, codecs)
	}
	if kind.Scale != nil {
		r.views["scale"] = r.scaled(codecs)
	}
	switch kind.GroupVersionKind {
	case namespaceKind:
		r.views["finalize"] = r.whole("finalize", controlloop.Client.Update, codecs)
		r.views[""].merge = keepFinalizers
	case rollingupdate.ServiceKind:
		r.views[""].merge = retyped
	case controlloop.PodKind:
		r.views[""].merge = notEphemeral
		r.views["ephemeralcontainers"] = r.ephemeral(codecs)
	}
	return r
}

// whole returns the view of an object, or of its status: it shows all of it,
// and the store knows which part may be written.
func (r *resource) whole(subresource string, write write, codecs *codecs) *view {
	return &view{
		kind: r.GroupVersionKind,
		new:  r.New,
		show: func(obj controlloop.Object) controlloop.Object { return obj },
		open: func(live controlloop.Object) (controlloop.Object, error) {
			return live, nil
		},
		merge: func(shown, _ controlloop.Object) (controlloop.Object, error) {
			return shown, nil
		},
		write:    write,
		managers: newManagers(r.Kind, rules.Decoded, subresource, codecs),
	}
}

// serves has Kubernetes' handlers answer for a resource.
func (s *server) serves(r *resource) {
	all := &storage{s, r, r.views[""]}
	scope := all.scope("")
	lists := func(watches bool) http.Handler {
		return anew(func() http.HandlerFunc {
			return handlers.ListResource(all, all, scope, watches, s.limits.Watch)
		})
	}
	r.watches = methods{http.MethodGet: lists(true)}
	r.collection = methods{
		http.MethodGet: lists(false),
		http.MethodPost: anew(func() http.HandlerFunc {
			return handlers.CreateResource(all, scope, nil)
		}),
	}
	if !r.OneByOne {
		r.collection[http.MethodDelete] = anew(func() http.HandlerFunc {
			return handlers.DeleteCollection(all, true, scope, nil)
		})
	}
	r.object = objectMethods(all, scope)
	r.object[http.MethodDelete] = anew(func() http.HandlerFunc {
		return handlers.DeleteResource(all, true, scope, nil)
	})
	r.subresources = s.subresources(r)
	s.resources[r.GroupVersion().WithResource(r.Resource)] = r
}

// subresources returns the answers about all views of an object, and about what is
// none.
func (s *server) subresources(r *resource) map[string]methods {
	all := map[string]methods{}
	for name, view := range r.views {
		if name != "" {
			st := &storage{s, r, view}
			all[name] = objectMethods(st, st.scope(name))
		}
	}
	for _, name := range r.Subresources {
		if r.views[name] == nil {
			all[name] = s.subresource(r, name)
		}
	}
	if finalize := all["finalize"]; finalize != nil {
		all["finalize"] = methods{http.MethodPut: finalize[http.MethodPut]}
	}
	return all
}

// objectMethods returns the answers about one object, or about a view of it.
func objectMethods(st *storage, scope *handlers.RequestScope) methods {
	return methods{
		http.MethodGet: handlers.GetResource(st, scope),
		http.MethodPut: anew(func() http.HandlerFunc {
			return handlers.UpdateResource(st, scope, nil)
		}),
		http.MethodPatch: anew(func() http.HandlerFunc {
			return handlers.PatchResource(st, scope, nil, patchTypes)
		}),
	}
}

// anew makes a handler for each request: those that write keep what they found out
// about one.
func anew(handler func() http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler()(w, r) })
}
