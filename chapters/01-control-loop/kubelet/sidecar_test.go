package kubelet_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func sidecar(name, image string) corev1.Container {
	c := kubetest.Container(name, image)
	c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	return c
}

// up returns a startup probe that succeeds at the first second.
func up() *corev1.Probe {
	probe := kubetest.Exec("up")
	probe.PeriodSeconds = 5
	probe.FailureThreshold = 100
	return probe
}

func TestWhatFollowsASidecarWaitsUntilItIsUpAndNotUntilItEnds(t *testing.T) {
	started := time.Now()
	images := simulated.Images{
		"proxy": kubetest.Answers(func(context.Context, []string) int {
			if time.Since(started) < 10*time.Second {
				return 1
			}
			return 0
		}),
		"init": kubetest.Exits(2*time.Second, 0), "app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		started = time.Now()
		proxy := sidecar("proxy", "proxy")
		proxy.StartupProbe = up()
		pod := kubetest.Pod("web", kubetest.Container("a", "app"))
		pod.Spec.InitContainers = []corev1.Container{proxy, kubetest.Container("init", "init")}
		kubetest.Create(c, pod)
		c.Advance(5 * time.Second)
		assert.Equal(t, "Pending: Running, PodInitializing, PodInitializing", looks(c.Pod("web")))
		assert.Equal(t, "False ContainersNotInitialized containers with incomplete status: [proxy init]",
			conditions(c.Pod("web"))[corev1.PodInitialized])
		c.Advance(7 * time.Second)
		assert.Equal(t, "Pending: Ready, Running, PodInitializing", looks(c.Pod("web")))
		c.Advance(3 * time.Second)
		assert.Equal(t, "Running: Ready, Completed, Ready", looks(c.Pod("web")))
		assert.Equal(t, "True", conditions(c.Pod("web"))[corev1.PodReady])
	})
}

func TestASidecarIsStartedAgainWhateverThePolicyAndItsReadinessCounts(t *testing.T) {
	images := simulated.Images{
		"proxy": kubetest.Exits(5*time.Second, 0), "app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web", kubetest.Container("a", "app"))
		pod.Spec.RestartPolicy = corev1.RestartPolicyNever
		pod.Spec.InitContainers = []corev1.Container{sidecar("proxy", "proxy")}
		kubetest.Create(c, pod)
		c.Advance(7 * time.Second)
		assert.EqualValues(t, 1, c.Pod("web").Status.InitContainerStatuses[0].RestartCount)
		assert.Equal(t, "Running: Ready, Ready", looks(c.Pod("web")))
		c.Advance(6 * time.Second)
		assert.Equal(t, "Running: CrashLoopBackOff, Ready", looks(c.Pod("web")))
		assert.Equal(t, "False ContainersNotReady containers with unready status: [proxy]",
			conditions(c.Pod("web"))[corev1.PodReady])
		assert.Equal(t, "True", conditions(c.Pod("web"))[corev1.PodInitialized],
			"what was initialized stays so")
	})
}

// endings returns the names of the containers of these images as they end.
func endings(images simulated.Images) *[]string {
	var order []string
	for name, program := range images {
		images[name] = func(ctx context.Context, p *simulated.Process) int {
			defer func() { order = append(order, p.Container.Name) }()
			return program(ctx, p)
		}
	}
	return &order
}

func TestSidecarsEndLastAndTheLastOfThemFirst(t *testing.T) {
	for name, test := range map[string]struct {
		app    simulated.Program
		policy corev1.RestartPolicy
		delete bool
		want   string
	}{
		"of a Pod that is deleted": {kubetest.Sleeps(3 * time.Second),
			corev1.RestartPolicyAlways, true, "Succeeded: Completed, Completed, Completed"},
		"of a Pod whose work is done": {kubetest.Exits(4*time.Second, 0),
			corev1.RestartPolicyOnFailure, false, "Succeeded: Completed, Completed, Completed"},
		"of a Pod whose work has failed": {kubetest.Exits(4*time.Second, 1),
			corev1.RestartPolicyNever, false, "Failed: Completed, Completed, Error 1"},
	} {
		t.Run(name, func(t *testing.T) {
			images := simulated.Images{"side": kubetest.Sleeps(time.Second), "app": test.app}
			order := endings(images)
			in(t, oneNode(images), func(c *kubetest.Cluster) {
				pod := kubetest.Pod("web", kubetest.Container("a", "app"))
				pod.Spec.RestartPolicy = test.policy
				pod.Spec.InitContainers = []corev1.Container{sidecar("x", "side"), sidecar("y", "side")}
				kubetest.Create(c, pod)
				c.Advance(time.Second)
				if test.delete {
					c.DeletePod("web")
				}
				c.Advance(time.Minute)
				assert.Equal(t, []string{"a", "y", "x"}, *order)
				assert.Equal(t, test.want, last(life(c, "web")))
			})
		})
	}
}

// A sidecar has what the others have left of the Pod's time, and two seconds.
func TestASidecarThatDoesNotEndIsKilledWhenTheTimeOfThePodIsOver(t *testing.T) {
	images := simulated.Images{
		"side": kubetest.Stubborn, "app": kubetest.Sleeps(10 * time.Second)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web", kubetest.Container("a", "app"))
		pod.Spec.InitContainers = []corev1.Container{sidecar("x", "side"), sidecar("y", "side")}
		kubetest.Create(c, pod)
		c.Advance(time.Second)
		assert.Equal(t, 32*time.Second, timeToGo(c, "web"))
	})
}
