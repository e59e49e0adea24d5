package apiserver

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/streams"
)

// ofSubresources are the verbs of those that are no views of an object.
var ofSubresources = map[string]verbs{
	"finalize": {http.MethodPut: (*call).put},
	"binding":  {http.MethodPost: (*call).bind},
	"eviction": {http.MethodPost: (*call).evict},
	"log":      {http.MethodGet: streamed(streams.ServeLog)},
	"exec": {
		http.MethodGet:  streamed(streams.ServeExec),
		http.MethodPost: streamed(streams.ServeExec),
	},
	"attach": {
		http.MethodGet:  streamed(streams.ServeAttach),
		http.MethodPost: streamed(streams.ServeAttach),
	},
	"portforward": {
		http.MethodGet:  streamed(streams.ServePortForward),
		http.MethodPost: streamed(streams.ServePortForward),
	},
}

// streamed hands the connection to what goes on in a Pod.
func streamed(serve func(
	http.ResponseWriter, *http.Request, *corev1.Pod, streams.Containers,
)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		pod, err := c.store.Get(c.r.Context(), c.gvk(), c.key())
		if err != nil {
			return reply{}, err
		}
		if c.containers == nil {
			return reply{}, refusal(http.StatusNotImplemented, "NotImplemented",
				"nothing runs containers here, so there is no "+c.subresource+" of them")
		}
		serve(c.w, c.r, pod.(*corev1.Pod), c.containers)
		return reply{}, nil
	}
}
