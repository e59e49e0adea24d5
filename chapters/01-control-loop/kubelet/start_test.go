package kubelet_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func TestAContainerWhoseVariablesReferToNothingWaitsAndHeals(t *testing.T) {
	setup := oneNode(nil)
	var there atomic.Bool
	setup.PerNode = []kubetest.OfNode{kubetest.FirstCome,
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			m.Resolve = func(_ context.Context, _ *corev1.Pod, c *corev1.Container) (*corev1.Container, error) {
				if !there.Load() {
					return nil, errors.New(`configmap "x" not found`)
				}
				return c, nil
			}
			return kubelet.New(s, m)
		}}
	in(t, setup, func(c *kubetest.Cluster) {
		never(t, c)
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(time.Second)
		waiting := c.Pod("web").Status.ContainerStatuses[0].State.Waiting
		require.NotNil(t, waiting)
		assert.Equal(t, "CreateContainerConfigError", waiting.Reason)
		assert.Equal(t, `configmap "x" not found`, waiting.Message)
		assert.Equal(t, kubetest.Nginx, c.Pod("web").Status.ContainerStatuses[0].Image)
		failed := `Warning Failed kubelet node-1 spec.containers{nginx}: Error: configmap "x" not found`
		assert.Equal(t, failed, last(c.Events()))
		c.Advance(15 * time.Second)
		asked := slices.DeleteFunc(c.Events(), func(e string) bool { return e != failed })
		assert.Len(t, asked, 2, "every ten seconds, however often the Pod changes")
		there.Store(true)
		c.Advance(10 * time.Second)
		assert.Equal(t, "Running: Ready", looks(c.Pod("web")))
	})
}

func TestAnImageThatMayNotBePulledIsUsedOnceItIsThere(t *testing.T) {
	in(t, oneNode(simulated.Images{"app:1": kubetest.Sleeps(0)}), func(c *kubetest.Cluster) {
		never(t, c)
		app := kubetest.Container("a", "app:1")
		app.ImagePullPolicy = corev1.PullNever
		kubetest.Create(c, kubetest.Pod("web", app))
		c.Advance(25 * time.Second)
		why := `Container image "app:1" is not present with pull policy of Never`
		refused := []string{
			"Warning ErrImageNeverPull kubelet node-1 spec.containers{a}: " + why,
			"Warning Failed kubelet node-1 spec.containers{a}: Error: ErrImageNeverPull",
		}
		assert.Equal(t, slices.Repeat(refused, 3), c.Events()[1:], "at 0, 10 and 20 s, and nothing is pulled")
		waiting := c.Pod("web").Status.ContainerStatuses[0].State.Waiting
		assert.Equal(t, &corev1.ContainerStateWaiting{Reason: "ErrImageNeverPull", Message: why}, waiting)
		kubetest.Create(c, kubetest.Pod("other", kubetest.Container("b", "app:1")))
		c.Advance(10 * time.Second)
		assert.Equal(t, "Running: Ready", looks(c.Pod("web")))
		assert.Contains(t, c.Events(), "Normal Pulled kubelet node-1 spec.containers{a}: "+
			`Container image "app:1" already present on machine and can be accessed by the pod`)
	})
}

// Its memory is gone, and the image is not.
func TestAKubeletThatStartsFindsTheImagesOfWhatRuns(t *testing.T) {
	in(t, oneNode(simulated.Images{"app:1": kubetest.Sleeps(0)}), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app:1")))
		c.Advance(time.Second)
		c.Restart()
		app := kubetest.Container("a", "app:1")
		app.ImagePullPolicy = corev1.PullNever
		kubetest.Create(c, kubetest.Pod("other", app))
		c.Advance(time.Second)
		assert.Equal(t, "Running: Ready", looks(c.Pod("other")))
	})
}

func TestAnImageWhoseNameIsNoneIsNotAskedFor(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		never(t, c)
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "Nginx:1.25")))
		c.Advance(time.Second)
		why := `Failed to apply default image tag "Nginx:1.25": couldn't parse image name "Nginx:1.25": ` +
			`invalid reference format: repository name (library/Nginx) must be lowercase`
		assert.Equal(t, []string{
			"Warning InspectFailed kubelet node-1 spec.containers{a}: " + why,
			"Warning Failed kubelet node-1 spec.containers{a}: Error: InvalidImageName",
		}, c.Events()[1:])
		waiting := c.Pod("web").Status.ContainerStatuses[0].State.Waiting
		assert.Equal(t, &corev1.ContainerStateWaiting{Reason: "InvalidImageName", Message: why}, waiting)
	})
}

// broken is a runtime that cannot start containers for a while.
type broken struct {
	kubelet.Runtime
	until time.Time
}

func (b broken) Start(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container, mounts []kubelet.Mount,
) error {
	if time.Now().Before(b.until) {
		return errors.New("no room for its file system")
	}
	return b.Runtime.Start(ctx, pod, c, mounts)
}

// forbidding is a runtime that may not start containers as they are specified.
type forbidding struct{ kubelet.Runtime }

func (forbidding) Start(
	context.Context, *corev1.Pod, *corev1.Container, []kubelet.Mount,
) error {
	return fmt.Errorf("bundle: %w", &kubelet.ConfigError{Reason: "it would be root"})
}

func TestAContainerThatMayNotBeMadeAsItIsSpecifiedSaysSo(t *testing.T) {
	setup := oneNode(nil)
	setup.PerNode = []kubetest.OfNode{kubetest.FirstCome,
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			m.Runtime = forbidding{m.Runtime}
			return kubelet.New(s, m)
		}}
	in(t, setup, func(c *kubetest.Cluster) {
		never(t, c)
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(time.Second)
		assert.Equal(t, &corev1.ContainerStateWaiting{
			Reason: "CreateContainerConfigError", Message: "it would be root",
		}, c.Pod("web").Status.ContainerStatuses[0].State.Waiting)
		assert.Equal(t, "Warning Failed kubelet node-1 spec.containers{nginx}: Error: it would be root", last(c.Events()))
	})
}

func TestAContainerThatCannotBeCreatedSaysWhyAndIsTriedAgain(t *testing.T) {
	setup := oneNode(nil)
	setup.PerNode = []kubetest.OfNode{kubetest.FirstCome,
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			m.Runtime = broken{m.Runtime, time.Now().Add(15 * time.Second)}
			return kubelet.New(s, m)
		}}
	in(t, setup, func(c *kubetest.Cluster) {
		never(t, c)
		kubetest.Create(c, kubetest.Pod("web"))
		c.Advance(14 * time.Second)
		waiting := c.Pod("web").Status.ContainerStatuses[0].State.Waiting
		require.NotNil(t, waiting)
		assert.Equal(t, "CreateContainerError: no room for its file system",
			waiting.Reason+": "+waiting.Message)
		assert.Equal(t, "Warning Failed kubelet node-1 spec.containers{nginx}: "+
			"Error: no room for its file system", last(c.Events()))
		c.Advance(7 * time.Second)
		assert.Equal(t, "Running: Ready", looks(c.Pod("web")))
	})
}

// The Pod's worker waits, and meanwhile the container counts as being created.
func TestAContainerRunsWhenWhatFollowsItsStartIsOver(t *testing.T) {
	setup := oneNode(simulated.Images{"app": kubetest.Sleeps(0)})
	tries := 0
	setup.PerNode = []kubetest.OfNode{kubetest.FirstCome,
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			m.PostStart = func(_ context.Context, pod *corev1.Pod, c *corev1.Container) error {
				time.Sleep(5 * time.Second)
				if tries++; tries > 2 {
					return nil
				}
				assert.NoError(t, m.Runtime.Stop(pod.UID, c.Name, 1))
				time.Sleep(time.Second)
				return errors.New("no table yet")
			}
			return kubelet.New(s, m)
		}}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(40 * time.Second)
		assert.Equal(t, []string{
			"0s Pending: ContainerCreating 0",
			"6s Running: PostStartHookError 0",
			"12s Running: PostStartHookError 1",
			"12s Running: CrashLoopBackOff 1",
			"26s Running: Ready 2",
		}, timedLife(c, "web"))
		assert.Equal(t, "Normal Started kubelet node-1 spec.containers{a}: Container started", c.Events()[4])
	})
}

func TestAContainerWhoseImageIsChangedIsRestarted(t *testing.T) {
	for _, policy := range []corev1.RestartPolicy{
		corev1.RestartPolicyAlways, corev1.RestartPolicyNever,
	} {
		images := simulated.Images{"app:1": kubetest.Sleeps(0), "app:2": kubetest.Sleeps(0)}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			pod := kubetest.Pod("web", kubetest.Container("a", "app:1"))
			pod.Spec.RestartPolicy = policy
			pod = kubetest.Create(c, pod)
			for n := range int32(3) {
				c.Advance(time.Second)
				status := c.Pod("web").Status.ContainerStatuses[0]
				assert.Equal(t, n, status.RestartCount, "%s: at once, each time", policy)
				assert.Equal(t, fmt.Sprintf("app:%d", 1+n%2), status.Image)
				kubetest.Edit(c, pod, func(p *corev1.Pod) {
					p.Spec.Containers[0].Image = fmt.Sprintf("app:%d", 2-n%2)
				})
			}
			assert.Contains(t, c.Events(), "Normal Killing kubelet node-1 "+
				"spec.containers{a}: Container a definition changed, will be restarted")
		})
	}
}

// A container that was killed for its new image has not become another, and no
// status says that it still runs.
func TestAContainerIsNotSaidToRunWhenItsNewImageIsMissing(t *testing.T) {
	images := simulated.Images{"app:1": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app:1")))
		c.Advance(time.Second)
		require.Equal(t, "Running: Ready", looks(c.Pod("web")))
		kubetest.Edit(c, pod, func(p *corev1.Pod) { p.Spec.Containers[0].Image = "app:2" })
		for _, reason := range []string{"ErrImagePull", "ImagePullBackOff"} {
			c.Advance(600 * time.Millisecond)
			status := c.Pod("web").Status.ContainerStatuses[0]
			require.NotNil(t, status.State.Waiting)
			assert.Equal(t, reason, status.State.Waiting.Reason)
			assert.NotNil(t, status.LastTerminationState.Terminated)
		}
	})
}

func TestAProbeSaysThatItIsOne(t *testing.T) {
	var agent string
	images := simulated.Images{"app": kubetest.Serves(80,
		func(_ http.ResponseWriter, r *http.Request) { agent = r.UserAgent() })}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		app := kubetest.Container("a", "app")
		app.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
		kubetest.Create(c, kubetest.Pod("web", app))
		c.Advance(5 * time.Second)
		assert.Equal(t, "kube-probe/1.37", agent)
	})
}

// onePod makes a node admit one Pod, and notes each that asks.
func onePod(seen *[]string, change func(*kubelet.Machine)) kubetest.Setup {
	setup := oneNode(nil)
	setup.PerNode = []kubetest.OfNode{kubetest.FirstCome,
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			m.Admit = func(
				_ context.Context, pod *corev1.Pod, others []*corev1.Pod,
			) (string, string) {
				*seen = append(*seen, fmt.Sprint(pod.Name, " beside ", len(others)))
				if len(others) > 0 {
					return "OutOfpods", "there is one already"
				}
				return "", ""
			}
			change(&m)
			return kubelet.New(s, m)
		}}
	return setup
}

func TestAPodForWhichThereIsNoPlaceFailsAndIsNotStarted(t *testing.T) {
	var seen []string
	setup := onePod(&seen, func(*kubelet.Machine) {})
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("first"))
		kubetest.Create(c, kubetest.Pod("second"))
		c.Advance(time.Minute)
		assert.Equal(t, []string{"first beside 0", "second beside 1"}, seen)
		assert.Equal(t, "Running: Ready", looks(c.Pod("first")))
		status := c.Pod("second").Status
		assert.Equal(t, "Failed OutOfpods: Pod was rejected: there is one already",
			fmt.Sprintf("%s %s: %s", status.Phase, status.Reason, status.Message))
		assert.Contains(t, c.Events(), "Warning OutOfpods kubelet node-1: there is one already")
		assert.Len(t, c.Nodes[0].Runtime.Sandboxes(), 1)
	})
}

// dawdling is a runtime that takes its time to make a sandbox.
type dawdling struct{ kubelet.Runtime }

func (s dawdling) Sandbox(
	ctx context.Context, pod *corev1.Pod,
) (kubelet.Sandbox, error) {
	time.Sleep(time.Second)
	return s.Runtime.Sandbox(ctx, pod)
}

// Of two that come at once, the second is looked at before the status of the
// first says that it is here.
func TestTwoPodsThatComeAtOnceDoNotGetTheSamePlace(t *testing.T) {
	var seen []string
	setup := onePod(&seen, func(m *kubelet.Machine) { m.Runtime = dawdling{m.Runtime} })
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("first"))
		kubetest.Create(c, kubetest.Pod("second"))
		c.Run()
		c.Advance(time.Minute)
		c.Stop()
		phases := []corev1.PodPhase{c.Pod("first").Status.Phase, c.Pod("second").Status.Phase}
		assert.ElementsMatch(t, []corev1.PodPhase{corev1.PodRunning, corev1.PodFailed}, phases)
		assert.Len(t, seen, 2)
	})
}

// empty is a Registry whose images have no programs in them.
type empty struct{}

func (empty) Pull(context.Context, *simulated.Process) (simulated.Program, error) {
	return nil, &kubelet.StartError{
		Reason: `exec: "foo": executable file not found in $PATH`}
}

// withoutPrograms returns a node whose images are empty.
func withoutPrograms() kubetest.Setup {
	setup := oneNode(nil)
	setup.PerNode = []kubetest.OfNode{kubetest.FirstCome,
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			m.Runtime = simulated.New("10.244.1", empty{})
			return kubelet.New(s, m)
		}}
	return setup
}

func TestAProgramThatIsNotThereIsACrashOfItsOwnName(t *testing.T) {
	in(t, withoutPrograms(), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(12 * time.Second)
		assert.Equal(t, []string{
			"0s Pending: ContainerCreating 0",
			"0s Running: RunContainerError 0",
			"0s Running: RunContainerError 1",
			"1s Running: CrashLoopBackOff 1",
			"10s Running: RunContainerError 2",
			"11s Running: CrashLoopBackOff 2",
		}, timedLife(c, "web"))
		status := c.Pod("web").Status.ContainerStatuses[0]
		end := status.LastTerminationState.Terminated
		require.NotNil(t, end)
		assert.EqualValues(t, 128, end.ExitCode)
		assert.Equal(t, "StartError", end.Reason)
		assert.Equal(t, `exec: "foo": executable file not found in $PATH`, end.Message)
		of := func(e string) string { return "Normal " + e + " kubelet node-1 spec.containers{a}: " }
		assert.Equal(t, []string{
			of("Pulling") + `Pulling image "app"`,
			of("Pulled") + `Successfully pulled image "app" in 0s (0s including waiting)`,
			of("Created") + "Container created",
			"Warning Failed kubelet node-1 spec.containers{a}: " +
				`Error: exec: "foo": executable file not found in $PATH`,
		}, c.Events()[1:5])
	})
}

func TestAProgramThatIsNotThereEndsAPodThatIsNotRestarted(t *testing.T) {
	in(t, withoutPrograms(), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web", kubetest.Container("a", "app"))
		pod.Spec.RestartPolicy = corev1.RestartPolicyNever
		kubetest.Create(c, pod)
		c.Advance(time.Minute)
		assert.Equal(t, []string{"0s Pending: ContainerCreating 0", "0s Failed: StartError 128 0"},
			timedLife(c, "web"))
	})
}
