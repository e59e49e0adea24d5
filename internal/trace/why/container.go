package why

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// containers says which of a Pod's containers isn't ready, and why.
func (w *walk) containers(p *corev1.Pod) bool {
	var left *corev1.ContainerStatus // as it ended
	for _, c := range statuses(p) {
		switch s := c.State; {
		case c.Ready:
		case s.Waiting != nil && w.waiting(p, c, s.Waiting), s.Running != nil && w.running(p, c):
			return true
		case s.Terminated == nil:
		case restarts(p, c):
			return w.again(p, c, s.Terminated.ExitCode)
		default:
			left = &c
		}
	}
	if left != nil {
		w.more("container %s has ended with exit code %d, and isn't started again", left.Name, left.State.Terminated.ExitCode)
		return w.end(Stopped, "")
	}
	return false
}

// restarts reports whether a container that has ended is started again.
func restarts(p *corev1.Pod, c corev1.ContainerStatus) bool {
	policy := p.Spec.RestartPolicy
	if own := specOf(p, c.Name).RestartPolicy; own != nil {
		policy = corev1.RestartPolicy(*own)
	}
	return policy == corev1.RestartPolicyAlways || policy == corev1.RestartPolicyOnFailure && c.State.Terminated.ExitCode != 0
}

// waiting says what a container waits for that doesn't run.
func (w *walk) waiting(p *corev1.Pod, c corev1.ContainerStatus, waits *corev1.ContainerStateWaiting) bool {
	switch waits.Reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull":
		w.more("container %s has no image, %s", c.Name, cmp.Or(waits.Message, w.told(p, "Failed"), waits.Reason))
		if back, comes := w.back(p); comes {
			w.beside("it's pulled again at %s", clock(back))
		}
		return w.end(Refused, "kubectl set image %s %s=IMAGE%s", w.maker(p), c.Name, in(p))
	case "CrashLoopBackOff":
		return w.again(p, c, exitCode(c))
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "StartError":
		w.more("container %s can't be made, %s", c.Name, cmp.Or(waits.Message, waits.Reason))
		return w.end(Refused, "")
	}
	return false
}

// again says when a container is started again that has ended.
func (w *walk) again(p *corev1.Pod, c corev1.ContainerStatus, code int32) bool {
	w.more("container %s has ended %s, the last time with exit code %d", c.Name, some(int(c.RestartCount)+1, "time"), code)
	if back, comes := w.back(p); comes {
		return w.until(BackOff, back)
	}
	return w.loop("kubelet "+p.Spec.NodeName, p)
}

// running says what a container waits for that runs and isn't ready.
func (w *walk) running(p *corev1.Pod, c corev1.ContainerStatus) bool {
	isInit := slices.ContainsFunc(p.Status.InitContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == c.Name })
	spec := specOf(p, c.Name)
	started := c.State.Running.StartedAt.Time
	switch words := w.told(p, "Unhealthy"); {
	case isInit && spec.RestartPolicy == nil:
		w.more("init container %s has been running for %s, and the others wait for its end", c.Name, w.Now.Sub(started).Round(time.Second))
		return w.end(Unready, "")
	case words != "" && (spec.ReadinessProbe != nil || spec.StartupProbe != nil):
		w.more("container %s isn't ready, %s", c.Name, strings.TrimRight(words, ": "))
		return w.end(Unready, "")
	case spec.StartupProbe != nil && !isTrue(c.Started):
		return w.probed(c.Name, started, spec.StartupProbe)
	case spec.ReadinessProbe != nil:
		return w.probed(c.Name, started, spec.ReadinessProbe)
	}
	return false
}

// probed ends the chain at the first time that a probe can say yes.
func (w *walk) probed(name string, started time.Time, probe *corev1.Probe) bool {
	delay := time.Duration(probe.InitialDelaySeconds+(max(1, probe.SuccessThreshold)-1)*probe.PeriodSeconds) * time.Second
	at := started.Add(delay)
	for !at.After(w.Now) {
		at = at.Add(time.Duration(max(1, probe.PeriodSeconds)) * time.Second)
	}
	w.more("container %s runs, and its probe hasn't said yes yet", name)
	return w.until(Time, at)
}

// back returns when the kubelet of a Pod looks at it again.
func (w *walk) back(p *corev1.Pod) (time.Time, bool) {
	state, _ := w.Look.State("kubelet " + p.Spec.NodeName)
	back, comes := state.Back[keyOf(p)]
	return back.At, comes
}

// maker is what a Pod is made by, as kubectl set has it: its last owner, or itself.
func (w *walk) maker(p *corev1.Pod) string {
	name := "pod/" + p.Name
	var ref = p.OwnerReferences
	for len(ref) > 0 {
		name = strings.ToLower(ref[0].Kind) + "/" + ref[0].Name
		owner := w.find(ref[0].Kind, p.Namespace+"/"+ref[0].Name)
		if owner == nil {
			break
		}
		ref = owner.GetOwnerReferences()
	}
	return name
}

func specOf(p *corev1.Pod, name string) corev1.Container {
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		if c.Name == name {
			return c
		}
	}
	return corev1.Container{}
}

func exitCode(c corev1.ContainerStatus) int32 {
	if end := c.LastTerminationState.Terminated; end != nil {
		return end.ExitCode
	}
	return 0
}
