package streams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServeExec runs a command in a container of a Pod.
func ServeExec(
	w http.ResponseWriter, r *http.Request, pod *corev1.Pod, c Containers,
) {
	query := r.URL.Query()
	container, err := targetOf(pod, query)
	command := query["command"]
	if err == nil && len(command) == 0 {
		err = apierrors.NewBadRequest(
			"you must specify at least 1 command for the container")
	}
	if err != nil {
		refuse(w, err)
		return
	}
	if !isRunning(pod, container) {
		asKubelet(w, http.StatusInternalServerError, fmt.Sprintf("container not found (%q)", container))
		return
	}
	serve(w, r, query, func(ctx context.Context, s IO) *metav1.Status {
		code, err := c.Exec(ctx, pod, container, command, s)
		if err != nil {
			return failed("error executing command in container: %w", err)
		}
		return exited(command, code)
	})
}

// ServeAttach connects a client to the program of a container. How that ends is
// not its business: the Pod's status says so.
func ServeAttach(
	w http.ResponseWriter, r *http.Request, pod *corev1.Pod, c Containers,
) {
	query := r.URL.Query()
	container, err := targetOf(pod, query)
	if err != nil {
		refuse(w, err)
		return
	}
	if !isRunning(pod, container) {
		asKubelet(w, http.StatusInternalServerError, fmt.Sprintf("container %s not found in pod %s_%s",
			container, pod.Name, pod.Namespace))
		return
	}
	serve(w, r, query, func(ctx context.Context, s IO) *metav1.Status {
		if readsOn(pod, container) && s.Stdin != nil {
			typing, leave := context.WithCancelCause(ctx)
			defer leave(nil)
			ctx, s.Stdin = typing, typist{s.Stdin, leave}
		}
		_, err := c.Attach(ctx, pod, container, s)
		if err != nil && !errors.Is(context.Cause(ctx), errTyped) {
			return failed("error attaching to container: %w", err)
		}
		return &metav1.Status{Status: metav1.StatusSuccess}
	})
}

// errTyped is why a client is taken off a container that goes on reading.
var errTyped = errors.New("the client has typed all")

// answering is how long a container may still answer to the last that was typed.
// containerd gives it no time: whether its answer is seen is a race there
// (internal/cri/io/container_io.go, Attach).
const answering = 100 * time.Millisecond

// typist is the input of a client that leaves when that ends.
type typist struct {
	io.Reader
	leave context.CancelCauseFunc
}

// Read implements io.Reader.
func (t typist) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err != nil {
		time.AfterFunc(answering, func() { t.leave(errTyped) })
	}
	return n, err
}

// targetOf returns the container that a query means, when streams to it can be
// asked for at all.
func targetOf(pod *corev1.Pod, query url.Values) (string, error) {
	container, err := containerOf(pod, query.Get("container"))
	if err != nil {
		return "", err
	}
	if err := onNode(pod); err != nil {
		return "", err
	}
	if !truth(query, "stdin") && !truth(query, "stdout") && !truth(query, "stderr") {
		return "", apierrors.NewBadRequest(
			"you must specify at least 1 of stdin, stdout, stderr")
	}
	return container, nil
}

// serve gives the streams that a query asks for to run, and its answer to the
// client.
func serve(
	w http.ResponseWriter, r *http.Request, query url.Values,
	run func(context.Context, IO) *metav1.Status,
) {
	c, err := open(w, r, protocols...)
	if err != nil {
		return // it has been told
	}
	s := newSession(c)
	c.converse(r, s.receive, func(ctx context.Context) *metav1.Status {
		streams := s.streams(query)
		s.greet(streams)
		return run(ctx, streams)
	})
}
