//go:build linux

package oci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/chapters/07-mysql-cluster/oci/stdio"
)

// container is one attempt to run a container. The runtime's lock guards the
// status, the timer, and what came before.
type container struct {
	*child                // nil: it never started
	id, dir  string       // of runc, and the bundle's
	image    *image.Image // whose files are below dir
	process  *specs.Process
	spec     *corev1.Container
	log      *stdio.Log
	status   corev1.ContainerStatus
	previous *container  // whose log is kept
	timer    *time.Timer // kills, once the container was asked to end
	killAt   time.Time
	ended    chan struct{} // closed, with the lock, when nothing of it is left but the log
}

// Start implements kubelet.Runtime.
func (r *runtime) Start(
	ctx context.Context, pod *corev1.Pod, spec *corev1.Container,
	mounts []kubelet.Mount,
) error {
	r.mu.Lock()
	p := r.pods[pod.UID]
	r.mu.Unlock()
	if p == nil {
		return fmt.Errorf("no sandbox for %s", controlloop.KeyOf(pod))
	}
	image, err := r.Images.Pull(ctx, spec.Image)
	if err != nil {
		return err
	}
	c, err := r.newContainer(p, pod, spec, image)
	if err != nil {
		return err
	}
	if err := r.bundle(p, pod, c, mounts); err != nil {
		c.log.End()
		return errors.Join(err, r.clearAway(ctx, c))
	}
	c.child, err = r.run(ctx, c)
	if err != nil {
		return errors.Join(r.clearAway(ctx, c), r.giveUp(p, c, err))
	}
	c.status.State.Running = &corev1.ContainerStateRunning{
		StartedAt: controlloop.Now(),
	}
	r.keep(p, c)
	go r.wait(p, c)
	return nil
}

// newContainer makes the next attempt at a container, which does not run yet.
func (r *runtime) newContainer(
	p *sandbox, pod *corev1.Pod, spec *corev1.Container, image *image.Image,
) (*container, error) {
	c := &container{
		image: image, spec: spec, ended: make(chan struct{}),
		status: corev1.ContainerStatus{
			Name: spec.Name, Image: spec.Image, ImageID: image.ID,
		},
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := p.containers[spec.Name]; last != nil {
		c.previous = last
		c.status.RestartCount = last.status.RestartCount + 1
		c.status.LastTerminationState = last.status.State
	} else {
		c.status.RestartCount, c.status.LastTerminationState = kubelet.Lost(pod, spec.Name)
	}
	attempt := strconv.Itoa(int(c.status.RestartCount))
	c.id = fmt.Sprintf("%s_%s_%s", p.UID, spec.Name, attempt)
	c.status.ContainerID = "runc://" + c.id
	c.dir = filepath.Join(p.dir, spec.Name, attempt)
	err := os.MkdirAll(filepath.Join(c.dir, "rootfs"), 0o755)
	if err == nil {
		c.log, err = stdio.NewLog(c.dir + ".log")
	}
	return c, err
}

// keep makes the attempt the container's last, and removes what the one before
// the last has printed.
func (r *runtime) keep(p *sandbox, c *container) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.containers[c.spec.Name] = c
	if last := c.previous; last != nil && last.previous != nil {
		_ = os.Remove(last.previous.log.Path)
		last.previous = nil
	}
}

// giveUp notes that a container has ended before it began, in the words of
// containerd.
func (r *runtime) giveUp(p *sandbox, c *container, err error) error {
	broken := &kubelet.StartError{Reason: fmt.Sprintf(
		"failed to create containerd task: failed to create shim task: OCI "+
			"runtime create failed: runc create failed: %v: unknown", err)}
	c.status.State.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 128, Reason: "StartError", Message: broken.Reason,
		StartedAt: metav1.Unix(0, 0), FinishedAt: controlloop.Now(),
		ContainerID: c.status.ContainerID,
	}
	c.log.End()
	close(c.ended)
	r.keep(p, c)
	return broken
}

// wait waits for the end of a container, and notes it when nothing is left of
// it: then its volumes may go.
func (r *runtime) wait(p *sandbox, c *container) {
	end := &corev1.ContainerStateTerminated{
		ExitCode: c.child.wait(), Reason: "Completed",
		StartedAt:  c.status.State.Running.StartedAt,
		FinishedAt: controlloop.Now(), ContainerID: c.status.ContainerID,
	}
	switch {
	case r.lackedMemory(c):
		end.Reason = "OOMKilled"
	case end.ExitCode != 0:
		end.Reason = "Error"
	}
	c.log.End()
	// The Pod clears away what cannot be cleared away now.
	_ = r.clearAway(context.Background(), c)
	r.mu.Lock()
	c.status.State = corev1.ContainerState{Terminated: end}
	if c.timer != nil {
		c.timer.Stop()
	}
	close(c.ended) // a caller that sees the state finds it ended
	tell := r.onExit
	r.mu.Unlock()
	tell(p.Pod)
}

// Stop implements kubelet.Runtime.
func (r *runtime) Stop(pod types.UID, container string, grace int64) error {
	c := r.container(pod, container)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c == nil || c.status.State.Running == nil {
		return nil
	}
	wait := time.Duration(grace) * time.Second
	killAt := time.Now().Add(wait)
	if c.timer != nil && !killAt.Before(c.killAt) {
		return r.overdue(c)
	}
	if c.timer != nil {
		c.timer.Stop()
	} else if grace > 0 {
		c.signal(c.stopSignal())
	}
	c.killAt = killAt
	tell, key := r.onExit, r.pods[pod].Pod
	c.timer = time.AfterFunc(wait, func() {
		c.kill()
		select {
		case <-c.ended:
		case <-time.After(r.patience):
			tell(key) // the kubelet asks again, and hears of it
		}
	})
	return nil
}

// overdue returns what is wrong with a container that was killed and has had time
// enough to end, in the words of containerd, or nil.
func (r *runtime) overdue(c *container) error {
	if time.Since(c.killAt) < r.patience {
		return nil
	}
	return fmt.Errorf("an error occurs during waiting for container %q to be "+
		"killed: wait container %[1]q: %w", c.id, context.DeadlineExceeded)
}

// stopSignal returns how the container is asked to end.
func (c *container) stopSignal() syscall.Signal {
	name := c.image.StopSignal
	if l := c.spec.Lifecycle; l != nil && l.StopSignal != nil {
		name = string(*l.StopSignal)
	}
	return cmp.Or(unix.SignalNum(name), syscall.SIGTERM)
}
