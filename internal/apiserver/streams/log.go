package streams

import (
	"context"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ServeLog sends what a container of a Pod has printed; to a client that
// follows, line by line until the container has ended.
func ServeLog(
	w http.ResponseWriter, r *http.Request, pod *corev1.Pod, c Containers,
) {
	opts, err := logOptions(pod, r.URL.Query())
	if err == nil {
		opts.Container, err = containerOf(pod, opts.Container)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	if onNode(pod) != nil { // then there is nothing to send, and nothing wrong
		w.Header().Set("Content-Type", "text/plain")
		return
	}
	if _, err := SourceOf(pod, opts.Container, opts.Previous); err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	log, err := c.Logs(ctx, pod, opts)
	if err != nil {
		refuse(w, err)
		return
	}
	defer log.Close()
	w.Header().Set("Content-Type", "text/plain")
	http.NewResponseController(w).Flush() // a client that follows sees that it has begun
	io.Copy(flushing{w}, log)
}

// flushing holds nothing back.
type flushing struct{ http.ResponseWriter }

// Write implements io.Writer.
func (f flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	if err == nil {
		err = http.NewResponseController(f.ResponseWriter).Flush()
	}
	return n, err
}
