package simulated

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// Process is a running program as the program itself sees it: its arguments and
// streams, and the container that it runs in.
type Process struct {
	Pod       *corev1.Pod
	Container *corev1.Container
	Mounts    []kubelet.Mount // the files that others see as well
	ID        string          // the container's; every restart makes another

	Args           []string // the first is the name that it was called by
	Env            []string // "NAME=value"
	Dir            string
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	*attempt
}

// Getenv returns the value of a variable of its environment, or "".
func (p *Process) Getenv(name string) string {
	for _, v := range p.Env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// attempt is one attempt to run a container. The runtime's lock guards what
// changes.
type attempt struct {
	runtime *Runtime
	sandbox *sandbox
	status  corev1.ContainerStatus
	exec    Program
	ports   []int32
	cancel  context.CancelFunc
	timer   *time.Timer // kills, once the process was asked to end
	killAt  time.Time
	killed  chan struct{}
}

// Start implements kubelet.Runtime.
func (r *Runtime) Start(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
	mounts []kubelet.Mount,
) error {
	p, err := r.prepare(pod, c, mounts)
	if err != nil {
		return err
	}
	program, err := r.registry.Pull(ctx, p)
	var broken *kubelet.StartError
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pods[pod.UID] != p.sandbox { // removed while the image came
		return fmt.Errorf("no sandbox for %s", controlloop.KeyOf(pod))
	}
	if broken != nil {
		p.status.State.Terminated = neverStarted(broken, p.ID)
		p.sandbox.containers[c.Name] = p
		return broken
	}
	ctx, p.cancel = context.WithCancel(context.Background())
	p.status.State.Running = &corev1.ContainerStateRunning{
		StartedAt: controlloop.Now(),
	}
	p.sandbox.containers[c.Name] = p
	go func() { p.exit(int32(program(ctx, p))) }()
	return nil
}

// neverStarted returns the end of a container that had no beginning, in the
// words of containerd.
func neverStarted(
	err *kubelet.StartError, id string,
) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{
		ExitCode: 128, Reason: "StartError", Message: err.Reason,
		StartedAt: metav1.Unix(0, 0), FinishedAt: controlloop.Now(),
		ContainerID: id,
	}
}

// prepare makes a process that does not run yet.
func (r *Runtime) prepare(
	pod *corev1.Pod, c *corev1.Container, mounts []kubelet.Mount,
) (*Process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sandbox := r.pods[pod.UID]
	if sandbox == nil {
		return nil, fmt.Errorf("no sandbox for %s", controlloop.KeyOf(pod))
	}
	status := corev1.ContainerStatus{
		Name: c.Name, Image: c.Image, ImageID: "simulated://" + c.Image,
	}
	if last := sandbox.containers[c.Name]; last != nil {
		status.RestartCount = last.status.RestartCount + 1
		status.LastTerminationState = last.status.State
	} else {
		status.RestartCount, status.LastTerminationState = kubelet.Lost(pod, c.Name)
	}
	status.ContainerID = fmt.Sprintf(
		"simulated://%s/%s/%d", pod.UID, c.Name, status.RestartCount)
	p := &Process{
		Pod: pod, Container: c, Mounts: mounts, ID: status.ContainerID,
		Dir: c.WorkingDir,
		attempt: &attempt{
			runtime: r, sandbox: sandbox, status: status,
			killed: make(chan struct{}),
		},
	}
	for _, v := range c.Env {
		p.Env = append(p.Env, v.Name+"="+v.Value)
	}
	command := c.Command
	if len(command) == 0 {
		command = []string{c.Image}
	}
	return p.Beside(slices.Concat(command, c.Args)...), nil
}

// Beside returns a process in the same container, with arguments of its own.
// Its input is empty, and its output is discarded.
func (p *Process) Beside(args ...string) *Process {
	other := *p
	other.Args = args
	other.Stdin = strings.NewReader("")
	other.Stdout, other.Stderr = io.Discard, io.Discard
	return &other
}

// exit notes that the program has returned.
func (p *attempt) exit(code int32) {
	p.runtime.mu.Lock()
	defer p.runtime.mu.Unlock()
	p.end(code)
}

// kill ends the process whatever its program does. The runtime's lock is held.
func (p *attempt) kill() {
	if p.status.State.Running != nil {
		close(p.killed)
		p.end(137) // 128 + SIGKILL
	}
}

// end notes how the process has ended, once. The runtime's lock is held.
func (p *attempt) end(code int32) {
	running := p.status.State.Running
	if running == nil {
		return
	}
	reason := "Completed"
	if code != 0 {
		reason = "Error"
	}
	p.status.State = corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: reason, ContainerID: p.status.ContainerID,
			StartedAt: running.StartedAt, FinishedAt: controlloop.Now(),
		},
	}
	p.cancel()
	if p.timer != nil {
		p.timer.Stop()
	}
	for _, port := range p.ports {
		p.sandbox.ports[port].close()
		delete(p.sandbox.ports, port)
	}
	p.runtime.onExit(p.sandbox.Pod)
}

// Stop implements kubelet.Runtime.
func (r *Runtime) Stop(pod types.UID, container string, grace int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.process(pod, container)
	if p == nil {
		return nil
	}
	wait := time.Duration(grace) * time.Second
	killAt := time.Now().Add(wait)
	if p.timer != nil && !killAt.Before(p.killAt) {
		return nil
	}
	p.cancel()
	p.killAt = killAt
	p.timer = time.AfterFunc(wait, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		p.kill()
	})
	return nil
}

// process returns a running container, or nil. s.mu is held.
func (r *Runtime) process(pod types.UID, container string) *Process {
	sandbox := r.pods[pod]
	if sandbox == nil {
		return nil
	}
	p := sandbox.containers[container]
	if p == nil || p.status.State.Running == nil {
		return nil
	}
	return p
}

// Containers implements kubelet.Runtime.
func (r *Runtime) Containers(pod types.UID) map[string]corev1.ContainerStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]corev1.ContainerStatus{}
	if sandbox := r.pods[pod]; sandbox != nil {
		for name, p := range sandbox.containers {
			all[name] = *p.status.DeepCopy()
		}
	}
	return all
}

// Killed returns a channel that is closed when the process has been killed. A
// program that does not end with its context must end with this.
func (p *Process) Killed() <-chan struct{} { return p.killed }

// IP returns the address of the process's Pod.
func (p *Process) IP() string { return p.sandbox.IP }

// Hostname returns the name that the process's Pod has for itself.
func (p *Process) Hostname() string {
	name := cmp.Or(p.Pod.Spec.Hostname, p.Pod.Name)
	if len(name) > 63 {
		name = strings.TrimRight(name[:63], "-.")
	}
	return name
}

// HandleExec lets f run the commands that are run in the container, each as a
// process beside p.
func (p *Process) HandleExec(f Program) {
	p.runtime.mu.Lock()
	defer p.runtime.mu.Unlock()
	p.exec = f
}

// Exec implements kubelet.Runtime.
func (r *Runtime) Exec(
	ctx context.Context, pod types.UID, container string, command []string,
) (string, int, error) {
	r.mu.Lock()
	p := r.process(pod, container)
	r.mu.Unlock()
	if p == nil {
		return "", 0, fmt.Errorf("container not found (%q)", container)
	}
	p.runtime.mu.Lock()
	exec := p.exec
	p.runtime.mu.Unlock()
	if exec == nil {
		return "", 0, errors.New("exec: the image has no commands")
	}
	var out bytes.Buffer
	p = p.Beside(command...)
	p.Stdout, p.Stderr = &out, &out
	code := exec(ctx, p)
	return out.String(), code, ctx.Err() // an answer that comes too late is none
}
