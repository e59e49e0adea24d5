//go:build linux

package oci

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/containerd/go-runc"
	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/07-mysql-cluster/oci/stdio"
)

// running returns a container that runs.
func (r *runtime) running(pod types.UID, name string) (*container, error) {
	c := r.container(pod, name)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c == nil || c.status.State.Running == nil {
		return nil, fmt.Errorf("container not found (%q)", name)
	}
	return c, nil
}

// Exec implements kubelet.Runtime.
func (r *runtime) Exec(
	ctx context.Context, pod types.UID, container string, command []string,
) (string, int, error) {
	var out together
	code, err := r.Run(ctx, pod, container, command,
		stdio.Streams{Stdout: &out, Stderr: &out})
	return out.text.String(), code, err
}

// Run implements Runtime.
func (r *runtime) Run(
	ctx context.Context, pod types.UID, container string, command []string,
	s stdio.Streams,
) (int, error) {
	c, err := r.running(pod, container)
	if err != nil {
		return 0, err
	}
	process := *c.process
	process.Args, process.Terminal = command, s.TTY
	if s.TTY {
		process.Env = append(slices.Clone(process.Env), "TERM=xterm")
	}
	p, err := r.beside(ctx, c, &process, s)
	if err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() {
		p.kill()
		p.close() // a child of it may hold the other end
	})()
	go p.Connect(s, true)
	return int(p.wait()), ctx.Err()
}

// beside starts a process in a container that runs.
func (r *runtime) beside(
	ctx context.Context, c *container, process *specs.Process, s stdio.Streams,
) (*child, error) {
	dir, err := os.MkdirTemp(r.State, "exec-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	streams, err := stdio.NewPipes(process, s.Stdin != nil)
	if err != nil {
		return nil, err
	}
	p := &child{Pipes: streams}
	pidFile, log := filepath.Join(dir, "pid"), filepath.Join(dir, "log")
	err = r.runc.Exec(context.WithoutCancel(ctx), c.id, *process, &runc.ExecOpts{
		IO: p.IO, ConsoleSocket: p.Console(), PidFile: pidFile, Detach: true,
		LogFile: log,
	})
	if err != nil {
		go bury()
		p.close()
		return nil, fmt.Errorf("failed to exec in container: failed to start "+
			"exec %q: OCI runtime exec failed: %w: unknown",
			filepath.Base(dir), saidByRunc(log, err))
	}
	if err := p.adopt(pidFile); err != nil {
		p.close()
		return nil, err
	}
	if err := p.Start(s.Stdout, s.Stderr); err != nil {
		p.kill()
		p.wait()
		return nil, err
	}
	return p, nil
}

// Attach implements Runtime.
func (r *runtime) Attach(
	ctx context.Context, pod types.UID, container string, s stdio.Streams,
) (int, error) {
	c, err := r.running(pod, container)
	if err != nil {
		return 0, err
	}
	output := c.log.Watch()
	defer c.log.Leave(output)
	go c.Connect(s, c.spec.StdinOnce)
	for {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case text, more := <-output:
			if !more {
				return r.codeOf(ctx, c)
			}
			if err := s.Show(text); err != nil {
				return 0, err
			}
		}
	}
}

// codeOf waits for the end of a container, and returns its exit code.
func (r *runtime) codeOf(ctx context.Context, c *container) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-c.ended:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return int(c.status.State.Terminated.ExitCode), nil
}

// Logs implements Runtime.
func (r *runtime) Logs(
	ctx context.Context, pod types.UID, id string, opts *corev1.PodLogOptions,
) (io.ReadCloser, error) {
	c := r.container(pod, opts.Container)
	r.mu.Lock()
	for c != nil && c.status.ContainerID != id {
		c = c.previous
	}
	r.mu.Unlock()
	if c == nil {
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	return c.log.Reader(ctx, opts), nil
}

// together is a text that several write. (It does not embed the buffer, which
// has a ReadFrom, and io.Copy would call that and never Write.)
type together struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (t *together) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(text)
}

// Dial implements kubelet.Runtime.
func (r *runtime) Dial(
	ctx context.Context, pod types.UID, port int32,
) (net.Conn, error) {
	r.mu.Lock()
	p := r.pods[pod]
	r.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("no sandbox for pod %s", pod)
	}
	return r.Network.Dial(ctx, p.IP, port)
}
