package streams

import (
	"context"
	"io"
	"net"

	corev1 "k8s.io/api/core/v1"
)

// Containers runs the containers of Pods, as clients see them. All calls end
// with ctx.
type Containers interface {
	// Logs returns what a container has printed; with opts.Follow, what it
	// prints until it ends as well. opts names the container.
	Logs(ctx context.Context, pod *corev1.Pod,
		opts *corev1.PodLogOptions) (io.ReadCloser, error)
	// Exec runs a command in a container. Its error says why it was not run.
	Exec(ctx context.Context, pod *corev1.Pod, container string,
		command []string, s IO) (exitCode int, err error)
	// Attach connects to the program of a container, until that ends.
	Attach(ctx context.Context, pod *corev1.Pod, container string,
		s IO) (exitCode int, err error)
	// Dial connects to a port of a Pod.
	Dial(ctx context.Context, pod *corev1.Pod, port int32) (net.Conn, error)
}

// IO are the streams of a command. Those that the client did not ask for are
// nil. With a TTY there is no Stderr: a terminal is one stream.
type IO struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	TTY            bool
	Resize         <-chan Size // of the client's terminal; closed with the streams
}

// Size is that of a terminal, in characters.
type Size struct{ Width, Height uint16 }
