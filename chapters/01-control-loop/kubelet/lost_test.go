package kubelet_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// lose takes from a machine all that its memory holds, and starts it again.
func lose(c *kubetest.Cluster) {
	runtime := c.Nodes[0].Runtime
	for _, sandbox := range runtime.Sandboxes() {
		runtime.Remove(context.Background(), sandbox.UID)
	}
	c.Restart()
}

// A count that fell would hide from whoever looks how often the thing has failed.
func TestRestartsNeverFallThoughTheRuntimeHasLostItsContainers(t *testing.T) {
	images := simulated.Images{
		"runs": kubetest.Sleeps(0), "fails": kubetest.Exits(time.Second, 3)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web",
			kubetest.Container("fails", "fails"), kubetest.Container("runs", "runs")))
		c.Advance(2 * time.Second)
		for n := range int32(3) {
			status := c.Pod("web").Status
			failed, runs := status.ContainerStatuses[0], status.ContainerStatuses[1]
			require.EqualValues(t, n, runs.RestartCount)
			require.NotEmpty(t, failed.ContainerID)

			lose(c)
			c.Settle()
			status = c.Pod("web").Status
			assert.Equal(t, failed.RestartCount+1, status.ContainerStatuses[0].RestartCount)
			assert.EqualValues(t, 3,
				status.ContainerStatuses[0].LastTerminationState.Terminated.ExitCode)
			last := status.ContainerStatuses[1].LastTerminationState.Terminated
			require.NotNil(t, last)
			assert.Equal(t, "ContainerStatusUnknown", last.Reason, "nobody saw its end")
			assert.EqualValues(t, 137, last.ExitCode)
			assert.Equal(t, corev1.PodRunning, status.Phase)
			c.Advance(2 * time.Minute)
		}
	})
}

// Until it is started again, nobody may say less of it.
func TestTheCountOfALostContainerIsToldWhileItCannotStart(t *testing.T) {
	in(t, oneNode(simulated.Images{"app": kubetest.Sleeps(0)}), func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web", kubetest.Container("a", "app")))
		c.Settle()
		c.SetImage("app", nil)
		for range 2 { // what was noted as lost is not counted again
			lose(c)
			c.Settle()
			status := c.Pod("web").Status.ContainerStatuses[0]
			require.NotNil(t, status.State.Waiting)
			assert.Equal(t, "ErrImagePull", status.State.Waiting.Reason)
			assert.EqualValues(t, 1, status.RestartCount)
			assert.Equal(t, "ContainerStatusUnknown", status.LastTerminationState.Terminated.Reason)
		}
		c.SetImage("app", kubetest.Sleeps(0))
		c.Advance(time.Minute)
		status := c.Pod("web").Status.ContainerStatuses[0]
		require.NotNil(t, status.State.Running)
		assert.EqualValues(t, 1, status.RestartCount)
	})
}

func TestWhereALostContainerGoesOn(t *testing.T) {
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3}}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
	for name, test := range map[string]struct {
		said     []corev1.ContainerStatus
		restarts int32
		last     int32
	}{
		"never heard of": {nil, 0, 0},
		"never started":  {[]corev1.ContainerStatus{{Name: "a", State: waiting}}, 0, 0},
		"ran": {[]corev1.ContainerStatus{{Name: "a", ContainerID: "x", RestartCount: 4,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}, 5, 137},
		"ended": {[]corev1.ContainerStatus{{Name: "a", ContainerID: "x", RestartCount: 4,
			State: ended}}, 5, 3},
		"waits for its backoff": {[]corev1.ContainerStatus{{Name: "a", ContainerID: "x",
			RestartCount: 4, State: waiting, LastTerminationState: ended}}, 5, 3},
		"is lost already": {[]corev1.ContainerStatus{{Name: "a",
			RestartCount: 5, State: waiting, LastTerminationState: ended}}, 5, 3},
	} {
		t.Run(name, func(t *testing.T) {
			pod := controlloop.Copy(kubetest.Pod("web", kubetest.Container("a", "app")))
			pod.Status.ContainerStatuses = test.said
			restarts, last := kubelet.Lost(pod, "a")
			assert.Equal(t, test.restarts, restarts)
			if test.last == 0 {
				assert.Nil(t, last.Terminated)
			} else if assert.NotNil(t, last.Terminated) {
				assert.Equal(t, test.last, last.Terminated.ExitCode)
			}
		})
	}
}
