package kubelet_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func TestWhetherAContainerStartsAgainIsForThePolicyToSay(t *testing.T) {
	for _, test := range []struct {
		policy corev1.RestartPolicy
		code   int
		want   string
	}{
		{corev1.RestartPolicyAlways, 0, "Running: CrashLoopBackOff, Ready; 1 restarts, last Completed"},
		{corev1.RestartPolicyAlways, 1, "Running: CrashLoopBackOff, Ready; 1 restarts, last Error"},
		{corev1.RestartPolicyOnFailure, 0, "Running: Completed, Ready; 0 restarts, last none"},
		{corev1.RestartPolicyOnFailure, 1, "Running: CrashLoopBackOff, Ready; 1 restarts, last Error"},
		{corev1.RestartPolicyNever, 0, "Running: Completed, Ready; 0 restarts, last none"},
		{corev1.RestartPolicyNever, 1, "Running: Error 1, Ready; 0 restarts, last none"},
	} {
		images := simulated.Images{
			"ends": kubetest.Exits(time.Second, test.code), "app": kubetest.Sleeps(0)}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			pod := kubetest.Pod("web",
				kubetest.Container("a", "ends"), kubetest.Container("b", "app"))
			pod.Spec.RestartPolicy = test.policy
			kubetest.Create(c, pod)
			c.Advance(5 * time.Second)
			now := c.Pod("web")
			status := now.Status.ContainerStatuses[0]
			before := "none"
			if end := status.LastTerminationState.Terminated; end != nil {
				before = end.Reason
			}
			assert.Equal(t, test.want, fmt.Sprintf("%s; %d restarts, last %s",
				looks(now), status.RestartCount, before), "%s, exit %d", test.policy, test.code)
		})
	}
}

func TestAPodEndsWhenAllItsContainersHave(t *testing.T) {
	for _, test := range []struct {
		policy corev1.RestartPolicy
		codes  [2]int
		want   string
		ready  string
	}{
		{corev1.RestartPolicyNever, [2]int{0, 0}, "Succeeded: Completed, Completed", "False PodCompleted"},
		{corev1.RestartPolicyNever, [2]int{0, 3}, "Failed: Completed, Error 3", "False PodFailed"},
		{corev1.RestartPolicyOnFailure, [2]int{0, 0}, "Succeeded: Completed, Completed", "False PodCompleted"},
		{corev1.RestartPolicyOnFailure, [2]int{0, 3}, "Running: Completed, CrashLoopBackOff",
			"False ContainersNotReady containers with unready status: [a b]"},
		{corev1.RestartPolicyAlways, [2]int{0, 0}, "Running: CrashLoopBackOff, CrashLoopBackOff",
			"False ContainersNotReady containers with unready status: [a b]"},
	} {
		images := simulated.Images{
			"first":  kubetest.Exits(time.Second, test.codes[0]),
			"second": kubetest.Exits(2*time.Second, test.codes[1]),
		}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			pod := kubetest.Pod("web",
				kubetest.Container("a", "first"), kubetest.Container("b", "second"))
			pod.Spec.RestartPolicy = test.policy
			kubetest.Create(c, pod)
			c.Advance(8 * time.Second)
			now := c.Pod("web")
			assert.Equal(t, test.want, looks(now), test.policy)
			assert.Equal(t, test.ready, conditions(now)[corev1.PodReady], test.policy)
			assert.Equal(t, test.ready, conditions(now)[corev1.ContainersReady], test.policy)
		})
	}
}

func TestTheEndOfAPodIsForItsContainersOwnPoliciesToSay(t *testing.T) {
	for _, test := range []struct {
		pod, own corev1.RestartPolicy
		init     bool
		code     int
		want     corev1.PodPhase
	}{
		{pod: corev1.RestartPolicyAlways, own: corev1.RestartPolicyNever, want: corev1.PodSucceeded},
		{pod: corev1.RestartPolicyAlways, own: corev1.RestartPolicyNever, code: 3, want: corev1.PodFailed},
		{pod: corev1.RestartPolicyAlways, own: corev1.RestartPolicyOnFailure, want: corev1.PodSucceeded},
		{pod: corev1.RestartPolicyAlways, own: corev1.RestartPolicyOnFailure, code: 3, want: corev1.PodRunning},
		{pod: corev1.RestartPolicyNever, own: corev1.RestartPolicyAlways, want: corev1.PodRunning},
		{pod: corev1.RestartPolicyAlways, own: corev1.RestartPolicyNever, init: true, code: 3, want: corev1.PodFailed},
		{pod: corev1.RestartPolicyNever, own: corev1.RestartPolicyOnFailure, init: true, code: 3, want: corev1.PodPending},
	} {
		images := simulated.Images{"first": kubetest.Exits(time.Second, test.code)}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			ends := kubetest.Container("a", "first")
			ends.RestartPolicy = new(corev1.ContainerRestartPolicy(test.own))
			pod := kubetest.Pod("web", ends)
			if test.init {
				pod = kubetest.Pod("web", kubetest.Container("b", "nginx:1.27"))
				pod.Spec.InitContainers = []corev1.Container{ends}
			}
			pod.Spec.RestartPolicy = test.pod
			kubetest.Create(c, pod)
			c.Advance(8 * time.Second)
			assert.Equal(t, test.want, c.Pod("web").Status.Phase, "%+v", test)
		})
	}
}

// starts returns a program that notes when it is started.
func starts(at *[]time.Duration, program simulated.Program) simulated.Program {
	first := time.Time{}
	return func(ctx context.Context, p *simulated.Process) int {
		if first.IsZero() {
			first = time.Now()
		}
		*at = append(*at, time.Since(first))
		return program(ctx, p)
	}
}

// pauses returns the times between one end and the next start of a program that
// runs for so long.
func pauses(starts []time.Duration, runs time.Duration) (between []time.Duration) {
	for i := range starts[1:] {
		between = append(between, starts[i+1]-starts[i]-runs)
	}
	return between
}

func seconds(all ...int) (durations []time.Duration) {
	for _, s := range all {
		durations = append(durations, time.Duration(s)*time.Second)
	}
	return durations
}

func TestACrashingContainerWaitsTwiceAsLongEachTimeUpToFiveMinutes(t *testing.T) {
	var at []time.Duration
	images := simulated.Images{"crash": starts(&at, kubetest.Exits(3*time.Second, 1))}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "crash")))
		c.Advance(5 * time.Second)
		waiting := c.Pod("web").Status.ContainerStatuses[0].State
		require.Nil(t, waiting.Waiting, "the first time it starts again at once")
		c.Advance(3 * time.Second)
		pod := c.Pod("web")
		assert.Equal(t, fmt.Sprintf(
			"back-off 10s restarting failed container=a pod=web_default(%s)", pod.UID),
			pod.Status.ContainerStatuses[0].State.Waiting.Message)
		c.Advance(25 * time.Minute)
		between := pauses(at, 3*time.Second)
		require.GreaterOrEqual(t, len(between), 9)
		assert.Equal(t, seconds(0, 10, 20, 40, 80, 160, 300, 300, 300), between[:9])
	})
}

func TestAContainerThatRanForLongStartsOver(t *testing.T) {
	for runs, want := range map[time.Duration][]time.Duration{
		10 * time.Minute:               seconds(0, 10, 20),
		10*time.Minute + 1*time.Second: seconds(0, 0, 0),
	} {
		var at []time.Duration
		images := simulated.Images{"app": starts(&at, kubetest.Exits(runs, 1))}
		in(t, oneNode(images), func(c *kubetest.Cluster) {
			kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
			c.Advance(45 * time.Minute)
			assert.Equal(t, want, pauses(at, runs)[:3], "it runs for %v", runs)
		})
	}
}

// One long run forgives the short ones before it.
func TestALongRunMakesUpForShortOnes(t *testing.T) {
	var at []time.Duration
	runs := seconds(1, 1, 1, 1, 601, 1, 1, 1)
	images := simulated.Images{"app": starts(&at, func(ctx context.Context, p *simulated.Process) int {
		return kubetest.Exits(runs[len(at)-1], 1)(ctx, p)
	})}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(710 * time.Second)
		var between []time.Duration
		for i := range at[1:] {
			between = append(between, at[i+1]-at[i]-runs[i])
		}
		require.Len(t, between, 7)
		assert.Equal(t, seconds(0, 10, 20, 40, 0, 10, 20), between)
	})
}

// timedLife returns a Pod's life, with the times at which it was reported.
func timedLife(c *kubetest.Cluster, name string) (seen []string) {
	last := ""
	for _, w := range c.Writes() {
		pod, isPod := w.Object.(*corev1.Pod)
		if !isPod || pod.Name != name || len(pod.Status.ContainerStatuses) == 0 {
			continue
		}
		told := fmt.Sprintf("%s %d", looks(pod), pod.Status.ContainerStatuses[0].RestartCount)
		if told != last {
			seen = append(seen, fmt.Sprintf("%v %s", w.At, told))
		}
		last = told
	}
	return seen
}

// The kubelet sees an end, and says so, before it does anything about it; that
// there is nothing to do yet, it finds when it looks again.
func TestAnEndIsToldBeforeTheRestartOrTheWaitThatFollows(t *testing.T) {
	images := simulated.Images{"crash": kubetest.Exits(3*time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "crash")))
		c.Advance(20 * time.Second)
		assert.Equal(t, []string{
			"0s Pending: ContainerCreating 0",
			"0s Running: Ready 0",
			"3s Running: Error 1 0",
			"3s Running: Ready 1",
			"6s Running: Error 1 1",
			"7s Running: CrashLoopBackOff 1",
			"16s Running: Ready 2",
			"19s Running: Error 1 2",
			"20s Running: CrashLoopBackOff 2",
		}, timedLife(c, "web"))
	})
}

// Of several containers it reports each.
func TestTheEndOfOneIsToldWhileAnotherRuns(t *testing.T) {
	images := simulated.Images{
		"app": kubetest.Sleeps(0), "crash": kubetest.Exits(3*time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web",
			kubetest.Container("a", "app"), kubetest.Container("b", "crash")))
		c.Advance(5 * time.Second)
		assert.Equal(t, []string{
			"Pending: ContainerCreating, ContainerCreating",
			"Running: Ready, Ready",
			"Running: Ready, Error 1",
			"Running: Ready, Ready",
		}, life(c, "web"))
	})
}

func TestAMissingImageIsToldASecondBeforeTheWaitForIt(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app:1")))
		c.Advance(40 * time.Second)
		assert.Equal(t, []string{
			"0s Pending: ContainerCreating 0",
			"0s Pending: ErrImagePull 0",
			"1s Pending: ImagePullBackOff 0",
			"10s Pending: ErrImagePull 0",
			"11s Pending: ImagePullBackOff 0",
			"30s Pending: ErrImagePull 0",
			"31s Pending: ImagePullBackOff 0",
		}, timedLife(c, "web"))
	})
}

func TestAContainerThatWaitsShowsItsLastEnd(t *testing.T) {
	attempt := 0
	counts := func(ctx context.Context, p *simulated.Process) int {
		attempt++
		return kubetest.Exits(time.Second, attempt)(ctx, p)
	}
	in(t, oneNode(simulated.Images{"app": counts}), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(5 * time.Second)
		status := c.Pod("web").Status.ContainerStatuses[0]
		require.Equal(t, "CrashLoopBackOff", stateOf(status))
		assert.EqualValues(t, 2, status.LastTerminationState.Terminated.ExitCode)
	})
}

func TestAnImageThatIsMissingIsAskedForAgainUntilItIsThere(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app:1")))
		c.Advance(5 * time.Second)
		state := c.Pod("web").Status.ContainerStatuses[0].State.Waiting
		assert.Equal(t, `Back-off pulling image "app:1": ErrImagePull: app:1: not found`, state.Message)
		c.Advance(60 * time.Second) // tried at 0, 10, 30, and next at 70
		c.SetImage("app:1", kubetest.Sleeps(0))
		c.Advance(4 * time.Second)
		assert.Equal(t, "Pending: ImagePullBackOff", looks(c.Pod("web")))
		c.Advance(time.Second)
		assert.Equal(t, "Running: Ready", looks(c.Pod("web")))
		assert.Zero(t, c.Pod("web").Status.ContainerStatuses[0].RestartCount)
		assert.Equal(t, []string{
			"Pending: ContainerCreating",
			"Pending: ErrImagePull", "Pending: ImagePullBackOff",
			"Pending: ErrImagePull", "Pending: ImagePullBackOff",
			"Pending: ErrImagePull", "Pending: ImagePullBackOff",
			"Running: Ready",
		}, life(c, "web"))
	})
}

// A container crashed and its image is gone: asking for that in vain is not
// another crash.
func TestAnImageThatIsMissingDoesNotCountAsACrash(t *testing.T) {
	var at []time.Duration
	crash := starts(&at, kubetest.Exits(time.Second, 1))
	in(t, oneNode(simulated.Images{"app": crash}), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(1500 * time.Millisecond) // it runs for the second time
		c.SetImage("app", nil)
		c.Advance(time.Minute)
		assert.Equal(t, "Running: ImagePullBackOff", looks(c.Pod("web")))
		c.SetImage("app", crash)
		c.Advance(5 * time.Minute)
		require.GreaterOrEqual(t, len(at), 4)
		assert.Equal(t, 20*time.Second, at[3]-at[2]-time.Second,
			"it was started three times, and waits for the second time")
	})
}

func TestOneContainerIsRestartedWithoutTheOthers(t *testing.T) {
	images := simulated.Images{
		"crash": kubetest.Exits(time.Second, 1), "app": kubetest.Sleeps(0)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web",
			kubetest.Container("a", "crash"), kubetest.Container("b", "app")))
		c.Advance(time.Minute)
		status := c.Pod("web").Status
		assert.EqualValues(t, 3, status.ContainerStatuses[0].RestartCount)
		assert.Zero(t, status.ContainerStatuses[1].RestartCount)
		assert.Equal(t, status.StartTime.Time,
			status.ContainerStatuses[1].State.Running.StartedAt.Time)
		assert.Equal(t, "10.244.1.2", status.PodIP)
	})
}

func TestWhatWaitsSaysHowLong(t *testing.T) {
	images := simulated.Images{"crash": kubetest.Exits(3*time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "crash")))
		c.Advance(20 * time.Minute)
		var told []string
		for _, w := range c.WritesOf(pod) {
			for _, status := range w.Object.(*corev1.Pod).Status.ContainerStatuses {
				if waiting := status.State.Waiting; waiting != nil &&
					waiting.Reason == "CrashLoopBackOff" {
					told = append(told, waiting.Message)
				}
			}
		}
		var want []string
		for _, delay := range []string{
			"10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s", "5m0s",
		} {
			want = append(want, fmt.Sprintf("back-off %s restarting failed "+
				"container=a pod=web_default(%s)", delay, pod.UID))
		}
		assert.Equal(t, want, told)
	})
}

// A kubelet keeps its backoffs in its head. The next one starts with an empty
// one: at once, and from 10 s.
func TestAKubeletThatStartsRemembersNoBackoff(t *testing.T) {
	var at []time.Duration
	images := simulated.Images{"crash": starts(&at, kubetest.Exits(time.Second, 1))}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "crash")))
		c.Advance(40 * time.Second) // ran at 0, 1, 12, 33, and next at 74
		c.Restart()
		c.Advance(15 * time.Second)
		assert.Equal(t, seconds(0, 1, 12, 33, 40, 51), at)
		assert.EqualValues(t, 5, c.Pod("web").Status.ContainerStatuses[0].RestartCount,
			"how often is for the runtime to know")
	})
}

func TestAnInitContainerBacksOffToo(t *testing.T) {
	var at []time.Duration
	images := simulated.Images{"init": starts(&at, kubetest.Exits(time.Second, 1))}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web")
		pod.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		pod.Spec.InitContainers = []corev1.Container{kubetest.Container("init", "init")}
		kubetest.Create(c, pod)
		c.Advance(3 * time.Minute)
		assert.Equal(t, seconds(0, 10, 20, 40, 80), pauses(at, time.Second))
	})
}

// Once an image was had, the tries before that are forgiven.
func TestAnImageThatIsGoneAgainIsAskedForFromTenSeconds(t *testing.T) {
	var at []time.Duration
	crash := starts(&at, kubetest.Exits(time.Second, 1))
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Advance(40 * time.Second) // asked at 0, 10, 30, and next at 70
		c.SetImage("app", crash)
		c.Advance(30500 * time.Millisecond)
		require.Len(t, at, 1)
		c.SetImage("app", nil)
		c.Advance(time.Second) // it ended at 71, and is asked for at 71 and 81
		c.SetImage("app", crash)
		c.Advance(12 * time.Second)
		assert.Equal(t, seconds(0, 11), at[:min(2, len(at))])
	})
}
