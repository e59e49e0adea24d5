package kubelet_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func TestAKubeletThatStartsFindsWhatIsRunning(t *testing.T) {
	images := simulated.Images{"app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("stays", kubetest.Container("a", "app")))
		kubetest.Create(c, kubetest.Pod("goes", kubetest.Container("a", "app")))
		c.Advance(5 * time.Second)
		before := c.Pod("stays")
		c.DeletePod("goes", kubetest.Grace(0)) // while no kubelet is there to see it
		c.Restart()
		c.Advance(time.Minute)
		assert.Same(t, before, c.Pod("stays"), "nothing about it has changed")
		assert.Len(t, c.Nodes[0].Runtime.Sandboxes(), 1, "what was left behind is removed")
	})
}

func TestAPodOfAnotherNodeIsLeftAlone(t *testing.T) {
	setup := oneNode(nil)
	setup.Nodes = 2
	in(t, setup, func(c *kubetest.Cluster) {
		for pod, node := range map[string]string{"there": "node-2", "nowhere": "node-9"} {
			pod := kubetest.Pod(pod)
			pod.Spec.NodeName = node
			kubetest.Create(c, pod)
		}
		c.Advance(time.Minute)
		assert.Empty(t, c.Nodes[0].Runtime.Sandboxes(), "node-1 was asked for nothing")
		assert.Equal(t, "10.244.2.2", c.Pod("there").Status.PodIP)
		assert.Len(t, c.WritesOf(kubetest.Pod("nowhere")), 1,
			"there is no node-9, and nobody speaks for it")
	})
}

func TestAKubeletWritesNothingWhenNothingChanges(t *testing.T) {
	t.Parallel()
	images := simulated.Images{"init": kubetest.Exits(time.Second, 0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		nginx := kubetest.Container("nginx", kubetest.Nginx)
		nginx.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
		nginx.LivenessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
		pod := kubetest.Pod("web", nginx)
		pod.Spec.InitContainers = []corev1.Container{kubetest.Container("init", "init")}
		kubetest.Create(c, pod)
		kubetest.Create(c, kubetest.Pod("pulls", kubetest.Container("a", "none")))
		c.Advance(9 * time.Minute) // the last pull was at 5m10s, the next is at 10m10s
		assert.True(t, c.Pod("web").Status.InitContainerStatuses[0].Ready, "it has done its work")
		before := c.Client.Writes()
		c.Advance(time.Minute)
		assert.Equal(t, before, c.Client.Writes(),
			"it asked its probes and wrote what they said, though they said nothing new")
	})
}

// The next kubelet sees what happened while there was none.
func TestAContainerThatEndsWhileNoKubeletLooksIsStartedByTheNext(t *testing.T) {
	images := simulated.Images{"app": kubetest.Exits(10*time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Settle()
		time.Sleep(15 * time.Second) // nothing steps the kubelet
		c.Restart()
		c.Settle()
		status := c.Pod("web").Status.ContainerStatuses[0]
		assert.EqualValues(t, 1, status.RestartCount)
		assert.EqualValues(t, 1, status.LastTerminationState.Terminated.ExitCode)
	})
}

// Stop a kubelet wherever you like: the next one brings the Pod to the same
// end.
func TestAKubeletMayStopAfterAnyWrite(t *testing.T) {
	t.Parallel()
	images := simulated.Images{
		"init": kubetest.Exits(time.Second, 0), "app": kubetest.Sleeps(2 * time.Second)}
	for k := 1; k <= 7; k++ {
		for _, when := range []kubetest.When{kubetest.Before, kubetest.After} {
			in(t, oneNode(images), func(c *kubetest.Cluster) {
				c.Client.CrashAtWrite(k, when)
				look := func(d time.Duration) {
					for range 2 {
						c.Advance(d)
						if c.Crashed() {
							c.Restart()
						}
					}
				}
				pod := kubetest.Pod("web", kubetest.Container("a", "app"))
				pod.Spec.InitContainers = []corev1.Container{kubetest.Container("init", "init")}
				kubetest.Create(c, pod)
				look(5 * time.Second)
				assert.Equal(t, "Running: Completed, Ready", looks(c.Pod("web")),
					"stopped %s write %d", when, k)
				assert.Zero(t, c.Pod("web").Status.ContainerStatuses[0].RestartCount,
					"stopped %s write %d: what runs is left running", when, k)
				c.DeletePod("web")
				look(5 * time.Second)
				assert.Empty(t, c.Pods(), "stopped %s write %d", when, k)
				assert.Empty(t, c.Nodes[0].Runtime.Sandboxes(), "stopped %s write %d", when, k)
			})
		}
	}
}
