package columns

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Pod is what a table shows of Pods.
var Pod = withConditions(of(podCells,
	name,
	text("Ready", "The aggregate readiness state of this pod for accepting traffic."),
	text("Status", "The aggregate status of the containers in this pod."),
	text("Restarts", "The number of times the containers in this pod have been "+
		"restarted and when the last container in this pod has restarted."),
	created,
	wide(text("IP", corev1.PodStatus{}.SwaggerDoc()["podIP"])),
	wide(text("Node", corev1.PodSpec{}.SwaggerDoc()["nodeName"])),
	wide(text("Nominated Node", corev1.PodStatus{}.SwaggerDoc()["nominatedNodeName"])),
	wide(text("Readiness Gates", corev1.PodSpec{}.SwaggerDoc()["readinessGates"])),
), podConditions)

func withConditions(
	s Set, conditions func(obj controlloop.Object) []metav1.TableRowCondition,
) Set {
	s.Conditions = conditions
	return s
}

// podConditions returns the condition by which kubectl can leave
// out Pods that have ended.
func podConditions(obj controlloop.Object) []metav1.TableRowCondition {
	phase := obj.(*corev1.Pod).Status.Phase
	message := ""
	switch phase {
	case corev1.PodSucceeded:
		message = "The pod has completed successfully."
	case corev1.PodFailed:
		message = "The pod failed."
	default:
		return nil
	}
	return []metav1.TableRowCondition{{
		Type:    metav1.RowCompleted,
		Status:  metav1.ConditionTrue,
		Reason:  string(phase),
		Message: message,
	}}
}

func podCells(pod *corev1.Pod, now time.Time) []any {
	s := summarize(pod)
	again := strconv.Itoa(s.count)
	if s.count != 0 && !s.last.IsZero() {
		again = fmt.Sprintf("%d (%s ago)", s.count, age(s.last, now))
	}
	ip := ""
	if len(pod.Status.PodIPs) > 0 {
		ip = pod.Status.PodIPs[0].IP
	}
	return []any{
		pod.Name,
		fmt.Sprintf("%d/%d", s.ready, s.containers),
		s.status,
		again,
		age(pod.CreationTimestamp, now),
		cmp.Or(ip, "<none>"),
		cmp.Or(pod.Spec.NodeName, "<none>"),
		cmp.Or(pod.Status.NominatedNodeName, "<none>"),
		gates(pod),
	}
}

// gates returns how many of a Pod's readiness gates are open.
func gates(pod *corev1.Pod) string {
	if len(pod.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	open := 0
	for _, gate := range pod.Spec.ReadinessGates {
		if isTrue(pod, gate.ConditionType) {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(pod.Spec.ReadinessGates))
}

func isTrue(pod *corev1.Pod, condition corev1.PodConditionType) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == condition {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
