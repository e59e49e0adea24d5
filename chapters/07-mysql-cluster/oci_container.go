//go:build linux

package mysqlcluster

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
)

// ociContainer is one attempt to run a container. The runtime's lock guards the
// status, the timer, and what came before.
type ociContainer struct {
	*ociProcess           // nil: it never started
	id, dir     string    // of runc, and the bundle's
	image       *OCIImage // whose files are below dir
	process     *specs.Process
	spec        *corev1.Container
	log         *ociLog
	status      corev1.ContainerStatus
	previous    *ociContainer // whose log is kept
	timer       *time.Timer   // kills, once the container was asked to end
	killAt      time.Time
	ended       chan struct{} // closed when nothing of it is left but the log
}

// Start implements controlloop.Runtime.
func (o *oci) Start(
	ctx context.Context, pod *corev1.Pod, spec *corev1.Container,
	mounts []controlloop.Mount,
) error {
	o.mu.Lock()
	p := o.pods[pod.UID]
	o.mu.Unlock()
	if p == nil {
		return fmt.Errorf("no sandbox for %s", controlloop.KeyOf(pod))
	}
	image, err := o.Images.Pull(ctx, spec.Image)
	if err != nil {
		return err
	}
	c, err := o.newContainer(p, spec, image)
	if err != nil {
		return err
	}
	if err := o.bundle(p, pod, c, mounts); err != nil {
		c.log.end()
		return errors.Join(err, o.clearAway(ctx, c))
	}
	c.ociProcess, err = o.run(ctx, c)
	if err != nil {
		return errors.Join(o.clearAway(ctx, c), o.giveUp(p, c, err))
	}
	c.status.State.Running = &corev1.ContainerStateRunning{
		StartedAt: controlloop.Now(),
	}
	o.keep(p, c)
	go o.wait(p, c)
	return nil
}

// newContainer makes the next attempt at a container, which does not run yet.
func (o *oci) newContainer(
	p *ociPod, spec *corev1.Container, image *OCIImage,
) (*ociContainer, error) {
	c := &ociContainer{
		image: image, spec: spec, ended: make(chan struct{}),
		status: corev1.ContainerStatus{
			Name: spec.Name, Image: spec.Image, ImageID: image.ID,
		},
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := p.containers[spec.Name]; last != nil {
		c.previous = last
		c.status.RestartCount = last.status.RestartCount + 1
		c.status.LastTerminationState = last.status.State
	}
	attempt := strconv.Itoa(int(c.status.RestartCount))
	c.id = fmt.Sprintf("%s_%s_%s", p.UID, spec.Name, attempt)
	c.status.ContainerID = "runc://" + c.id
	c.dir = filepath.Join(p.dir, spec.Name, attempt)
	err := os.MkdirAll(filepath.Join(c.dir, "rootfs"), 0o755)
	if err == nil {
		c.log, err = newLog(c.dir + ".log")
	}
	return c, err
}

// keep has the attempt be the container's last. What the one before the last
// has printed goes.
func (o *oci) keep(p *ociPod, c *ociContainer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.containers[c.spec.Name] = c
	if last := c.previous; last != nil && last.previous != nil {
		_ = os.Remove(last.previous.log.path)
		last.previous = nil
	}
}

// giveUp notes that a container has ended before it began, in the words of
// containerd.
func (o *oci) giveUp(p *ociPod, c *ociContainer, err error) error {
	broken := &controlloop.StartError{Reason: fmt.Sprintf(
		"failed to create containerd task: failed to create shim task: OCI "+
			"runtime create failed: runc create failed: %v: unknown", err)}
	c.status.State.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 128, Reason: "StartError", Message: broken.Reason,
		StartedAt: metav1.Unix(0, 0), FinishedAt: controlloop.Now(),
		ContainerID: c.status.ContainerID,
	}
	c.log.end()
	close(c.ended)
	o.keep(p, c)
	return broken
}

// wait waits for the end of a container, and notes it when nothing is left of
// it: then its volumes may go.
func (o *oci) wait(p *ociPod, c *ociContainer) {
	end := &corev1.ContainerStateTerminated{
		ExitCode: c.ociProcess.wait(), Reason: "Completed",
		StartedAt:  c.status.State.Running.StartedAt,
		FinishedAt: controlloop.Now(), ContainerID: c.status.ContainerID,
	}
	switch {
	case o.lackedMemory(c):
		end.Reason = "OOMKilled"
	case end.ExitCode != 0:
		end.Reason = "Error"
	}
	c.log.end()
	// What cannot be cleared away now is, with the Pod.
	_ = o.clearAway(context.Background(), c)
	o.mu.Lock()
	c.status.State = corev1.ContainerState{Terminated: end}
	if c.timer != nil {
		c.timer.Stop()
	}
	tell := o.onExit
	o.mu.Unlock()
	close(c.ended)
	tell(p.Pod)
}

// Stop implements controlloop.Runtime.
func (o *oci) Stop(pod types.UID, container string, grace int64) {
	c := o.container(pod, container)
	o.mu.Lock()
	defer o.mu.Unlock()
	if c == nil || c.status.State.Running == nil {
		return
	}
	wait := time.Duration(grace) * time.Second
	killAt := time.Now().Add(wait)
	if c.timer != nil && !killAt.Before(c.killAt) {
		return
	}
	if c.timer != nil {
		c.timer.Stop()
	} else if grace > 0 {
		c.signal(c.stopSignal())
	}
	c.killAt = killAt
	c.timer = time.AfterFunc(wait, c.kill)
}

// stopSignal is how the container is asked to end.
func (c *ociContainer) stopSignal() syscall.Signal {
	name := c.image.StopSignal
	if l := c.spec.Lifecycle; l != nil && l.StopSignal != nil {
		name = string(*l.StopSignal)
	}
	return cmp.Or(unix.SignalNum(name), syscall.SIGTERM)
}
