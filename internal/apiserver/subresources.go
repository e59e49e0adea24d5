package apiserver

import (
	"context"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/endpoints/request"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/streams"
)

// subresource returns the answers of a subresource that is no view of an object.
func (s *server) subresource(of *resource, name string) methods {
	whole := &storage{s, of, of.views[""]}
	switch name {
	case "binding":
		order := whole.binding()
		order.toCollection(s, bindings, true)
		return order.toObject(s, of, name)
	case "eviction":
		return whole.eviction().toObject(s, of, name)
	case "log":
		return methods{http.MethodGet: s.streamed(streams.ServeLog)}
	case "exec":
		return s.talks(streams.ServeExec)
	case "attach":
		return s.talks(streams.ServeAttach)
	case "portforward":
		return s.talks(streams.ServePortForward)
	case "proxy":
		all := methods{}
		for _, method := range []string{
			http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions,
			http.MethodPatch, http.MethodPost, http.MethodPut,
		} {
			all[method] = http.HandlerFunc(whole.proxy)
		}
		return all
	}
	return nil
}

// isStream reports whether a place is a stream of a Pod, which is sent as it
// comes, for as long as it comes.
func (p place) isStream() bool {
	switch p.subresource {
	case "attach", "exec", "log", "portforward", "proxy":
		return true
	}
	return false
}

type stream = func(http.ResponseWriter, *http.Request, *corev1.Pod, streams.Containers)

// talks returns the answers of a stream that goes both ways, by GET or by POST.
func (s *server) talks(serve stream) methods {
	handler := s.streamed(serve)
	return methods{http.MethodGet: handler, http.MethodPost: handler}
}

// streamed hands the connection to a stream of a Pod's container.
func (s *server) streamed(serve stream) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := request.RequestInfoFrom(r.Context())
		pod, err := s.runningPod(r.Context(), at.Name, at.Subresource)
		if err != nil {
			writeError(w, err)
			return
		}
		serve(w, r, pod, s.containers)
	})
}

// runningPod returns a Pod of the namespace that the path names, if the server has a
// runtime.
func (s *server) runningPod(ctx context.Context, name, subresource string) (*corev1.Pod, error) {
	pod, err := s.store.Get(ctx, controlloop.PodKind,
		controlloop.Key{Namespace: request.NamespaceValue(ctx), Name: name})
	if err != nil {
		return nil, err
	}
	if s.containers == nil {
		return nil, refusal(http.StatusNotImplemented, "NotImplemented",
			"nothing runs containers here, so there is no "+subresource+" of them")
	}
	return pod.(*corev1.Pod), nil
}
