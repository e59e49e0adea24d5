package kubelet_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func TestAContainerThatEndsWhenAskedToIsNotKilled(t *testing.T) {
	images := simulated.Images{"app": kubetest.Sleeps(7 * time.Second)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(time.Second)
		assert.Equal(t, 7*time.Second, timeToGo(c, "web"))
		assert.Equal(t, []string{"Pending: ContainerCreating", "Running: Ready",
			"Succeeded: Completed"}, life(c, "web"))
		assert.Empty(t, c.Nodes[0].Runtime.Sandboxes(), "its sandbox goes with it")
	})
}

func TestAContainerThatDoesNotEndIsKilledAfterItsGrace(t *testing.T) {
	for grace, opts := range map[int64][]metav1.DeleteOptions{
		30: nil, 5: {kubetest.Grace(5)}, 60: {kubetest.Grace(60)},
	} {
		images := simulated.Images{"app": kubetest.Stubborn}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
			c.Advance(time.Second)
			assert.Equal(t, time.Duration(grace)*time.Second, timeToGo(c, "web", opts...))
			assert.Equal(t, "Failed: Error 137", last(life(c, "web")), "128 + SIGKILL")
		})
	}
}

func TestGraceCanBeShortenedWhileAContainerIsEnding(t *testing.T) {
	for name, test := range map[string]struct {
		grace int64
		want  time.Duration
	}{
		"to more than it has had": {13, 13 * time.Second},
		"to less than it has had": {3, time.Second},
		"to none":                 {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			images := simulated.Images{"app": kubetest.Stubborn}
			in(t, oneNode(images), func(c *kubetest.Cluster) {
				kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
				c.Advance(time.Second)
				c.DeletePod("web", kubetest.Grace(1000))
				c.Advance(10 * time.Second)
				assert.Equal(t, test.want, timeToGo(c, "web", kubetest.Grace(test.grace)))
			})
		})
	}
}

// timeToGo returns how long a Pod that is deleted now takes to be gone.
func timeToGo(
	c *kubetest.Cluster, name string, opts ...metav1.DeleteOptions,
) time.Duration {
	start := c.Elapsed()
	c.DeletePod(name, opts...)
	c.Advance(2 * time.Minute)
	w := last(c.Writes())
	if len(c.Pods()) > 0 {
		return -1
	}
	return w.At - start
}

func last[E any](list []E) E { return list[len(list)-1] }

func TestAPodIsDeletedByForceAndItsContainersGoToo(t *testing.T) {
	images := simulated.Images{"app": kubetest.Stubborn}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(time.Second)
		require.Len(t, c.Nodes[0].Runtime.Sandboxes(), 1)
		c.DeletePod("web", kubetest.Grace(0))
		assert.Empty(t, c.Pods(), "the store does not wait")
		c.Settle()
		assert.Empty(t, c.Nodes[0].Runtime.Sandboxes())
	})
}

func TestAPodOfTheSameNameIsAnotherPod(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		old := kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(5 * time.Second)
		// Between two looks of the kubelet one goes and another comes.
		c.DeletePod("web", kubetest.Grace(0))
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(5 * time.Second)
		now := c.Pod("web")
		assert.True(t, kubetest.Ready(now))
		assert.Equal(t, "10.244.1.3", now.Status.PodIP)
		sandboxes := c.Nodes[0].Runtime.Sandboxes()
		require.Len(t, sandboxes, 1)
		assert.Equal(t, now.UID, sandboxes[0].UID)
		assert.NotEqual(t, old.UID, now.UID)
	})
}

func TestAKubeletThatEndsAPodIsContentWhenItIsGone(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(time.Second)
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "delete" { // another is faster
				c.Client.Fail(nil)
				c.DeletePod("web", kubetest.Grace(0))
			}
			return nil
		})
		c.Controller("kubelet node-1").OnError = func(_ controlloop.Key, err error) {
			assert.NoError(t, err)
		}
		c.DeletePod("web")
		c.Advance(time.Minute)
		assert.Empty(t, c.Pods())
	})
}

func TestAKubeletThatEndsAPodLeavesItsSuccessorAlone(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(time.Second)
		c.DeletePod("web")
		require.NotNil(t, replaceAt(c, "web"))
		assert.True(t, kubetest.Ready(c.Pod("web")))
	})
}

func TestAFinalizerKeepsAPodAsItEnded(t *testing.T) {
	images := simulated.Images{"app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web", kubetest.Container("a", "app"))
		held(pod)
		kubetest.Create(c, pod)
		c.Advance(time.Second)
		c.DeletePod("web")
		c.Advance(time.Minute)
		assert.Equal(t, "Succeeded: Completed", looks(c.Pod("web")))
		assert.Empty(t, c.Nodes[0].Runtime.Sandboxes())
		kubetest.Edit(c, pod, func(p *corev1.Pod) { p.Finalizers = nil })
		assert.Empty(t, c.Pods())
	})
}

func TestADeletedPodHasFailedIfAnyContainerHas(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"polite", "polite", "Succeeded: Completed, Completed"},
		{"polite", "stubborn", "Failed: Completed, Error 137"},
		{"asked", "polite", "Failed: Error 143, Completed"},
		{"crashed", "polite", "Failed: CrashLoopBackOff, Completed"},
		{"missing", "polite", "Pending: ImagePullBackOff, Completed"},
	} {
		images := simulated.Images{
			"polite": kubetest.Sleeps(0), "stubborn": kubetest.Stubborn,
			"asked": kubetest.Exits(time.Hour, 0), "crashed": kubetest.Exits(time.Second, 1),
		}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			pod := kubetest.Pod("web",
				kubetest.Container("a", test.a), kubetest.Container("b", test.b))
			pod.Spec.TerminationGracePeriodSeconds = new(int64(2))
			kubetest.Create(c, pod)
			c.Advance(4 * time.Second)
			assert.LessOrEqual(t, timeToGo(c, "web"), 2*time.Second)
			assert.Empty(t, c.Pods())
			assert.Equal(t, test.want, last(life(c, "web")), "%s and %s", test.a, test.b)
		})
	}
}

// The containers of a Pod that ends are forgotten before the Pod is gone. A
// kubelet that looks in between must not take it for one that never began.
func TestAPodThatWaitsToBeGoneStaysAsItEnded(t *testing.T) {
	images := simulated.Images{"app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web",
			kubetest.Container("a", "app"), kubetest.Container("b", "missing"))
		held(pod)
		kubetest.Create(c, pod)
		c.Advance(time.Second)
		c.DeletePod("web")
		c.Advance(time.Minute)
		assert.Equal(t, "Pending: Completed, ImagePullBackOff", looks(c.Pod("web")))
	})
}

// Done is done, also on a machine that has forgotten that it did it.
func TestAPodThatHasEndedDoesNotRunAgain(t *testing.T) {
	var at []time.Duration
	images := simulated.Images{"job": starts(&at, kubetest.Exits(time.Second, 0))}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web", kubetest.Container("a", "job"))
		pod.Spec.RestartPolicy = corev1.RestartPolicyNever
		pod = kubetest.Create(c, pod)
		c.Advance(5 * time.Second)
		require.NoError(t, c.Nodes[0].Runtime.Remove(t.Context(), pod.UID))
		c.Restart()
		c.Advance(time.Minute)
		assert.Len(t, at, 1, "what has ended was run a second time")
		assert.Equal(t, "Succeeded: Completed", looks(c.Pod("web")))
	})
}

func TestAPodThatIsDeletedDuringItsInitFailsOnlyUnderNever(t *testing.T) {
	for policy, want := range map[corev1.RestartPolicy]string{
		corev1.RestartPolicyAlways: "Pending: Error 143, PodInitializing",
		corev1.RestartPolicyNever:  "Failed: Error 143, PodInitializing",
	} {
		images := simulated.Images{"init": kubetest.Exits(time.Hour, 0)}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			pod := kubetest.Pod("web")
			pod.Spec.RestartPolicy = policy
			pod.Spec.InitContainers = []corev1.Container{kubetest.Container("init", "init")}
			kubetest.Create(c, pod)
			c.Advance(time.Second)
			assert.Zero(t, timeToGo(c, "web"))
			assert.Equal(t, want, last(life(c, "web")), policy)
		})
	}
}

// undying is a runtime whose containers outlive their kill.
type undying struct{ kubelet.Runtime }

func (undying) Stop(types.UID, string, int64) error {
	return errors.New("it is still there")
}

func TestAKubeletSaysThatAContainerOutlivesItsKill(t *testing.T) {
	const said = `Warning FailedKillPod kubelet node-1: error killing pod: failed to ` +
		`"KillContainer" for "nginx" with KillContainerError: "it is still there"`
	for name, opts := range map[string][]metav1.DeleteOptions{
		"deleted": nil, "deleted by force": {kubetest.Grace(0)},
	} {
		t.Run(name, func(t *testing.T) {
			setup := oneNode(nil)
			setup.PerNode = []kubetest.OfNode{kubetest.FirstCome,
				func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
					m.Runtime = undying{m.Runtime}
					return kubelet.New(s, m)
				}}
			in(t, setup, func(c *kubetest.Cluster) {
				kubetest.Create(c, kubetest.Pod("web"))
				c.Advance(time.Second)
				c.DeletePod("web", opts...)
				c.Advance(time.Second)
				assert.Equal(t, said, last(c.Events()))
				assert.Len(t, c.Nodes[0].Runtime.Sandboxes(), 1)
			})
		})
	}
}
