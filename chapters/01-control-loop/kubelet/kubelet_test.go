package kubelet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// oneNode runs these images besides nginx.
func oneNode(images simulated.Images) kubetest.Setup {
	return kubetest.Setup{Nodes: 1, Images: images, DetectMutations: true}
}

// stateOf returns what kubectl prints of a container: "ContainerCreating",
// "Running", "Completed", "Error 1".
func stateOf(c corev1.ContainerStatus) string {
	switch s := c.State; {
	case s.Running != nil && c.Ready:
		return "Ready"
	case s.Running != nil:
		return "Running"
	case s.Terminated != nil && s.Terminated.ExitCode != 0:
		return fmt.Sprint(s.Terminated.Reason, " ", s.Terminated.ExitCode)
	case s.Terminated != nil:
		return s.Terminated.Reason
	case s.Waiting != nil:
		return s.Waiting.Reason
	}
	return "nothing"
}

// looks returns a Pod in a line: "Pending: Running, PodInitializing".
func looks(pod *corev1.Pod) string {
	var states []string
	for _, c := range slices.Concat(
		pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		states = append(states, stateOf(c))
	}
	return fmt.Sprint(pod.Status.Phase, ": ", strings.Join(states, ", "))
}

// life returns how a Pod has looked, from its first status on.
func life(c *kubetest.Cluster, name string) (seen []string) {
	var uid any
	for _, w := range c.Writes() {
		pod, isPod := w.Object.(*corev1.Pod)
		if !isPod || pod.Name != name || len(pod.Status.ContainerStatuses) == 0 {
			continue
		}
		if uid != nil && uid != pod.UID {
			continue
		}
		uid = pod.UID
		if l := looks(pod); len(seen) == 0 || seen[len(seen)-1] != l {
			seen = append(seen, l)
		}
	}
	return seen
}

func conditions(pod *corev1.Pod) map[corev1.PodConditionType]string {
	all := map[corev1.PodConditionType]string{}
	for _, c := range pod.Status.Conditions {
		all[c.Type] = strings.TrimSpace(fmt.Sprint(c.Status, " ", c.Reason, " ", c.Message))
	}
	return all
}

func TestAPodComesUpStepByStep(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		nginx := kubetest.Container("nginx", kubetest.Nginx)
		nginx.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
		kubetest.Create(c, kubetest.Pod("web", nginx))
		c.Advance(10 * time.Second)
		assert.Equal(t, []string{
			"Pending: ContainerCreating", "Running: Running", "Running: Ready",
		}, life(c, "web"))
		pod := c.Pod("web")
		assert.Equal(t, "10.244.1.2", pod.Status.PodIP)
		assert.Equal(t, []corev1.PodIP{{IP: "10.244.1.2"}}, pod.Status.PodIPs)
		assert.Equal(t, "node-1", pod.Spec.NodeName)
		assert.EqualValues(t, 1, pod.Status.ObservedGeneration, "to be bound is no change of spec")
		assert.Equal(t, map[corev1.PodConditionType]string{
			corev1.PodScheduled: "True", corev1.PodInitialized: "True",
			corev1.ContainersReady: "True", corev1.PodReady: "True",
			corev1.PodReadyToStartContainers: "True",
		}, conditions(pod))
		status := pod.Status.ContainerStatuses[0]
		assert.Equal(t, kubetest.Nginx, status.Image)
		assert.True(t, *status.Started)
	})
}

func TestInitContainersRunOneByOneThenAllOthersAtOnce(t *testing.T) {
	images := simulated.Images{
		"init": kubetest.Exits(2*time.Second, 0), "app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web",
			kubetest.Container("a", "app"), kubetest.Container("b", "app"))
		pod.Spec.InitContainers = []corev1.Container{
			kubetest.Container("z", "init"), kubetest.Container("y", "init")}
		kubetest.Create(c, pod)
		c.Advance(time.Second)
		assert.Equal(t, map[corev1.PodConditionType]string{
			corev1.PodScheduled: "True", corev1.PodReadyToStartContainers: "True",
			corev1.PodInitialized:  "False ContainersNotInitialized containers with incomplete status: [z y]",
			corev1.ContainersReady: "False ContainersNotReady containers with unready status: [a b]",
			corev1.PodReady:        "False ContainersNotReady containers with unready status: [a b]",
		}, conditions(c.Pod("web")))
		c.Advance(time.Minute)
		require.Equal(t, []string{
			"Pending: PodInitializing, PodInitializing, PodInitializing, PodInitializing",
			"Pending: Running, PodInitializing, PodInitializing, PodInitializing",
			"Pending: Completed, PodInitializing, PodInitializing, PodInitializing",
			"Pending: Completed, Running, PodInitializing, PodInitializing",
			"Pending: Completed, Completed, PodInitializing, PodInitializing",
			"Running: Completed, Completed, Ready, Ready",
		}, life(c, "web"))
		now := c.Pod("web").Status
		start := func(c corev1.ContainerStatus) time.Duration {
			if end := c.State.Terminated; end != nil {
				return end.StartedAt.Sub(now.StartTime.Time)
			}
			return c.State.Running.StartedAt.Sub(now.StartTime.Time)
		}
		assert.Equal(t, []time.Duration{0, 2 * time.Second, 4 * time.Second, 4 * time.Second},
			[]time.Duration{start(now.InitContainerStatuses[0]), start(now.InitContainerStatuses[1]),
				start(now.ContainerStatuses[0]), start(now.ContainerStatuses[1])})
	})
}

func TestAnInitContainerThatFails(t *testing.T) {
	for policy, want := range map[corev1.RestartPolicy]string{
		corev1.RestartPolicyNever:     "Failed: Error 1, PodInitializing after 0 restarts",
		corev1.RestartPolicyOnFailure: "Pending: CrashLoopBackOff, PodInitializing after 1 restarts",
		corev1.RestartPolicyAlways:    "Pending: CrashLoopBackOff, PodInitializing after 1 restarts",
	} {
		images := simulated.Images{"init": kubetest.Exits(time.Second, 1)}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			pod := kubetest.Pod("web")
			pod.Spec.RestartPolicy = policy
			pod.Spec.InitContainers = []corev1.Container{kubetest.Container("init", "init")}
			kubetest.Create(c, pod)
			c.Advance(5 * time.Second)
			now := c.Pod("web")
			assert.Equal(t, want, fmt.Sprintf("%s after %d restarts",
				looks(now), now.Status.InitContainerStatuses[0].RestartCount), policy)

			c.SetImage("init", kubetest.Exits(time.Second, 0))
			c.Advance(time.Minute)
			if policy == corev1.RestartPolicyNever {
				assert.Equal(t, corev1.PodFailed, c.Pod("web").Status.Phase)
			} else {
				assert.Equal(t, "Running: Completed, Ready", looks(c.Pod("web")), policy)
			}
		})
	}
}

func TestAConditionKeepsTheTimeOfItsLastChange(t *testing.T) {
	images := simulated.Images{
		"short": kubetest.Exits(20*time.Second, 1), "app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web",
			kubetest.Container("a", "short"), kubetest.Container("b", "app")))
		start := time.Now()
		c.Advance(2 * time.Minute)
		was := map[corev1.PodConditionType]corev1.PodCondition{}
		changes := map[corev1.PodConditionType][]time.Duration{}
		for _, w := range c.WritesOf(kubetest.Pod("web")) {
			for _, now := range w.Object.(*corev1.Pod).Status.Conditions {
				old, known := was[now.Type]
				if same := known && old.Status == now.Status; same {
					assert.Equal(t, old.LastTransitionTime, now.LastTransitionTime, now.Type)
				} else {
					assert.Equal(t, w.At, now.LastTransitionTime.Sub(start), now.Type)
					changes[now.Type] = append(changes[now.Type], w.At)
				}
				was[now.Type] = now
			}
		}
		assert.Len(t, changes[corev1.PodScheduled], 1)
		s := time.Second
		assert.Equal(t, []time.Duration{0, 0, 20 * s, 20 * s, 40 * s, 50 * s, 70 * s, 90 * s, 110 * s},
			changes[corev1.PodReady], "it is not ready from its end to its restart")
	})
}

func TestOtherWordsAreNoTransition(t *testing.T) {
	q := &questions{answer: func(n int) bool { return n > 2 }}
	in(t, oneNode(simulated.Images{"slow": q.program()}), func(c *kubetest.Cluster) {
		slow := kubetest.Container("a", "slow")
		slow.ReadinessProbe = kubetest.Exec("ready")
		nginx := kubetest.Container("b", kubetest.Nginx)
		nginx.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
		kubetest.Create(c, kubetest.Pod("web", nginx, slow)) // sorted below
		start := time.Now()
		var messages []string
		c.Advance(20 * time.Second)
		for _, w := range c.WritesOf(kubetest.Pod("web")) {
			ready := kubetest.Condition(w.Object.(*corev1.Pod), corev1.PodReady)
			if ready.Type == "" {
				continue
			}
			if len(messages) == 0 || last(messages) != ready.Message {
				messages = append(messages, ready.Message)
			}
			assert.True(t, ready.LastTransitionTime.Time.Equal(start),
				"it was not ready, and is not, for another reason")
		}
		assert.Equal(t, []string{
			"containers with unready status: [a b]", "containers with unready status: [a]",
		}, messages)
		c.Advance(time.Second)
		ready := kubetest.Condition(c.Pod("web"), corev1.PodReady)
		assert.Equal(t, 21*time.Second, ready.LastTransitionTime.Sub(start))
	})
}
