package images

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images/unix"
)

// Exec implements streams.Containers.
func (m *Machines) Exec(
	ctx context.Context, pod *corev1.Pod, name string, command []string,
	s streams.IO,
) (int, error) {
	if err := m.unjoined(ctx, pod, "exec", name, command, s); err != nil {
		return 0, err
	}
	c, err := m.running(pod, name)
	if err != nil {
		return 0, err
	}
	return c.exec(ctx, command, inTurn(s))
}

// turns are two streams that a client copies at once, perhaps to one terminal.
type turns struct {
	mu   sync.Mutex
	last *turn // that was written to
}

// turn is one of the two.
type turn struct {
	io.Writer
	*turns
}

// inTurn makes a client print a program's two streams in the order in which the
// program writes: what is written to one has arrived before anything is written to
// the other.
func inTurn(s streams.IO) streams.IO {
	if s.Stdout != nil && s.Stderr != nil {
		t := &turns{}
		s.Stdout, s.Stderr = &turn{s.Stdout, t}, &turn{s.Stderr, t}
	}
	return s
}

// Write implements io.Writer. In virtual time the pause ends when all that was written
// has been printed.
func (t *turn) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && t.last != t {
		time.Sleep(time.Nanosecond)
	}
	t.last = t
	return t.Writer.Write(p)
}

// Attach implements streams.Containers.
func (m *Machines) Attach(
	ctx context.Context, pod *corev1.Pod, name string, s streams.IO,
) (int, error) {
	if err := m.unjoined(ctx, pod, "attach", name, nil, s); err != nil {
		return 0, err
	}
	c, err := m.running(pod, name)
	if err != nil {
		return 0, err
	}
	w := c.output.watch()
	defer c.output.unwatch(w)
	if s.Stdin != nil && c.keyboard != nil {
		go c.keyboard.attach(ctx, s.Stdin)
	}
	if err := w.show(ctx, s); err != nil {
		return 0, err
	}
	<-c.ended
	if end := c.end.Load(); end != nil {
		return end.code, nil
	}
	return 128 + int(unix.SIGKILL), nil
}

// Dial implements streams.Containers.
func (m *Machines) Dial(
	ctx context.Context, pod *corev1.Pod, port int32,
) (net.Conn, error) {
	n := m.nodeOf(pod)
	if n == nil {
		return nil, fmt.Errorf("node %q is not there", pod.Spec.NodeName)
	}
	if n.cable.isOut() {
		return nil, unanswered(ctx, "tcp",
			net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(int(port))))
	}
	return n.Dial(ctx, pod.UID, port)
}

// running returns a container of a Pod if it runs.
func (m *Machines) running(pod *corev1.Pod, name string) (*container, error) {
	n, at := m.nodeOf(pod), target{pod.UID, name}
	if n == nil || !n.isRunning(at) {
		return nil, missing(name)
	}
	return n.at(at), nil
}

// exec runs a command in the container.
func (c *container) exec(
	ctx context.Context, command []string, s streams.IO,
) (int, error) {
	select {
	case <-c.started:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	p := c.process(command)
	out := newGate()
	defer out.close()
	p.Stdout, p.Stderr = out.pass(s.Stdout), out.pass(s.Stderr)
	if s.Stdin != nil || s.TTY {
		keys := s.Stdin
		if keys == nil {
			keys = strings.NewReader("")
		}
		input := unix.NewInput(keys)
		if s.TTY {
			t := unix.NewTerminal(keys, p.Stdout)
			t.OnInterrupt(func() { p.Signal(unix.SIGINT) })
			if s.Resize != nil {
				go resize(t, s.Resize)
			}
			input = t.Input
			p.Terminal, p.Stdout, p.Stderr = t, t, t
			p.Env = append(p.Env[:len(p.Env):len(p.Env)], "TERM=xterm")
		}
		defer input.Close()
		p.Stdin = input
	}
	code, err := p.Run(ctx)
	if err != nil {
		return 0, fmt.Errorf("failed to exec in container: failed to start exec "+
			"%q: OCI runtime exec failed: exec failed: unable to start container "+
			"process: %s: unknown", c.execID(command), why(command, err))
	}
	return code, nil
}

// resize tells a terminal the size of its screen, until sizes is closed.
func resize(t *unix.Terminal, sizes <-chan streams.Size) {
	for size := range sizes {
		t.Resize(size.Height, size.Width)
	}
}

// execID returns the name of an exec that did not start: the same for the same
// command.
func (c *container) execID(command []string) string {
	return fmt.Sprintf("%x", sha256.Sum256(
		[]byte(c.self.ID+"\x00"+strings.Join(command, "\x00"))))
}

// notStarted returns why the main process of a container did not start. Of one that
// its limit can't hold runc speaks by itself (libcontainer/process_linux.go).
func notStarted(command []string, err error) error {
	reason := "container init was OOM-killed (memory limit too low?)"
	if !errors.Is(err, unix.ErrNoMemory) {
		reason = "error during container init: " + why(command, err)
	}
	return fmt.Errorf("failed to create containerd task: failed to create shim "+
		"task: OCI runtime create failed: runc create failed: unable to start "+
		"container process: %s: unknown", reason)
}

// why returns what runc says of a command that it cannot run.
func why(command []string, err error) string {
	name := ""
	if len(command) > 0 {
		name = command[0]
	}
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return "error starting setns process: fork/exec /proc/self/exe: " + err.Error()
	case errors.Is(err, unix.ErrPermission):
		return fmt.Sprintf("exec: %q: permission denied", name)
	case strings.Contains(name, "/"):
		return fmt.Sprintf("exec: %q: stat %s: no such file or directory", name, name)
	}
	return fmt.Sprintf("exec: %q: executable file not found in $PATH", name)
}
