package kubelet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// steps say what is to be done for a Pod, and when to reconcile it again if
// there is something to wait for.
type steps struct {
	start []*corev1.Container
	kill  []kill
	held  []string // by their backoff
	wait  time.Duration
}

type kill struct{ container, why string }

// nextSteps compares a Pod with its containers and decides. Init containers run
// one after the other, each until it succeeds, or, if it is a sidecar, until it
// is up; then all others are started, and once they run, init containers do not
// run again. Ephemeral ones wait for nothing. (Kubernetes:
// kuberuntime_manager.go, computePodActions.)
func nextSteps(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus, m *memory,
) steps {
	var s steps
	if isOver(pod, actual, m) {
		for _, c := range nextToEnd(pod, actual) {
			s.kill = append(s.kill, kill{c.Name, "Stopping container " + c.Name})
		}
		return s
	}
	for _, c := range controlloop.EphemeralContainers(&pod.Spec) {
		s.consider(pod, c, actual[c.Name], m)
	}
	initialized := anyStarted(pod, actual)
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		status := actual[c.Name]
		if isSidecar(pod, c) {
			s.consider(pod, c, status, m)
			if !initialized && !m.hasStarted(c, status) {
				return s
			}
		} else if !initialized && !hasSucceeded(status) {
			if status.State.Running == nil {
				s.consider(pod, c, status, m)
			}
			return s
		}
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		s.consider(pod, c, actual[c.Name], m)
	}
	return s
}

func anyStarted(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus,
) bool {
	return slices.ContainsFunc(pod.Spec.Containers,
		func(c corev1.Container) bool { return actual[c.Name].Name != "" })
}

func hasSucceeded(status corev1.ContainerStatus) bool {
	end := status.State.Terminated
	return end != nil && end.ExitCode == 0
}

// consider adds what one container needs: to be started, to be killed, to be
// left alone until its backoff is over, or nothing at all.
func (s *steps) consider(
	pod *corev1.Pod, c *corev1.Container, status corev1.ContainerStatus,
	m *memory,
) {
	end := status.State.Terminated
	switch {
	case status.State.Running != nil:
		if why := m.complaint(c, status); why != "" {
			s.kill = append(s.kill, kill{c.Name, why})
		}
		return
	case m.isFinal(pod, c, status):
		return
	}
	pull, create := m.backoff(pullOf(c)), m.backoff(createOf(c))
	wait := max(pull.remaining(pull.last), create.remaining(create.last))
	if end != nil && !ranForLong(end) && !changed(c, status) {
		wait = max(wait, m.backoff(c.Name).remaining(end.FinishedAt.Time))
	}
	if wait == 0 {
		s.start = append(s.start, c)
		return
	}
	s.wait = controlloop.Sooner(s.wait, wait)
	if unseen := unseenFor(status, pull, create); unseen > 0 {
		s.wait = controlloop.Sooner(s.wait, unseen)
	} else {
		s.held = append(s.held, c.Name)
	}
}

// unseenFor returns how long the kubelet takes to notice that a container which
// has just ended, or could not be started, has to wait: Kubernetes' asks its
// runtime once a second what has become of its containers.
func unseenFor(
	status corev1.ContainerStatus, tries ...*restarts,
) (longest time.Duration) {
	failed := []time.Time{}
	if end := status.State.Terminated; end != nil {
		failed = append(failed, end.FinishedAt.Time)
	}
	for _, r := range tries {
		failed = append(failed, r.last)
	}
	for _, at := range failed {
		longest = max(longest, time.Until(at.Add(time.Second)))
	}
	return longest
}

// startsAgain reports whether a container that has ended is to be started again
// under the Pod's restartPolicy, or its own if it has one.
func startsAgain(pod *corev1.Pod, c *corev1.Container, code int32) bool {
	if isEphemeral(pod, c.Name) {
		return false
	}
	policy := pod.Spec.RestartPolicy
	if c.RestartPolicy != nil {
		policy = corev1.RestartPolicy(*c.RestartPolicy)
	}
	switch policy {
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

func isEphemeral(pod *corev1.Pod, container string) bool {
	return slices.ContainsFunc(controlloop.EphemeralContainers(&pod.Spec),
		func(c *corev1.Container) bool { return c.Name == container })
}

func pullOf(c *corev1.Container) string   { return "image " + c.Image }
func createOf(c *corev1.Container) string { return "create " + c.Name }

// take carries the steps out, and returns when to reconcile again.
func (k *Kubelet) take(
	ctx context.Context, pod *corev1.Pod, m *memory, s steps,
) (time.Duration, error) {
	for _, x := range s.kill {
		k.stop(pod, x.container, *pod.Spec.TerminationGracePeriodSeconds, x.why)
	}
	for _, name := range s.held {
		if reason := m.hold(pod, name); reason != "" {
			k.noteHold(pod, name, reason)
		}
	}
	if len(s.start) == 0 {
		return s.wait, nil
	}
	volumes, err := k.Volumes.Mount(ctx, pod)
	var missing *MountError
	if errors.As(err, &missing) {
		k.noteMount(pod, m, missing)
		return s.wait, nil // when it comes, we are told
	}
	if err != nil {
		return 0, fmt.Errorf(
			"mount volumes of %s: %w", controlloop.KeyOf(pod), err)
	}
	m.unmounted = ""
	wait := s.wait
	for _, c := range s.start {
		wait = controlloop.Sooner(wait, k.start(ctx, pod, c, volumes, m))
	}
	return wait, nil
}

// start starts one container. If that fails, the kubelet has made no error: the
// reason goes into the status, and start returns when to try again.
func (k *Kubelet) start(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
	volumes map[string]Mount, m *memory,
) (retry time.Duration) {
	before := k.Runtime.Containers(pod.UID)[c.Name]
	if reason, message := k.imageFault(c); reason != "" {
		k.noteImage(pod, c, reason, message)
		return m.postpone(c, reason, message)
	}
	resolved, err := k.resolve(ctx, pod, c)
	if err != nil {
		return k.refuse(pod, c, m, "CreateContainerConfigError", err)
	}
	mounts, err := k.mountsOf(resolved, volumes)
	if err != nil {
		return k.refuse(pod, c, m, "CreateContainerConfigError", err)
	}
	err = k.Runtime.Start(ctx, pod, resolved, mounts)
	var pull *PullError
	if errors.As(err, &pull) {
		k.notePull(pod, c, pull)
		m.backoff(pullOf(c)).grow()
		m.waiting[c.Name] = waitingFor("ErrImagePull", pull.Reason)
		return m.backoff(pullOf(c)).delay
	}
	k.notePull(pod, c, nil)
	var wrong *ConfigError
	if errors.As(err, &wrong) {
		return k.refuse(pod, c, m, "CreateContainerConfigError", wrong)
	}
	var broken *StartError
	if err != nil && !errors.As(err, &broken) {
		return k.refuse(pod, c, m, "CreateContainerError", err)
	}
	k.note(pod, c.Name, corev1.EventTypeNormal, "Created", "Container created")
	m.begin(c, before)
	if broken != nil {
		k.note(pod, c.Name, corev1.EventTypeWarning, "Failed", "Error: %v", broken)
		k.giveUp(pod, c, m, "RunContainerError", broken)
		return 0
	}
	k.note(pod, c.Name, corev1.EventTypeNormal, "Started", "Container started")
	if err := k.postStart(ctx, pod, c); err != nil {
		k.giveUp(pod, c, m, "PostStartHookError", err)
	}
	return 0
}

// giveUp notes that a container has ended before it was of any use. If it is to
// be started again, that counts as a crash, but is called by its name.
func (k *Kubelet) giveUp(
	pod *corev1.Pod, c *corev1.Container, m *memory, reason string, err error,
) {
	end := k.Runtime.Containers(pod.UID)[c.Name].State.Terminated
	if end != nil && startsAgain(pod, c, end.ExitCode) {
		m.waiting[c.Name] = waitingFor(reason, err.Error())
	}
}

// refuse notes that a container could not be created, and why.
func (k *Kubelet) refuse(
	pod *corev1.Pod, c *corev1.Container, m *memory, reason string, err error,
) (retry time.Duration) {
	k.note(pod, c.Name, corev1.EventTypeWarning, "Failed", "Error: %v", err)
	return m.postpone(c, reason, err.Error())
}

func waitingFor(reason, message string) *corev1.ContainerStateWaiting {
	return &corev1.ContainerStateWaiting{Reason: reason, Message: message}
}

func imageOf(pod *corev1.Pod, container string) string {
	for c := range controlloop.Containers(&pod.Spec) {
		if c.Name == container {
			return c.Image
		}
	}
	return ""
}

// mountsOf returns what c mounts of the Pod's volumes, or of parts of them.
func (k *Kubelet) mountsOf(
	c *corev1.Container, volumes map[string]Mount,
) (mounts []Mount, err error) {
	for i := range c.VolumeMounts {
		at := &c.VolumeMounts[i]
		mount := volumes[at.Name]
		if at.SubPath != "" {
			if mount, err = k.Volumes.SubPath(mount, c, at); err != nil {
				return nil, err
			}
		}
		mount.Path = at.MountPath
		mount.ReadOnly = mount.ReadOnly || at.ReadOnly
		mounts = append(mounts, mount)
	}
	return mounts, nil
}
