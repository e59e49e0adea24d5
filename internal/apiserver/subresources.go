package apiserver

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
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
	"proxy": {
		http.MethodDelete:  (*call).proxy,
		http.MethodGet:     (*call).proxy,
		http.MethodHead:    (*call).proxy,
		http.MethodOptions: (*call).proxy,
		http.MethodPatch:   (*call).proxy,
		http.MethodPost:    (*call).proxy,
		http.MethodPut:     (*call).proxy,
	},
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

// streamed hands the connection to a stream of a Pod's container.
func streamed(serve func(
	http.ResponseWriter, *http.Request, *corev1.Pod, streams.Containers,
)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		pod, err := c.runningPod()
		if err != nil {
			return reply{}, err
		}
		serve(c.w, c.r, pod, c.containers)
		return reply{}, nil
	}
}

// runningPod returns the Pod that the path names, if the server has a runtime.
func (c *call) runningPod() (*corev1.Pod, error) {
	pod, err := c.store.Get(c.r.Context(), controlloop.PodKind, c.key())
	if err != nil {
		return nil, err
	}
	if c.containers == nil {
		return nil, refusal(http.StatusNotImplemented, "NotImplemented",
			"nothing runs containers here, so there is no "+c.subresource+" of them")
	}
	return pod.(*corev1.Pod), nil
}
