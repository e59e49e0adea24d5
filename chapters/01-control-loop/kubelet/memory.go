package kubelet

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// memory holds what a kubelet remembers of a Pod between two reconciles. It may be
// lost: then a container restarts sooner, and a probe counts from one again.
type memory struct {
	unmounted string                                   // why it has no volumes
	waiting   map[string]*corev1.ContainerStateWaiting // why one is not started
	stopping  sets.Set[string]                         // those told to end
	restarts  map[string]*restarts
	probes    map[probeKey]*probe
}

func (k *Kubelet) remember(pod types.UID) *memory {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.memory[pod] == nil {
		k.memory[pod] = &memory{
			waiting:  map[string]*corev1.ContainerStateWaiting{},
			stopping: sets.New[string](),
			restarts: map[string]*restarts{},
			probes:   map[probeKey]*probe{},
		}
	}
	return k.memory[pod]
}

func (k *Kubelet) forget(pod types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.memory, pod)
	k.admitted.Delete(pod)
}

// backoff returns the backoff of a container, or of one of the steps before its
// start: see pullOf and createOf.
func (m *memory) backoff(of string) *restarts {
	if m.restarts[of] == nil {
		m.restarts[of] = &restarts{}
	}
	return m.restarts[of]
}

// begin notes that c was started, or restarted if it had a status before.
func (m *memory) begin(c *corev1.Container, before corev1.ContainerStatus) {
	m.stopping.Delete(c.Name)
	delete(m.waiting, c.Name)
	delete(m.restarts, pullOf(c))
	delete(m.restarts, createOf(c))
	end := before.State.Terminated
	if end == nil {
		return
	}
	if ranForLong(end) || changed(c, before) {
		delete(m.restarts, c.Name)
	}
	m.backoff(c.Name).grow()
}

// postpone notes why c could not be created, and returns when to try again.
func (m *memory) postpone(
	c *corev1.Container, reason, message string,
) (retry time.Duration) {
	m.waiting[c.Name] = waitingFor(reason, message)
	m.backoff(createOf(c)).pause(createAgain)
	return createAgain
}

// hold notes why a container waits, when nothing but its backoff keeps it from
// being started. It returns the reason when that is news.
func (m *memory) hold(pod *corev1.Pod, container string) string {
	was := m.waiting[container]
	switch {
	case was == nil, was.Reason == "RunContainerError",
		was.Reason == "PostStartHookError":
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

// hasStarted reports whether a container runs and has come up.
func (m *memory) hasStarted(
	c *corev1.Container, status corev1.ContainerStatus,
) bool {
	return status.State.Running != nil &&
		m.passing(c, startup, status.RestartCount)
}

// complaint says why a running container is to be killed, or returns "". Either
// it no longer matches its spec, or it had time enough to come up, or it has
// failed its liveness probe.
func (m *memory) complaint(
	c *corev1.Container, status corev1.ContainerStatus,
) string {
	p := m.probes[probeKey{c.Name, startup}]
	switch {
	case changed(c, status):
		return fmt.Sprintf(
			"Container %s definition changed, will be restarted", c.Name)
	case p != nil && p.attempt == status.RestartCount && !p.passing &&
		p.failures >= c.StartupProbe.FailureThreshold:
		return fmt.Sprintf(
			"Container %s failed startup probe, will be restarted", c.Name)
	case !m.passing(c, liveness, status.RestartCount):
		return fmt.Sprintf(
			"Container %s failed liveness probe, will be restarted", c.Name)
	}
	return ""
}

// isFinal reports whether a container has ended and is not started
// again. One that was killed because its spec has changed is started
// again, whatever the policy.
func (m *memory) isFinal(
	pod *corev1.Pod, c *corev1.Container, status corev1.ContainerStatus,
) bool {
	end := status.State.Terminated
	return end != nil && !startsAgain(pod, c, end.ExitCode) &&
		!(changed(c, status) && m.stopping.Has(c.Name))
}

// restarting reports whether a container was killed to be started again. That is
// one step, and its first half is not reported.
func (m *memory) restarting(
	pod *corev1.Pod, c *corev1.Container,
	actual map[string]corev1.ContainerStatus,
) bool {
	status := actual[c.Name]
	return status.State.Terminated != nil && m.stopping.Has(c.Name) &&
		pod.DeletionTimestamp == nil && !m.isFinal(pod, c, status) &&
		!isOver(pod, actual, m)
}

// changed reports whether a container was started from another image than its
// spec names now. (Kubernetes can also change its resources, in place.)
func changed(c *corev1.Container, status corev1.ContainerStatus) bool {
	return status.Name != "" && status.Image != c.Image
}
