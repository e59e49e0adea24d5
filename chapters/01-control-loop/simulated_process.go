package controlloop

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Process is one attempt to run a simulated container, as its Program sees it.
type Process struct {
	Pod       *corev1.Pod
	Container *corev1.Container
	Mounts    []Mount

	runtime *Simulated // its lock guards what follows
	sandbox *simPod
	status  corev1.ContainerStatus
	exec    func(context.Context, []string) (string, int)
	ports   []int32
	cancel  context.CancelFunc
	timer   *time.Timer // kills, once the process was asked to end
	killAt  time.Time
	killed  chan struct{}
}

// Start implements Runtime.
func (s *Simulated) Start(
	_ context.Context, pod *corev1.Pod, c *corev1.Container, mounts []Mount,
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	program := s.images[c.Image]
	if program == nil {
		return &PullError{c.Image, fmt.Sprintf("%s: not found", c.Image)}
	}
	sandbox := s.pods[pod.UID]
	if sandbox == nil {
		return fmt.Errorf("no sandbox for %s", KeyOf(pod))
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{
		Pod: pod, Container: c, Mounts: mounts, runtime: s, sandbox: sandbox,
		cancel: cancel, killed: make(chan struct{}),
	}
	p.status = firstStatus(c)
	if last := sandbox.containers[c.Name]; last != nil {
		p.status.RestartCount = last.status.RestartCount + 1
		p.status.LastTerminationState = last.status.State
	}
	p.status.ContainerID = fmt.Sprintf(
		"simulated://%s/%s/%d", pod.UID, c.Name, p.status.RestartCount)
	sandbox.containers[c.Name] = p
	go func() { p.exit(int32(program(ctx, p))) }()
	return nil
}

func firstStatus(c *corev1.Container) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name: c.Name, Image: c.Image, ImageID: "simulated://" + c.Image,
		State: corev1.ContainerState{
			Running: &corev1.ContainerStateRunning{StartedAt: Now()},
		},
	}
}

// exit is called when the program has returned.
func (p *Process) exit(code int32) {
	p.runtime.mu.Lock()
	defer p.runtime.mu.Unlock()
	p.end(code)
}

// kill ends the process whatever its program does. The runtime's lock is held.
func (p *Process) kill() {
	if p.status.State.Running != nil {
		close(p.killed)
		p.end(137) // 128 + SIGKILL
	}
}

// end notes how the process has ended, once. The runtime's lock is held.
func (p *Process) end(code int32) {
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
			StartedAt: running.StartedAt, FinishedAt: Now(),
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

// Stop implements Runtime.
func (s *Simulated) Stop(pod types.UID, container string, grace int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.process(pod, container)
	if p == nil {
		return
	}
	wait := time.Duration(grace) * time.Second
	killAt := time.Now().Add(wait)
	if p.timer != nil && !killAt.Before(p.killAt) {
		return
	}
	p.cancel()
	p.killAt = killAt
	p.timer = time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		p.kill()
	})
}

// process returns a running container, or nil. s.mu is held.
func (s *Simulated) process(pod types.UID, container string) *Process {
	sandbox := s.pods[pod]
	if sandbox == nil {
		return nil
	}
	p := sandbox.containers[container]
	if p == nil || p.status.State.Running == nil {
		return nil
	}
	return p
}

// Containers implements Runtime.
func (s *Simulated) Containers(pod types.UID) map[string]corev1.ContainerStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]corev1.ContainerStatus{}
	if sandbox := s.pods[pod]; sandbox != nil {
		for name, p := range sandbox.containers {
			all[name] = *p.status.DeepCopy()
		}
	}
	return all
}

// Killed is closed when the process has been killed. A program that does not
// end with its context must end with this.
func (p *Process) Killed() <-chan struct{} { return p.killed }

// HandleExec has f answer commands that are run in the container.
func (p *Process) HandleExec(
	f func(ctx context.Context, command []string) (string, int),
) {
	p.runtime.mu.Lock()
	defer p.runtime.mu.Unlock()
	p.exec = f
}

// Exec implements Runtime.
func (s *Simulated) Exec(
	ctx context.Context, pod types.UID, container string, command []string,
) (string, int, error) {
	s.mu.Lock()
	p := s.process(pod, container)
	s.mu.Unlock()
	if p == nil {
		return "", 0, fmt.Errorf("container not found (%q)", container)
	}
	p.runtime.mu.Lock()
	exec := p.exec
	p.runtime.mu.Unlock()
	if exec == nil {
		return "", 0, errors.New("exec: the image has no commands")
	}
	out, code := exec(ctx, command)
	return out, code, ctx.Err() // an answer that comes too late is none
}
