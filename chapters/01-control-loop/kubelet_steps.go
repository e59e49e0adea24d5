package controlloop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// steps is what is to be done for a Pod, and when to look again if there is
// something to wait for.
type steps struct {
	start []*corev1.Container
	kill  []*corev1.Container
	held  []string // by their backoff
	wait  time.Duration
}

// nextSteps compares a Pod with its containers and decides. Init containers run
// one after the other, each until it succeeds; then all others run at once
// (Kubernetes: kuberuntime_manager.go, computePodActions).
func nextSteps(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus, m *memory,
) steps {
	var s steps
	if init := nextInit(pod, actual); init != nil {
		s.consider(pod, init, actual, m)
		return s
	}
	for i := range pod.Spec.Containers {
		s.consider(pod, &pod.Spec.Containers[i], actual, m)
	}
	return s
}

// nextInit returns the first init container that has not succeeded. Once any
// other container was started there is none: init containers do not run again.
func nextInit(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus,
) *corev1.Container {
	for _, c := range pod.Spec.Containers {
		if _, started := actual[c.Name]; started {
			return nil
		}
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		if end := actual[c.Name].State.Terminated; end == nil || end.ExitCode != 0 {
			return c
		}
	}
	return nil
}

// consider adds what one container needs: to be started, to be killed, to be
// left alone until its backoff is over, or nothing at all.
func (s *steps) consider(
	pod *corev1.Pod, c *corev1.Container,
	actual map[string]corev1.ContainerStatus, m *memory,
) {
	status := actual[c.Name]
	end := status.State.Terminated
	switch {
	case status.State.Running != nil:
		if m.unhealthy(c, status.RestartCount) {
			s.kill = append(s.kill, c)
		}
		return
	case end != nil && !startsAgain(pod, end.ExitCode):
		return
	}
	pull := m.backoff(pullOf(c))
	wait := pull.remaining(pull.last)
	if end != nil && !ranForLong(end) {
		wait = max(wait, m.backoff(c.Name).remaining(end.FinishedAt.Time))
	}
	if wait > 0 {
		s.held = append(s.held, c.Name)
		s.wait = Sooner(s.wait, wait)
		return
	}
	s.start = append(s.start, c)
}

// startsAgain reports whether a container that has ended is to be started again
// under the Pod's restartPolicy.
func startsAgain(pod *corev1.Pod, code int32) bool {
	switch pod.Spec.RestartPolicy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return code != 0
	}
	return true
}

func isInit(pod *corev1.Pod, container string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers,
		func(c corev1.Container) bool { return c.Name == container })
}

func pullOf(c *corev1.Container) string { return "image " + c.Image }

// take carries the steps out, and returns when to look again.
func (k *Kubelet) take(
	ctx context.Context, pod *corev1.Pod, m *memory, s steps,
) (time.Duration, error) {
	for _, c := range s.kill {
		k.stop(pod, c.Name, *pod.Spec.TerminationGracePeriodSeconds, m.why(c))
	}
	for _, name := range s.held {
		if reason := m.hold(pod, name); reason != "" {
			k.noteHold(pod, name, reason)
		}
	}
	wait := s.wait
	for _, c := range s.start {
		retry, err := k.start(ctx, pod, c, m)
		if err != nil {
			return 0, err
		}
		wait = Sooner(wait, retry)
	}
	return wait, nil
}

// start starts one container. An image that cannot be had is not an error of
// the kubelet's: it goes into the status, and is tried again after a while.
func (k *Kubelet) start(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container, m *memory,
) (time.Duration, error) {
	volumes, err := k.Volumes.Mount(ctx, pod)
	if err != nil {
		return 0, fmt.Errorf("mount volumes of %s: %w", KeyOf(pod), err)
	}
	end := k.Runtime.Containers(pod.UID)[c.Name].State.Terminated
	err = k.Runtime.Start(ctx, pod, c, mountsOf(c, volumes))
	var pull *PullError
	if errors.As(err, &pull) {
		k.notePull(pod, c, pull)
		m.backoff(pullOf(c)).grow()
		m.waiting[c.Name] = waitingFor("ErrImagePull", pull.Reason)
		return m.backoff(pullOf(c)).delay, nil
	}
	if err != nil {
		return 0, fmt.Errorf("start %s of %s: %w", c.Name, KeyOf(pod), err)
	}
	k.notePull(pod, c, nil)
	k.note(pod, c.Name, corev1.EventTypeNormal, "Created", "Container created")
	k.note(pod, c.Name, corev1.EventTypeNormal, "Started", "Container started")
	m.begin(c, end)
	return 0, nil
}

// begin notes that c was started, again if end is not nil.
func (m *memory) begin(c *corev1.Container, end *corev1.ContainerStateTerminated) {
	m.stopping.Delete(c.Name)
	delete(m.waiting, c.Name)
	delete(m.restarts, pullOf(c))
	if end == nil {
		return
	}
	if ranForLong(end) {
		delete(m.restarts, c.Name)
	}
	m.backoff(c.Name).grow()
}

// ranForLong reports whether a container that ended ran for so long that it
// starts again as if for the first time: at once, and its backoff from 10 s.
func ranForLong(end *corev1.ContainerStateTerminated) bool {
	return end.FinishedAt.Sub(end.StartedAt.Time) > longEnough
}

// hold notes why a container waits that could be started but for its backoff.
// It returns the reason when that is news.
func (m *memory) hold(pod *corev1.Pod, container string) string {
	was := m.waiting[container]
	switch {
	case was == nil:
		m.waiting[container] = waitingFor("CrashLoopBackOff", fmt.Sprintf(
			"back-off %v restarting failed container=%s pod=%s_%s(%s)",
			m.backoff(container).delay, container,
			pod.Name, pod.Namespace, pod.UID))
	case was.Reason == "ErrImagePull":
		m.waiting[container] = waitingFor("ImagePullBackOff", fmt.Sprintf(
			"Back-off pulling image %q: ErrImagePull: %s",
			imageOf(pod, container), was.Message))
	default:
		return ""
	}
	return m.waiting[container].Reason
}

func waitingFor(reason, message string) *corev1.ContainerStateWaiting {
	return &corev1.ContainerStateWaiting{Reason: reason, Message: message}
}

func imageOf(pod *corev1.Pod, container string) string {
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if c.Name == container {
			return c.Image
		}
	}
	return ""
}

// mountsOf is what c mounts of the Pod's volumes.
func mountsOf(c *corev1.Container, volumes map[string]Mount) []Mount {
	var mounts []Mount
	for _, vm := range c.VolumeMounts {
		mounts = append(mounts, Mount{
			Source:   volumes[vm.Name].Source,
			Path:     vm.MountPath,
			ReadOnly: vm.ReadOnly || volumes[vm.Name].ReadOnly,
		})
	}
	return mounts
}
