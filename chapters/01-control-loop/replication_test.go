package controlloop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// wants returns a ReplicationController of so many replicas.
func wants(replicas int32) *corev1.ReplicationController {
	return &corev1.ReplicationController{
		Spec: corev1.ReplicationControllerSpec{Replicas: &replicas},
	}
}

// pods returns Pods web-0, web-1 … in these states: "ready", "unready",
// "leaving" (ready, with a deletionTimestamp), "failed" or "succeeded".
func pods(states ...string) []*corev1.Pod {
	var all []*corev1.Pod
	for i, state := range states {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i)}}
		ready := corev1.ConditionFalse
		switch state {
		case "ready", "leaving":
			ready = corev1.ConditionTrue
		case "failed":
			pod.Status.Phase = corev1.PodFailed
		case "succeeded":
			pod.Status.Phase = corev1.PodSucceeded
		}
		if state == "leaving" {
			now := metav1.Now()
			pod.DeletionTimestamp = &now
		}
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}
		all = append(all, pod)
	}
	return all
}

func names(pods []*corev1.Pod) []string {
	all := []string{}
	for _, pod := range pods {
		all = append(all, pod.Name)
	}
	return all
}

// states names Pods with their states.
func states(pods []*corev1.Pod) (all []string) {
	for _, pod := range pods {
		state := strings.ToLower(string(pod.Status.Phase))
		if pod.DeletionTimestamp != nil {
			state = "leaving"
		} else if state == "" {
			state = map[bool]string{true: "ready", false: "unready"}[pod.Status.Conditions[0].Status == corev1.ConditionTrue]
		}
		all = append(all, pod.Name+" "+state)
	}
	return all
}

// checkPlan asks for the plan and compares it with what it should be.
func checkPlan(
	t *testing.T, want int32, have []*corev1.Pod, create int, remove ...string,
) {
	t.Helper()
	given := fmt.Sprintf("replicas: %d, Pods: %s", want, strings.Join(states(have), ", "))
	gotCreate, gotRemove := controlloop.PlanFor(wants(want), have)
	assert.Equal(t, create, gotCreate, "how many to create (%s)", given)
	if remove == nil {
		remove = []string{}
	}
	assert.Equal(t, remove, names(gotRemove), "Pods to delete (%s)", given)
}

// Three are wanted: none, one, or three are there.
//
//book:exercise 1b
func TestPlanCreatesWhatIsMissing(t *testing.T) {
	checkPlan(t, 3, nil, 3)
	checkPlan(t, 3, pods("ready"), 2)
	checkPlan(t, 3, pods("ready", "unready", "ready"), 0)
}

// A Pod that was told to go still runs for a while, and one that has ended is
// still listed. Neither will serve anybody again.
//
//book:exercise 1b
func TestPlanDoesNotCountPodsOnTheirWayOut(t *testing.T) {
	checkPlan(t, 2, pods("ready", "leaving"), 1)
	checkPlan(t, 2, pods("failed", "ready", "succeeded"), 1)
	checkPlan(t, 0, pods("leaving", "failed"), 0)
}

// A controller that has to give up a Pod gives up the one that is missed least;
// where there is no difference, always the same one.
//
//book:exercise 1b
func TestPlanRemovesTheLeastUsefulFirst(t *testing.T) {
	checkPlan(t, 2, pods("ready", "unready", "ready"), 0, "web-1")
	checkPlan(t, 1, pods("ready", "unready", "ready"), 0, "web-1", "web-0")
	checkPlan(t, 1, pods("unready", "leaving", "unready", "ready"), 0, "web-0", "web-2")
	checkPlan(t, 0, pods("ready", "ready"), 0, "web-0", "web-1")
	upsideDown := pods("ready", "ready", "ready")
	slices.Reverse(upsideDown)
	checkPlan(t, 1, upsideDown, 0, "web-0", "web-1")
	eleven := pods(slices.Repeat([]string{"ready"}, 11)...)
	for i, pod := range eleven { // the last is the oldest
		pod.CreationTimestamp = metav1.NewTime(time.Unix(int64(-i), 0))
	}
	checkPlan(t, 8, eleven, 0, "web-0", "web-1", "web-10")
}

// The Pods come from a cache that others read at the same time, whether one of
// them is on its way out or not.
//
//book:exercise 1b
func TestPlanLeavesTheListAsItWas(t *testing.T) {
	for _, have := range [][]*corev1.Pod{pods("ready", "leaving", "unready"), pods("ready", "unready")} {
		checkPlan(t, 1, have, 0, have[len(have)-1].Name)
		for i, pod := range have {
			if assert.NotNil(t, pod, "the slice that was passed in has lost its element %d", i) {
				assert.Equal(t, fmt.Sprintf("web-%d", i), pod.Name,
					"the slice that was passed in is in another order")
			}
		}
	}
}
