package kubelet_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// add adds a container to a Pod that exists.
func add(c *kubetest.Cluster, pod *corev1.Pod, name, image string) {
	kubetest.Edit(c, pod, func(p *corev1.Pod) {
		p.Spec.EphemeralContainers = append(p.Spec.EphemeralContainers, corev1.EphemeralContainer{
			EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: name, Image: image},
		})
	})
}

// added returns what the status of a Pod says of the containers that were
// added.
func added(c *kubetest.Cluster, pod string) (all []string) {
	for _, s := range c.Pod(pod).Status.EphemeralContainerStatuses {
		all = append(all, s.Name+": "+stateOf(s))
	}
	return all
}

func TestAContainerThatIsAddedStartsOnceAndSaysNothingOfItsPod(t *testing.T) {
	images := simulated.Images{
		"app": kubetest.Sleeps(0), "look": kubetest.Exits(3*time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(time.Second)
		before := conditions(c.Pod("web"))
		add(c, pod, "look", "look")
		c.Advance(time.Second)
		assert.Equal(t, []string{"look: Running"}, added(c, "web"))
		status := c.Pod("web").Status.EphemeralContainerStatuses[0]
		assert.False(t, status.Ready, "nobody asks it how it is")
		assert.Nil(t, status.Started)
		c.Advance(time.Hour)
		assert.Equal(t, []string{"look: Error 1"}, added(c, "web"), "whatever the Pod's policy")
		assert.Zero(t, c.Pod("web").Status.EphemeralContainerStatuses[0].RestartCount)
		assert.Equal(t, "Running: Ready", looks(c.Pod("web")))
		assert.Equal(t, before, conditions(c.Pod("web")))
		assert.Equal(t, []string{
			`Normal Pulling kubelet node-1 spec.ephemeralContainers{look}: Pulling image "look"`,
			`Normal Pulled kubelet node-1 spec.ephemeralContainers{look}: Successfully pulled image "look" in 0s (0s including waiting)`,
			`Normal Created kubelet node-1 spec.ephemeralContainers{look}: Container created`,
			`Normal Started kubelet node-1 spec.ephemeralContainers{look}: Container started`,
		}, c.Events()[5:])
	})
}

func TestAContainerThatWasAddedIsNotStartedAgainByAnotherKubelet(t *testing.T) {
	var at []time.Duration
	images := simulated.Images{
		"app": kubetest.Sleeps(0), "done": starts(&at, kubetest.Exits(time.Second, 0)),
		"stays": starts(&at, kubetest.Sleeps(0))}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(time.Second)
		add(c, pod, "z", "done")
		c.Advance(5 * time.Second)
		add(c, pod, "b", "stays")
		c.Advance(5 * time.Second)
		require.Len(t, at, 2, "the first stays as it ended when a second comes")
		before := c.Pod("web")
		c.Restart()
		c.Advance(time.Minute)
		assert.Len(t, at, 2)
		assert.Same(t, before, c.Pod("web"))
		assert.Equal(t, []string{"b: Running", "z: Completed"}, added(c, "web"), "by name")
	})
}

func TestAContainerThatIsAddedDoesNotWaitForInitContainers(t *testing.T) {
	images := simulated.Images{"init": kubetest.Sleeps(0), "look": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web", kubetest.Container("a", "app"))
		pod.Spec.InitContainers = []corev1.Container{kubetest.Container("i", "init")}
		kubetest.Create(c, pod)
		c.Advance(time.Second)
		add(c, pod, "look", "look")
		c.Advance(time.Second)
		assert.Equal(t, []string{"look: Running"}, added(c, "web"))
		assert.Equal(t, "Pending: Running, PodInitializing", looks(c.Pod("web")))
	})
}

func TestAnImageThatAnAddedContainerLacksIsAskedForAgain(t *testing.T) {
	images := simulated.Images{"app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(time.Second)
		add(c, pod, "look", "late")
		c.Advance(500 * time.Millisecond)
		assert.Equal(t, []string{"look: ErrImagePull"}, added(c, "web"))
		c.Advance(3 * time.Second)
		assert.Equal(t, []string{"look: ImagePullBackOff"}, added(c, "web"))
		assert.Contains(t, c.Events(), "Normal BackOff kubelet node-1 "+
			`spec.ephemeralContainers{look}: Back-off pulling image "late"`)
		assert.Equal(t, "Running: Ready", looks(c.Pod("web")))
		c.Advance(28 * time.Second)
		pulls := 0
		for _, event := range c.Events() {
			if strings.HasPrefix(event, "Normal Pulling kubelet node-1 spec.ephemeralContainers{look}") {
				pulls++
			}
		}
		assert.Equal(t, 3, pulls, "at once, after ten seconds, and after twenty more")
	})
}

func TestAContainerThatWasAddedEndsWithItsPod(t *testing.T) {
	for name, test := range map[string]struct {
		delete bool
		want   string
	}{
		"that is deleted":    {true, "Succeeded: Completed"},
		"whose work is done": {false, "Succeeded: Completed"},
	} {
		t.Run(name, func(t *testing.T) {
			images := simulated.Images{
				"app": kubetest.Exits(20*time.Second, 0), "look": kubetest.Stubborn}
			if test.delete {
				images["app"] = kubetest.Sleeps(0)
			}
			in(t, oneNode(images), func(c *kubetest.Cluster) {
				pod := kubetest.Pod("web", kubetest.Container("a", "app"))
				pod.Spec.RestartPolicy = corev1.RestartPolicyNever
				pod.Spec.TerminationGracePeriodSeconds = new(int64(10))
				kubetest.Create(c, pod)
				c.Advance(time.Second)
				add(c, pod, "look", "look")
				c.Advance(time.Second)
				if test.delete {
					c.DeletePod("web")
				}
				c.Advance(20 * time.Second)
				if !test.delete {
					assert.Equal(t, "Running: Completed", looks(c.Pod("web")),
						"a Pod in which something runs has not ended")
				}
				c.Advance(20 * time.Second)
				assert.Equal(t, test.want, last(life(c, "web")))
				assert.Contains(t, c.Events(), "Normal Killing kubelet node-1 "+
					"spec.ephemeralContainers{look}: Stopping container look")
				if test.delete {
					assert.Empty(t, c.Nodes[0].Runtime.Sandboxes())
				} else {
					assert.Equal(t, []string{"look: Error 137"}, added(c, "web"))
				}
			})
		})
	}
}
