//go:build linux

package mysqlcluster

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
)

// running returns a container that runs.
func (o *oci) running(pod types.UID, name string) (*ociContainer, error) {
	c := o.container(pod, name)
	o.mu.Lock()
	defer o.mu.Unlock()
	if c == nil || c.status.State.Running == nil {
		return nil, fmt.Errorf("container not found (%q)", name)
	}
	return c, nil
}

// Exec implements controlloop.Runtime.
func (o *oci) Exec(
	ctx context.Context, pod types.UID, container string, command []string,
) (string, int, error) {
	var out together
	code, err := o.Run(ctx, pod, container, command,
		OCIStreams{Stdout: &out, Stderr: &out})
	return out.text.String(), code, err
}

// Run implements OCIRuntime.
func (o *oci) Run(
	ctx context.Context, pod types.UID, container string, command []string,
	s OCIStreams,
) (int, error) {
	c, err := o.running(pod, container)
	if err != nil {
		return 0, err
	}
	process := *c.process
	process.Args, process.Terminal = command, s.TTY
	if s.TTY {
		process.Env = append(slices.Clone(process.Env), "TERM=xterm")
	}
	p, err := o.beside(ctx, c, &process, s)
	if err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() {
		p.kill()
		p.close() // a child of it may hold the other end
	})()
	go p.connect(s, true)
	return int(p.wait()), ctx.Err()
}

// beside starts a process in a container that runs.
func (o *oci) beside(
	ctx context.Context, c *ociContainer, process *specs.Process, s OCIStreams,
) (*ociProcess, error) {
	dir, err := os.MkdirTemp(o.State, "exec-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	streams, err := newStdio(process, s.Stdin != nil)
	if err != nil {
		return nil, err
	}
	p := &ociProcess{stdio: streams}
	pidFile, log := filepath.Join(dir, "pid"), filepath.Join(dir, "log")
	err = o.runc.Exec(context.WithoutCancel(ctx), c.id, *process, &runc.ExecOpts{
		IO: p.IO, ConsoleSocket: p.console(), PidFile: pidFile, Detach: true,
		LogFile: log,
	})
	if err != nil {
		p.close()
		return nil, fmt.Errorf("failed to exec in container: failed to start "+
			"exec %q: OCI runtime exec failed: %w: unknown",
			filepath.Base(dir), saidByRunc(log, err))
	}
	if err = p.adopt(pidFile); err == nil {
		err = p.started(s.Stdout, s.Stderr)
	}
	if err != nil {
		p.close()
	}
	return p, err
}

// Attach implements OCIRuntime.
func (o *oci) Attach(
	ctx context.Context, pod types.UID, container string, s OCIStreams,
) (int, error) {
	c, err := o.running(pod, container)
	if err != nil {
		return 0, err
	}
	output := c.log.watch()
	defer c.log.leave(output)
	go c.connect(s, c.spec.StdinOnce)
	for {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case text, more := <-output:
			if !more {
				return o.codeOf(ctx, c)
			}
			if err := s.show(text); err != nil {
				return 0, err
			}
		}
	}
}

// codeOf waits for the end of a container, and returns its exit code.
func (o *oci) codeOf(ctx context.Context, c *ociContainer) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-c.ended:
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return int(c.status.State.Terminated.ExitCode), nil
}

// Logs implements OCIRuntime.
func (o *oci) Logs(
	ctx context.Context, pod types.UID, id string, opts *corev1.PodLogOptions,
) (io.ReadCloser, error) {
	c := o.container(pod, opts.Container)
	o.mu.Lock()
	for c != nil && c.status.ContainerID != id {
		c = c.previous
	}
	o.mu.Unlock()
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

// Dial implements controlloop.Runtime.
func (o *oci) Dial(
	ctx context.Context, pod types.UID, port int32,
) (net.Conn, error) {
	o.mu.Lock()
	p := o.pods[pod]
	o.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("no sandbox for pod %s", pod)
	}
	return o.Network.Dial(ctx, p.IP, port)
}
