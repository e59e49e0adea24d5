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

func TestAContainerThatFailsItsLivenessProbeIsRestarted(t *testing.T) {
	healthy := true
	q := &questions{answer: func(int) bool { return healthy }}
	in(t, oneNode(simulated.Images{"app": q.program()}), func(c *kubetest.Cluster) {
		app := kubetest.Container("app", "app")
		app.LivenessProbe = kubetest.Exec("alive")
		app.LivenessProbe.PeriodSeconds = 5
		kubetest.Create(c, kubetest.Pod("web", app))
		c.Advance(30 * time.Second)
		assert.Zero(t, c.Pod("web").Status.ContainerStatuses[0].RestartCount)
		healthy = false // asked at 31, 36, 41
		c.Advance(10 * time.Second)
		assert.Zero(t, c.Pod("web").Status.ContainerStatuses[0].RestartCount, "two of three")
		c.Advance(time.Second)
		healthy = true
		status := c.Pod("web").Status.ContainerStatuses[0]
		assert.EqualValues(t, 1, status.RestartCount)
		assert.Equal(t, "Completed", status.LastTerminationState.Terminated.Reason,
			"it was asked to end, and did")
		c.Advance(time.Minute)
		assert.EqualValues(t, 1, c.Pod("web").Status.ContainerStatuses[0].RestartCount,
			"the new attempt is not blamed for the old one")
		assert.Equal(t, []string{"0s Pending: ContainerCreating 0", "0s Running: Ready 0",
			"41s Running: Ready 1"}, timedLife(c, "web"),
			"killed and started again is one step")
	})
}

func TestAContainerThatHangsIsKilledAfterItsGrace(t *testing.T) {
	stubborn := func(ctx context.Context, p *simulated.Process) int {
		p.HandleExec(func(context.Context, *simulated.Process) int { return 1 })
		return kubetest.Stubborn(ctx, p)
	}
	in(t, oneNode(simulated.Images{"app": stubborn}), func(c *kubetest.Cluster) {
		app := kubetest.Container("app", "app")
		app.LivenessProbe = kubetest.Exec("alive")
		app.LivenessProbe.PeriodSeconds, app.LivenessProbe.FailureThreshold = 10, 1
		pod := kubetest.Pod("web", app)
		pod.Spec.TerminationGracePeriodSeconds = new(int64(25))
		kubetest.Create(c, pod)
		c.Advance(time.Minute) // asked at 1; told to end; killed at 26
		end := c.Pod("web").Status.ContainerStatuses[0].LastTerminationState.Terminated
		if assert.NotNil(t, end) {
			assert.EqualValues(t, 137, end.ExitCode)
			assert.Equal(t, 26*time.Second, end.FinishedAt.Sub(end.StartedAt.Time))
		}
	})
}

// A container that comes up slowly is not asked whether it lives, nor
// killed for not saying.
//
//book:exercise 1k
func TestAStartupProbeHoldsBackTheOthers(t *testing.T) {
	commands := map[string][]time.Duration{}
	up := 25 * time.Second
	var start time.Time
	app := func(ctx context.Context, p *simulated.Process) int {
		start = time.Now()
		return kubetest.Answers(func(_ context.Context, command []string) int {
			at := time.Since(start)
			commands[command[0]] = append(commands[command[0]], at)
			if at < up {
				return 1
			}
			return 0
		})(ctx, p)
	}
	in(t, oneNode(simulated.Images{"app": app}), func(c *kubetest.Cluster) {
		container := kubetest.Container("app", "app")
		container.StartupProbe = kubetest.Exec("started")
		container.StartupProbe.FailureThreshold = 5
		container.LivenessProbe = kubetest.Exec("alive")
		container.LivenessProbe.FailureThreshold = 1
		container.ReadinessProbe = kubetest.Exec("ready")
		kubetest.Create(c, kubetest.Pod("web", container))
		c.Advance(25 * time.Second)
		assert.False(t, *c.Pod("web").Status.ContainerStatuses[0].Started)
		c.Advance(30 * time.Second)
		assert.Equal(t, seconds(1, 11, 21, 31), commands["started"], "then it is asked no more")
		assert.Equal(t, seconds(31, 41, 51), commands["alive"])
		assert.Equal(t, seconds(31, 41, 51), commands["ready"])
		assert.Equal(t, seconds(31), timeline(c, "web"))
		assert.Zero(t, c.Pod("web").Status.ContainerStatuses[0].RestartCount)
		assert.True(t, *c.Pod("web").Status.ContainerStatuses[0].Started)
	})
}

func TestAContainerThatDoesNotComeUpInTimeIsRestarted(t *testing.T) {
	q := &questions{answer: func(n int) bool { return n > 3 }}
	in(t, oneNode(simulated.Images{"app": q.program()}), func(c *kubetest.Cluster) {
		app := kubetest.Container("app", "app")
		app.StartupProbe = kubetest.Exec("started")
		app.StartupProbe.PeriodSeconds, app.StartupProbe.FailureThreshold = 2, 3
		kubetest.Create(c, kubetest.Pod("web", app))
		c.Advance(time.Minute)
		assert.EqualValues(t, 1, c.Pod("web").Status.ContainerStatuses[0].RestartCount)
		assert.True(t, kubetest.Ready(c.Pod("web")))
		assert.Equal(t, seconds(6), timeline(c, "web"),
			"asked at 1, 3 and 5, and the next attempt at 6: before that it was not ready")
	})
}

// The page says so: of four ways to ask, this kubelet knows three.
func TestAProbeByGRPCAlwaysFails(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		nginx := kubetest.Container("a", kubetest.Nginx)
		nginx.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
			GRPC: &corev1.GRPCAction{Port: 80},
		}}
		kubetest.Create(c, kubetest.Pod("web", nginx))
		c.Advance(time.Minute)
		assert.False(t, kubetest.Ready(c.Pod("web")))
		assert.Contains(t, c.Events(), "Warning Unhealthy kubelet node-1 "+
			"spec.containers{a}: Readiness probe failed: this lab has no gRPC")
	})
}
