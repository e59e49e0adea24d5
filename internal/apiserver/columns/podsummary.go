package columns

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// summary is what the states of a Pod's containers add up to. The word under
// STATUS is not its phase: it is the reason that tells most, of the Pod or of
// one of its containers.
type summary struct {
	status            string
	ready, containers int
	restarts
}

// restarts says how often containers were started again, and when last.
type restarts struct {
	count int
	last  metav1.Time
}

func summarize(pod *corev1.Pod) summary {
	s := summary{
		status:     cmp.Or(pod.Status.Reason, string(pod.Status.Phase)),
		containers: len(pod.Spec.Containers) + len(sidecars(pod)),
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled &&
			c.Reason == corev1.PodReasonSchedulingGated {
			s.status = corev1.PodReasonSchedulingGated
		}
	}
	initializing, ofSidecars := s.addInit(pod)
	if !initializing || isTrue(pod, corev1.PodInitialized) {
		s.restarts = ofSidecars
		s.addContainers(pod)
	}
	if pod.DeletionTimestamp != nil {
		s.status = leaving(pod, s.status)
	}
	return s
}

// leaving returns the word for a Pod that is being deleted: one that
// has ended keeps its own.
func leaving(pod *corev1.Pod, status string) string {
	switch {
	case pod.Status.Reason == "NodeLost":
		return "Unknown"
	case pod.Status.Phase == corev1.PodSucceeded, pod.Status.Phase == corev1.PodFailed:
		return status
	}
	return "Terminating"
}

// addInit adds the init containers up to the first that has not done its part,
// and reports whether there is one. Of their restarts, those of sidecars count
// beyond the beginning.
func (s *summary) addInit(pod *corev1.Pod) (initializing bool, ofSidecars restarts) {
	for i, c := range pod.Status.InitContainerStatuses {
		sidecar := sidecars(pod)[c.Name]
		s.add(c)
		if sidecar {
			ofSidecars.add(c)
		}
		switch {
		case c.State.Terminated != nil && c.State.Terminated.ExitCode == 0:
		case sidecar && c.Started != nil && *c.Started:
			if c.Ready {
				s.ready++
			}
		default:
			s.status = "Init:" + initReason(c,
				fmt.Sprintf("%d/%d", i, len(pod.Spec.InitContainers)))
			return true, ofSidecars
		}
	}
	return false, ofSidecars
}

// initReason returns why an init container is not done, or else the progress of
// them all.
func initReason(c corev1.ContainerStatus, progress string) string {
	if end := c.State.Terminated; end != nil {
		return endReason(end)
	}
	waiting := c.State.Waiting
	if waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing" {
		return waiting.Reason
	}
	return progress
}

// endReason returns how a container ended.
func endReason(end *corev1.ContainerStateTerminated) string {
	switch {
	case end.Reason != "":
		return end.Reason
	case end.Signal != 0:
		return fmt.Sprintf("Signal:%d", end.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", end.ExitCode)
}

// addContainers adds the containers from the last to the first, whose word
// counts most.
func (s *summary) addContainers(pod *corev1.Pod) {
	running, failure := false, ""
	for _, c := range slices.Backward(pod.Status.ContainerStatuses) {
		s.add(c)
		end := c.State.Terminated
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			s.status = c.State.Waiting.Reason
		case end != nil:
			s.status = endReason(end)
			if end.ExitCode != 0 {
				failure = s.status
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.status == "Completed" {
		s.status = notYet(pod, running, failure)
	}
}

// notYet returns the word for a Pod of which one container has completed: the
// Pod has not, while another runs or has failed.
func notYet(pod *corev1.Pod, running bool, failure string) string {
	switch {
	case running && isTrue(pod, corev1.PodReady):
		return "Running"
	case failure != "":
		return failure
	case running:
		return "NotReady"
	}
	return "Completed"
}

func (r *restarts) add(c corev1.ContainerStatus) {
	r.count += int(c.RestartCount)
	end := c.LastTerminationState.Terminated
	if end != nil && r.last.Before(&end.FinishedAt) {
		r.last = end.FinishedAt
	}
}

// sidecars returns the init containers that go on running beside the others.
func sidecars(pod *corev1.Pod) map[string]bool {
	names := map[string]bool{}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil &&
			*c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			names[c.Name] = true
		}
	}
	return names
}
