package oci

import (
	"context"
	"io"
	"net"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/chapters/07-mysql-cluster/oci/stdio"
)

// PodNetwork connects the network namespaces of Pods, as Kubernetes' network
// plugins do (the Container Network Interface).
type PodNetwork interface {
	// Add connects the network namespace at a path ("/proc/4711/ns/net"), and
	// returns the address that it has from then on.
	Add(ctx context.Context, pod *corev1.Pod, netns string) (ip string, err error)
	// Remove takes back what Add gave to a Pod, if that was anything.
	Remove(pod types.UID) error
	// ResolvConf is the file that tells a Pod where to ask for names.
	ResolvConf(pod *corev1.Pod) string
	// Dial connects to a port of a Pod's address.
	Dial(ctx context.Context, ip string, port int32) (net.Conn, error)
}

// Images are where images come from.
type Images interface {
	// Pull returns an image. Its error is a *kubelet.PullError when the
	// image cannot be had.
	Pull(ctx context.Context, name string) (*image.Image, error)
}

// Config is what a real runtime is made from.
type Config struct {
	// State is a folder of this runtime's own, which need not exist. Its
	// content goes with the runtime.
	State   string
	Images  Images
	Network PodNetwork
	Command string // runc, crun or a path; empty: runc
	Init    string // what BuildInit has built; empty: it is built into State
}

// Runtime is a Runtime of real containers, and what people do with those.
type Runtime interface {
	kubelet.Runtime
	// Logs returns what an attempt to run a container has printed, as opts want
	// it; the attempt is known by the container's ID. A log that is no longer
	// kept is empty.
	Logs(ctx context.Context, pod types.UID, containerID string,
		opts *corev1.PodLogOptions) (io.ReadCloser, error)
	// Run runs a command in a container, and returns its exit code. Its error
	// says why it was not run.
	Run(ctx context.Context, pod types.UID, container string,
		command []string, s stdio.Streams) (code int, err error)
	// Attach connects to what a container runs until that ends, and returns its
	// exit code.
	Attach(ctx context.Context, pod types.UID, container string,
		s stdio.Streams) (code int, err error)
	// Close kills and removes everything.
	Close() error
}
