package columns_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver/columns"
)

// pod returns a Pod of two containers and its state.
func pod(meta metav1.ObjectMeta, states ...corev1.ContainerStatus) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: meta,
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "a"}, {Name: "b"}},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, ContainerStatuses: states,
		},
	}
}

func ready(restarts int32) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Ready: true, RestartCount: restarts,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
	}
}

func notReady() corev1.ContainerStatus {
	s := ready(0)
	s.Ready = false
	return s
}

func waiting(reason string) corev1.ContainerStatus {
	return corev1.ContainerStatus{State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: reason},
	}}
}

func ended(reason string, code, signal int32) corev1.ContainerStatus {
	return corev1.ContainerStatus{State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{
			Reason: reason, ExitCode: code, Signal: signal,
		},
	}}
}

// restarted returns a container that was started again so long ago.
func restarted(times int32, before time.Duration) corev1.ContainerStatus {
	s := ready(times)
	s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 1, FinishedAt: ago(before),
	}
	return s
}

func is(condition corev1.PodConditionType, reason string) corev1.PodCondition {
	return corev1.PodCondition{
		Type: condition, Status: corev1.ConditionTrue, Reason: reason,
	}
}

func TestTheStatusOfAPodIsTheReasonThatTellsMost(t *testing.T) {
	deleted := metav1.ObjectMeta{Name: "web", DeletionTimestamp: new(ago(0))}
	for name, test := range map[string]struct {
		pod           *corev1.Pod
		edit          func(p *corev1.Pod)
		ready, status string
		restarts      string
	}{
		"nothing known yet": {
			pod: pod(web), ready: "0/2", status: "Running", restarts: "0",
		},
		"pending": {
			pod: pod(web), edit: func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending },
			ready: "0/2", status: "Pending", restarts: "0",
		},
		"both ready": {
			pod:   pod(web, ready(1), ready(2)),
			ready: "2/2", status: "Running", restarts: "3",
		},
		"one is not ready": {
			pod:   pod(web, ready(0), notReady()),
			ready: "1/2", status: "Running", restarts: "0",
		},
		"the last restart of any": {
			pod:   pod(web, restarted(2, time.Hour), restarted(1, 20*time.Second)),
			ready: "2/2", status: "Running", restarts: "3 (20s ago)",
		},
		"an image that is not to be had": {
			pod:   pod(web, ready(0), waiting("ImagePullBackOff")),
			ready: "1/2", status: "ImagePullBackOff", restarts: "0",
		},
		"the first container's word counts most": {
			pod:   pod(web, waiting("CrashLoopBackOff"), waiting("ErrImagePull")),
			ready: "0/2", status: "CrashLoopBackOff", restarts: "0",
		},
		"waiting for no reason": {
			pod:   pod(web, waiting("")),
			ready: "0/2", status: "Running", restarts: "0",
		},
		"ended with a code": {
			pod:   pod(web, ended("", 3, 0)),
			ready: "0/2", status: "ExitCode:3", restarts: "0",
		},
		"ended by a signal": {
			pod:   pod(web, ended("", 0, 9)),
			ready: "0/2", status: "Signal:9", restarts: "0",
		},
		"completed": {
			pod:   pod(web, ended("Completed", 0, 0), ended("Completed", 0, 0)),
			edit:  func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded },
			ready: "0/2", status: "Completed", restarts: "0",
		},
		"one completed, one runs": {
			pod: pod(web, ended("Completed", 0, 0), ready(0)),
			edit: func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{is(corev1.PodReady, "")}
			},
			ready: "1/2", status: "Running", restarts: "0",
		},
		"one completed, one runs, the Pod is not ready": {
			pod:   pod(web, ended("Completed", 0, 0), ready(0)),
			ready: "1/2", status: "NotReady", restarts: "0",
		},
		"one completed, one failed": {
			pod:   pod(web, ended("Completed", 0, 0), ended("Error", 1, 0)),
			ready: "0/2", status: "Error", restarts: "0",
		},
		"the Pod's own reason": {
			pod: pod(web), edit: func(p *corev1.Pod) {
				p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Evicted"
			},
			ready: "0/2", status: "Evicted", restarts: "0",
		},
		"gated": {
			pod: pod(web), edit: func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{
					is(corev1.PodScheduled, corev1.PodReasonSchedulingGated),
				}
			},
			ready: "0/2", status: "SchedulingGated", restarts: "0",
		},
		"on its way out": {
			pod:   pod(deleted, ready(0), ready(0)),
			ready: "2/2", status: "Terminating", restarts: "0",
		},
		"on its way out from a node that is lost": {
			pod:   pod(deleted, ready(0)),
			edit:  func(p *corev1.Pod) { p.Status.Reason = "NodeLost" },
			ready: "1/2", status: "Unknown", restarts: "0",
		},
		"deleted after it had ended": {
			pod:   pod(deleted, ended("Completed", 0, 0)),
			edit:  func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded },
			ready: "0/2", status: "Completed", restarts: "0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.edit != nil {
				test.edit(test.pod)
			}
			assert.Equal(t, []any{"web", test.ready, test.status, test.restarts},
				cells(columns.Pod, test.pod)[:4])
		})
	}
}

func TestWhileItInitializesAPodSaysHowFarItIs(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	for name, test := range map[string]struct {
		states  []corev1.ContainerStatus
		done    bool
		sidecar bool
		want    []any
	}{
		"none begun": {want: []any{"web", "0/2", "Pending", "0"}},
		"first of two": {
			states: []corev1.ContainerStatus{notReady(), waiting("PodInitializing")},
			want:   []any{"web", "0/2", "Init:0/2", "0"},
		},
		"second of two": {
			states: []corev1.ContainerStatus{ended("Completed", 0, 0), notReady()},
			want:   []any{"web", "0/2", "Init:1/2", "0"},
		},
		"failed": {
			states: []corev1.ContainerStatus{ended("Error", 1, 0)},
			want:   []any{"web", "0/2", "Init:Error", "0"},
		},
		"failed with a code": {
			states: []corev1.ContainerStatus{ended("", 7, 0)},
			want:   []any{"web", "0/2", "Init:ExitCode:7", "0"},
		},
		"ended by a signal": {
			states: []corev1.ContainerStatus{ended("", 137, 9)},
			want:   []any{"web", "0/2", "Init:Signal:9", "0"},
		},
		"again and again": {
			states: []corev1.ContainerStatus{func() corev1.ContainerStatus {
				s := waiting("CrashLoopBackOff")
				s.RestartCount = 4
				s.LastTerminationState = restarted(4, 9*time.Second).LastTerminationState
				return s
			}()},
			want: []any{"web", "0/2", "Init:CrashLoopBackOff", "4 (9s ago)"},
		},
		"a sidecar that is ready counts": {
			states: []corev1.ContainerStatus{func() corev1.ContainerStatus {
				s := ready(2)
				s.Name, s.Started = "first", new(true)
				return s
			}(), notReady()},
			sidecar: true,
			want:    []any{"web", "1/3", "Init:1/2", "2"},
		},
		"a sidecar that has not started is waited for": {
			states: []corev1.ContainerStatus{func() corev1.ContainerStatus {
				s := notReady()
				s.Name, s.Started = "first", new(false)
				return s
			}()},
			sidecar: true,
			want:    []any{"web", "0/3", "Init:0/2", "0"},
		},
		"a sidecar's restarts count to the end": {
			states: []corev1.ContainerStatus{func() corev1.ContainerStatus {
				s := restarted(2, time.Minute)
				s.Name, s.Started = "first", new(true)
				return s
			}(), ended("Completed", 0, 0)},
			sidecar: true,
			done:    true,
			want:    []any{"web", "1/3", "ContainerCreating", "2 (60s ago)"},
		},
		"done: their restarts count no more": {
			states: []corev1.ContainerStatus{func() corev1.ContainerStatus {
				s := ended("Completed", 0, 0)
				s.RestartCount = 3
				return s
			}()},
			done: true,
			want: []any{"web", "0/2", "ContainerCreating", "0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod(web)
			p.Status.Phase = corev1.PodPending
			p.Spec.InitContainers = []corev1.Container{{Name: "first"}, {Name: "second"}}
			if test.sidecar {
				p.Spec.InitContainers[0].RestartPolicy = &always
			}
			p.Status.InitContainerStatuses = test.states
			if test.done {
				p.Status.ContainerStatuses = []corev1.ContainerStatus{
					waiting("ContainerCreating"),
				}
			}
			assert.Equal(t, test.want, cells(columns.Pod, p)[:4])
		})
	}
}

func TestAWideRowSaysWhereAPodIs(t *testing.T) {
	p := pod(web)
	assert.Equal(t, []any{"5m", "<none>", "<none>", "<none>", "<none>"},
		cells(columns.Pod, p)[4:])
	p.Spec.NodeName = "node-1"
	p.Status.PodIPs = []corev1.PodIP{{IP: "10.244.1.1"}, {IP: "fd00::1"}}
	p.Status.NominatedNodeName = "node-2"
	p.Spec.ReadinessGates = []corev1.PodReadinessGate{
		{ConditionType: "open"}, {ConditionType: "shut"}, {ConditionType: "absent"},
	}
	p.Status.Conditions = []corev1.PodCondition{
		is("open", ""), {Type: "shut", Status: corev1.ConditionFalse},
	}
	assert.Equal(t, []any{"5m", "10.244.1.1", "node-1", "node-2", "1/3"},
		cells(columns.Pod, p)[4:])
}

func TestARowOfAPodThatHasEndedSaysSo(t *testing.T) {
	for phase, message := range map[corev1.PodPhase]string{
		corev1.PodSucceeded: "The pod has completed successfully.",
		corev1.PodFailed:    "The pod failed.",
	} {
		p := pod(web)
		p.Status.Phase = phase
		assert.Equal(t, []metav1.TableRowCondition{{
			Type: metav1.RowCompleted, Status: metav1.ConditionTrue,
			Reason: string(phase), Message: message,
		}}, columns.Pod.Conditions(p))
	}
	assert.Nil(t, columns.Pod.Conditions(pod(web)))
}
