package lab_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/lab"
)

func command(text string) *corev1.LifecycleHandler {
	return &corev1.LifecycleHandler{
		Exec: &corev1.ExecAction{Command: []string{"sh", "-c", text}},
	}
}

// hooked returns a Pod that says what happens to it, has these hooks, and 30
// seconds to end.
func hooked(name string, hooks corev1.Lifecycle) *corev1.Pod {
	p := placed(name, "node-1")
	p.Spec.Containers = []corev1.Container{{
		Name: "web", Image: "busybox:1.36", Lifecycle: &hooks,
		Command: []string{"sh", "-c", "trap 'echo stopped; sleep 1; exit 3' TERM; " +
			"while :; do sleep 1; done"},
	}}
	return p
}

// ofContainers returns what the events of a Pod's containers say, in their order.
func (f fixture) ofContainers(pod string) (all []string) {
	for _, obj := range f.list(eventKind, "default") {
		e := obj.(*corev1.Event)
		if e.InvolvedObject.Name == pod && e.InvolvedObject.FieldPath != "" {
			all = append(all, e.Reason+": "+e.Message)
		}
	}
	return all
}

func TestAContainerIsNotSaidToRunBeforeItsPostStartIsOver(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(hooked("web", corev1.Lifecycle{
			PostStart: command("sleep 20")}))
		pass(10 * time.Second)
		assert.Equal(f.t, corev1.PodPending, f.pod("web").Status.Phase)
		pass(11 * time.Second)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
	})
}

func TestAContainerWhosePostStartFailsIsStopped(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := hooked("web", corev1.Lifecycle{PostStart: command("sleep 1; exit 1")})
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
		f.create(p)
		pass(5 * time.Second)
		end := f.pod("web").Status.ContainerStatuses[0].State.Terminated
		require.NotNil(f.t, end)
		assert.EqualValues(f.t, 3, end.ExitCode)
		assert.Equal(f.t, []string{
			"Pulling: Pulling image \"busybox:1.36\"",
			"Pulled: Successfully pulled image \"busybox:1.36\" in 0s (0s including waiting)",
			"Created: Container created", "Started: Container started",
			"FailedPostStartHook: PostStartHook failed", "Killing: FailedPostStartHook",
		}, f.ofContainers("web"))
	})
}

// It would be sent requests.
func TestAContainerWhosePostStartFailedNeverRuns(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := hooked("web", corev1.Lifecycle{PostStart: command("exit 1")})
		p.Spec.Containers[0].Command = []string{"sleep", "1000"} // deaf to SIGTERM
		f.create(p)
		pass(29 * time.Second)
		assert.Equal(f.t, corev1.PodPending, f.pod("web").Status.Phase)
		assert.Equal(f.t, "ContainerCreating", f.pod("web").Status.ContainerStatuses[0].State.Waiting.Reason)
		assert.Equal(f.t, "Killing: FailedPostStartHook", f.ofContainers("web")[5])
		pass(2 * time.Second)
		assert.Len(f.t, f.ofContainers("web"), 7, "and again, with an image that is there")
		status := f.pod("web").Status.ContainerStatuses[0]
		require.NotNil(f.t, status.State.Waiting)
		assert.Equal(f.t, "PostStartHookError", status.State.Waiting.Reason)
		assert.Equal(f.t, `Exec lifecycle hook ([sh -c exit 1]) for Container "web" in Pod "web_default(`+string(f.pod("web").UID)+
			`)" failed - error: command 'sh -c exit 1' exited with 1: , message: ""`, status.State.Waiting.Message)
		assert.EqualValues(f.t, 137, status.LastTerminationState.Terminated.ExitCode)
		pass(33 * time.Second)
		status = f.pod("web").Status.ContainerStatuses[0]
		assert.Equal(f.t, "CrashLoopBackOff", status.State.Waiting.Reason)
		assert.EqualValues(f.t, 1, status.RestartCount)
	})
}

func TestADeletedPodDoesNotWaitForItsPostStart(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(hooked("web", corev1.Lifecycle{PostStart: command("sleep 3600")}))
		pass(10 * time.Second)
		f.delete(controlloop.PodKind, "default", "web")
		pass(5 * time.Second)
		assert.Empty(f.t, f.pods("default"))
	})
}

func TestAContainerIsToldToEndWhenItsPreStopIsOver(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(hooked("web", corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			Sleep: &corev1.SleepAction{Seconds: 12}}}))
		f.delete(controlloop.PodKind, "default", "web")
		pass(11 * time.Second)
		require.Len(f.t, f.pods("default"), 1)
		assert.Empty(f.t, f.log("web"), "it has not been told yet")
		pass(3 * time.Second)
		assert.Empty(f.t, f.pods("default"))
		assert.Contains(f.t, f.ofContainers("web"), "Killing: Stopping container web")
	})
}

func TestAPreStopTakesItsTimeFromThatOfTheContainer(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := hooked("web", corev1.Lifecycle{PreStop: command("sleep 3600")})
		p.Spec.Containers[0].Command = []string{"sleep", "3600"} // deaf to SIGTERM
		f.create(p)
		f.delete(controlloop.PodKind, "default", "web")
		pass(31 * time.Second)
		require.Len(f.t, f.pods("default"), 1, "two seconds are left to any")
		pass(2 * time.Second)
		assert.Empty(f.t, f.pods("default"))
		assert.Contains(f.t, f.ofContainers("web"), "FailedPreStopHook: PreStopHook failed")
	})
}

func TestAPodThatIsGivenLessTimeEndsItsPreStopEarlier(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(hooked("web", corev1.Lifecycle{PreStop: command("sleep 3600")}))
		f.delete(controlloop.PodKind, "default", "web")
		pass(2 * time.Second)
		require.NoError(f.t, f.Store.Delete(f.t.Context(), controlloop.PodKind,
			controlloop.Key{Namespace: "default", Name: "web"},
			metav1.DeleteOptions{GracePeriodSeconds: new(int64(5))}))
		synctest.Wait()
		pass(9 * time.Second)
		assert.Empty(f.t, f.pods("default"))
	})
}

func TestAHookMayAskAPortOfItsPod(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		p := hooked("web", corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "hello", Port: intstr.FromString("http")}}})
		p.Spec.Containers[0].Name = "main"
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 80}}
		p.Spec.InitContainers = []corev1.Container{{
			Name: "web", Image: "nginx:1.27",
			RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}}
		f.create(p)
		pass(1500 * time.Millisecond)
		f.delete(controlloop.PodKind, "default", "web")
		assert.Contains(f.t, f.log("web"), `"GET /hello HTTP/1.1" 404`)
		assert.Contains(f.t, f.log("web"), "kube-lifecycle/1.37")
		pass(5 * time.Second)
		assert.Empty(f.t, f.pods("default"))
		assert.NotContains(f.t, f.reasons("Pod"), "FailedPreStopHook", "any answer will do")
	})
}

func TestAPodThatIsKilledAtOnceRunsNoHook(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(hooked("web", corev1.Lifecycle{PreStop: command("sleep 3600")}))
		f.delete(controlloop.PodKind, "default", "web")
		pass(2 * time.Second)
		require.NoError(f.t, f.Store.Delete(f.t.Context(), controlloop.PodKind,
			controlloop.Key{Namespace: "default", Name: "web"},
			metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
		synctest.Wait()
		assert.Empty(f.t, f.pods("default"))
		assert.Empty(f.t, f.Sandboxes())
	})
}

func TestALabThatClosesWaitsForNoHook(t *testing.T) {
	running(t, lab.Options{Nodes: 1}, func(f fixture) {
		f.create(hooked("web", corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			Sleep: &corev1.SleepAction{Seconds: 12}}}))
		f.delete(controlloop.PodKind, "default", "web")
		assert.Len(f.t, f.pods("default"), 1)
	})
}
