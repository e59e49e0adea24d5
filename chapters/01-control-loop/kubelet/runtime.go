package kubelet

import (
	"context"
	"fmt"
	"net"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// Runtime runs containers on one node; Kubernetes calls its own the Container
// Runtime Interface. Its containers outlive the kubelet: a kubelet that starts
// finds here what the one before it left running.
type Runtime interface {
	Sandboxes
	Containers
	Access
}

// Sandboxes hold the Pods of a node.
type Sandboxes interface {
	// Sandbox returns the sandbox of a Pod: its network, and the address that
	// it has there. It is made on the first call.
	Sandbox(ctx context.Context, pod *corev1.Pod) (Sandbox, error)
	// SandboxesOf returns those of Pods of that name, the dead among them too;
	// Sandboxes returns all.
	SandboxesOf(pod controlloop.Key) []Sandbox
	Sandboxes() []Sandbox
	// Remove kills all that runs in a sandbox, and forgets it.
	Remove(ctx context.Context, pod types.UID) error
}

// Containers run in the sandboxes.
type Containers interface {
	// Start starts a container that does not run. Its error is a *PullError
	// when the image cannot be had, a *ConfigError when the container may not
	// be made as it is specified, and a *StartError when it could be made, but
	// its program not be started: then that was its end.
	Start(ctx context.Context, pod *corev1.Pod, c *corev1.Container,
		mounts []Mount) error
	// Stop asks a container to end, and kills it after grace seconds. It does
	// not wait for either. Its error says that the container was killed some
	// time ago, and has not ended.
	Stop(pod types.UID, container string, grace int64) error
	// Containers returns the state, the state before the last restart, and the
	// restart count of every container that was ever started, by name.
	Containers(pod types.UID) map[string]corev1.ContainerStatus
	// OnExit makes the runtime call f with the key of a Pod whenever one of its
	// containers has ended, or should have.
	OnExit(f func(controlloop.Key))
}

// Access gives a way into a container that runs.
type Access interface {
	// Exec runs a command in a running container, and returns its output and
	// its exit code.
	Exec(ctx context.Context, pod types.UID, container string,
		command []string) (string, int, error)
	// Dial connects to a port of a Pod.
	Dial(ctx context.Context, pod types.UID, port int32) (net.Conn, error)
}

// Sandbox holds what the containers of a Pod share.
type Sandbox struct {
	Pod controlloop.Key
	UID types.UID
	IP  string
}

// PullError says why an image cannot be had.
type PullError struct{ Image, Reason string }

// Error implements error.
func (e *PullError) Error() string {
	return fmt.Sprintf("failed to pull image %q: %s", e.Image, e.Reason)
}

// ConfigError says what of a container's spec keeps it from being made.
type ConfigError struct{ Reason string }

// Error implements error.
func (e *ConfigError) Error() string { return e.Reason }

// StartError says why the program of a container could not be started.
type StartError struct{ Reason string }

// Error implements error.
func (e *StartError) Error() string { return e.Reason }
