package streams

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

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
		if _, err := c.Attach(ctx, pod, container, s); err != nil {
			return failed("error attaching to container: %w", err)
		}
		return &metav1.Status{Status: metav1.StatusSuccess}
	})
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
