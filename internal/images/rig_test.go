package images_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images"
)

// rig is one node, and its kubelet, which does what the test tells it.
type rig struct {
	t        testing.TB
	machines *images.Machines
	runtime  kubelet.Runtime
}

// newRig returns a node without Pods. Its Pods end with the test.
func newRig(t testing.TB) *rig {
	machines := images.New()
	r := &rig{t, machines, machines.Runtime("node-1", "10.244.1")}
	t.Cleanup(machines.Close)
	return r
}

// pod returns a Pod of one container.
func pod(name, image string, command ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("uid-of-" + name),
		},
		Spec: corev1.PodSpec{
			NodeName: "node-1",
			Containers: []corev1.Container{
				{Name: "main", Image: image, Command: command},
			},
		},
	}
}

// start starts the containers of a Pod.
func (r *rig) start(p *corev1.Pod, mounts ...kubelet.Mount) *corev1.Pod {
	r.t.Helper()
	sandbox, err := r.runtime.Sandbox(r.t.Context(), p)
	require.NoError(r.t, err)
	p.Status.PodIP = sandbox.IP
	for i := range p.Spec.Containers {
		err := r.runtime.Start(r.t.Context(), p, &p.Spec.Containers[i], mounts)
		require.NoError(r.t, err)
	}
	r.report(p)
	return p
}

// report brings a Pod's status up to date.
func (r *rig) report(p *corev1.Pod) {
	p.Status.ContainerStatuses = nil
	for _, c := range p.Spec.Containers {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses,
			r.runtime.Containers(p.UID)[c.Name])
	}
}

// exec runs a command in a Pod, and returns what it printed.
func (r *rig) exec(p *corev1.Pod, command ...string) (out string, code int) {
	r.t.Helper()
	return r.execWith(p, nil, command...)
}

func (r *rig) execWith(
	p *corev1.Pod, stdin io.Reader, command ...string,
) (out string, code int) {
	r.t.Helper()
	var both bytes.Buffer
	code, err := r.machines.Exec(r.t.Context(), p, "main", command,
		streams.IO{Stdin: stdin, Stdout: &both, Stderr: &both})
	require.NoError(r.t, err)
	return both.String(), code
}

// logs returns what a Pod's container has printed.
func (r *rig) logs(p *corev1.Pod, opts corev1.PodLogOptions) string {
	r.t.Helper()
	r.report(p)
	opts.Container = "main"
	log, err := r.machines.Logs(r.t.Context(), p, &opts)
	require.NoError(r.t, err)
	defer log.Close()
	text, err := io.ReadAll(log)
	require.NoError(r.t, err)
	return string(text)
}

// ended returns how the container of a Pod has ended, or nil.
func (r *rig) ended(p *corev1.Pod) *corev1.ContainerStateTerminated {
	r.report(p)
	return p.Status.ContainerStatuses[0].State.Terminated
}

func text(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
