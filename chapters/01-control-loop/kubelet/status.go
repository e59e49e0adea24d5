package kubelet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
)

// statusOf returns all that can be said about a Pod: its address, the state of
// each container, the phase that this adds up to, and the conditions.
func statusOf(
	pod *corev1.Pod, ip string, actual map[string]corev1.ContainerStatus,
	m *memory,
) corev1.PodStatus {
	s := *pod.Status.DeepCopy()
	s.PodIP, s.PodIPs = ip, nil
	if ip != "" {
		s.PodIPs = []corev1.PodIP{{IP: ip}}
	}
	s.ObservedGeneration = pod.Generation
	if s.StartTime == nil {
		start := controlloop.Now()
		s.StartTime = &start
	}
	s.InitContainerStatuses, s.ContainerStatuses = nil, nil
	s.EphemeralContainerStatuses = nil
	for i := range pod.Spec.InitContainers {
		s.InitContainerStatuses = append(s.InitContainerStatuses,
			containerStatus(pod, &pod.Spec.InitContainers[i], actual, m))
	}
	for i := range pod.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses,
			containerStatus(pod, &pod.Spec.Containers[i], actual, m))
	}
	for _, c := range controlloop.EphemeralContainers(&pod.Spec) {
		s.EphemeralContainerStatuses = append(s.EphemeralContainerStatuses,
			containerStatus(pod, c, actual, m))
	}
	slices.SortFunc(s.ContainerStatuses, byName)
	slices.SortFunc(s.EphemeralContainerStatuses, byName)
	s.Phase = phaseOf(pod, s)
	setConditions(pod, &s)
	return s
}

func byName(a, b corev1.ContainerStatus) int { return cmp.Compare(a.Name, b.Name) }

// containerStatus returns the state of one container: what the runtime knows,
// unless the kubelet knows better why it does not run.
func containerStatus(
	pod *corev1.Pod, c *corev1.Container,
	actual map[string]corev1.ContainerStatus, m *memory,
) corev1.ContainerStatus {
	status, started := actual[c.Name]
	waiting := m.waiting[c.Name]
	if waiting == nil && m.restarting(pod, c, actual) {
		if said := saidOf(pod, c.Name); said != nil {
			return *said
		}
	}
	if !started {
		status = corev1.ContainerStatus{Name: c.Name, Image: c.Image}
		status.RestartCount, status.LastTerminationState = Lost(pod, c.Name)
		if waiting == nil {
			waiting = waitingFor(firstReason(pod), "")
		}
	}
	if waiting != nil {
		if end := status.State.Terminated; end != nil {
			status.LastTerminationState.Terminated = end
		}
		status.State = corev1.ContainerState{Waiting: waiting}
	}
	if isEphemeral(pod, c.Name) {
		return status // it has no probe to answer
	}
	hasStarted := m.hasStarted(c, status)
	status.Started = &hasStarted
	if isInit(pod, c.Name) && !isSidecar(pod, c) {
		status.Ready = hasSucceeded(status)
	} else {
		status.Ready = hasStarted && m.passing(c, readiness, status.RestartCount)
	}
	return status
}

// saidOf returns what the store has heard of a container, or nil.
func saidOf(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	s := pod.Status
	all := slices.Concat(s.InitContainerStatuses, s.ContainerStatuses,
		s.EphemeralContainerStatuses)
	return controlloop.Find(all, func(c corev1.ContainerStatus) bool {
		return c.Name == container
	})
}

// news reports whether a container has ended and the store has not heard of it.
func (m *memory) news(
	pod *corev1.Pod, actual map[string]corev1.ContainerStatus,
) bool {
	for c := range controlloop.Containers(&pod.Spec) {
		if actual[c.Name].State.Terminated == nil {
			continue
		}
		said, now := saidOf(pod, c.Name), containerStatus(pod, c, actual, m)
		if now.State.Terminated != nil &&
			(said == nil || said.State.Terminated == nil) {
			return true
		}
	}
	return false
}

func firstReason(pod *corev1.Pod) string {
	if len(pod.Spec.InitContainers) > 0 {
		return "PodInitializing"
	}
	return "ContainerCreating"
}

// phaseOf adds the states of a Pod's containers up to one word (Kubernetes:
// pkg/kubelet/kubelet_pods.go, getPhase).
func phaseOf(pod *corev1.Pod, s corev1.PodStatus) corev1.PodPhase {
	phase := regularPhase(pod, s)
	last := phase == corev1.PodSucceeded || phase == corev1.PodFailed
	beside := slices.Concat(s.InitContainerStatuses, s.EphemeralContainerStatuses)
	if last && slices.ContainsFunc(beside, isRunning) {
		return pod.Status.Phase // until the sidecars and the like have ended
	}
	return phase
}

func isRunning(c corev1.ContainerStatus) bool { return c.State.Running != nil }

// regularPhase returns the phase as it would be without those.
func regularPhase(pod *corev1.Pod, s corev1.PodStatus) corev1.PodPhase {
	var waiting, running, failed, restarting int
	for i, c := range s.ContainerStatuses {
		end := cmp.Or(c.State.Terminated, c.LastTerminationState.Terminated)
		switch {
		case c.State.Running != nil:
			running++
		case end == nil:
			waiting++
		case startsAgain(pod, &pod.Spec.Containers[i], end.ExitCode) &&
			pod.DeletionTimestamp == nil:
			restarting++
		case c.State.Terminated == nil, end.ExitCode != 0:
			failed++
		}
	}
	switch {
	case initFailed(pod, s):
		return corev1.PodFailed
	case waiting > 0:
		return corev1.PodPending
	case running > 0, restarting > 0:
		return corev1.PodRunning
	case failed > 0:
		return corev1.PodFailed
	}
	return corev1.PodSucceeded
}

func initFailed(pod *corev1.Pod, s corev1.PodStatus) bool {
	for i, c := range s.InitContainerStatuses {
		end := c.State.Terminated
		if end != nil && end.ExitCode != 0 &&
			!startsAgain(pod, &pod.Spec.InitContainers[i], end.ExitCode) {
			return true
		}
	}
	return false
}

// setConditions writes the five conditions, each with its reason, in the order
// in which Kubernetes' kubelet does.
func setConditions(pod *corev1.Pod, s *corev1.PodStatus) {
	if s.PodIP == "" {
		controlloop.SetPodCondition(s, corev1.PodReadyToStartContainers,
			"PodSandboxNotReady", "no pod sandbox exists")
	} else {
		controlloop.SetPodCondition(s, corev1.PodReadyToStartContainers, "", "")
	}
	bad := notInitialized(pod, s)
	if len(bad) > 0 && !slices.ContainsFunc(s.ContainerStatuses, hasBegun) {
		controlloop.SetPodCondition(s, corev1.PodInitialized,
			"ContainersNotInitialized",
			fmt.Sprintf("containers with incomplete status: %s", bad))
	} else {
		controlloop.SetPodCondition(s, corev1.PodInitialized, "", "")
	}
	reason, message := "", ""
	if bad := notReady(pod, s); len(bad) > 0 {
		reason = "ContainersNotReady"
		message = fmt.Sprintf("containers with unready status: %s", bad)
	}
	switch s.Phase {
	case corev1.PodSucceeded:
		reason, message = "PodCompleted", ""
	case corev1.PodFailed:
		reason, message = "PodFailed", ""
	}
	if reason != "" {
		controlloop.SetPodCondition(s, corev1.PodReady, reason, message)
	} else if closed := closedGates(pod, s); len(closed) > 0 {
		controlloop.SetPodCondition(s, corev1.PodReady, "ReadinessGatesNotReady",
			strings.Join(closed, ", "))
	} else {
		controlloop.SetPodCondition(s, corev1.PodReady, "", "")
	}
	controlloop.SetPodCondition(s, corev1.ContainersReady, reason, message)
	controlloop.SetPodCondition(s, corev1.PodScheduled, "", "")
}

// closedGates says of each readiness gate that isn't open why: others than the
// kubelet write its condition, or don't (Kubernetes: pkg/kubelet/status/
// generate.go, GeneratePodReadyCondition).
func closedGates(pod *corev1.Pod, s *corev1.PodStatus) (closed []string) {
	for _, gate := range pod.Spec.ReadinessGates {
		c := controlloop.Find(s.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == gate.ConditionType
		})
		if c == nil {
			closed = append(closed, fmt.Sprintf("corresponding condition of pod "+
				"readiness gate %q does not exist.", gate.ConditionType))
		} else if c.Status != corev1.ConditionTrue {
			closed = append(closed, fmt.Sprintf("the status of pod readiness gate "+
				"%q is not \"True\", but %v", gate.ConditionType, c.Status))
		}
	}
	return closed
}

// notInitialized returns the init containers that the others wait for.
func notInitialized(pod *corev1.Pod, s *corev1.PodStatus) (names []string) {
	for i, c := range s.InitContainerStatuses {
		done := c.Ready
		if isSidecar(pod, &pod.Spec.InitContainers[i]) {
			done = *c.Started
		}
		if !done {
			names = append(names, c.Name)
		}
	}
	return names
}

func hasBegun(c corev1.ContainerStatus) bool {
	return c.State.Running != nil || c.State.Terminated != nil
}

// notReady returns the sidecars and then the containers that are not ready.
func notReady(pod *corev1.Pod, s *corev1.PodStatus) (names []string) {
	for i, c := range s.InitContainerStatuses {
		if !c.Ready && isSidecar(pod, &pod.Spec.InitContainers[i]) {
			names = append(names, c.Name)
		}
	}
	for _, c := range s.ContainerStatuses {
		if !c.Ready {
			names = append(names, c.Name)
		}
	}
	return names
}

func sameStatus(a, b corev1.PodStatus) bool {
	return equality.Semantic.DeepEqual(a, b)
}
