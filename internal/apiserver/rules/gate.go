package rules

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

var gatesPath = specPath.Child("schedulingGates")

// gated sets the condition of a Pod that no scheduler looks at yet.
// (Kubernetes: applySchedulingGatedCondition in
// pkg/registry/core/pod/strategy.go.)
func gated(pod *corev1.Pod) {
	if len(pod.Spec.SchedulingGates) == 0 ||
		slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled
		}) {
		return
	}
	pod.Status.Conditions = append(slices.Clip(pod.Status.Conditions),
		corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason:             corev1.PodReasonSchedulingGated,
			Message:            "Scheduling is blocked due to non-empty scheduling gates",
			LastTransitionTime: controlloop.Now(),
		})
}

func checkGates(gates []corev1.PodSchedulingGate, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := sets.Set[string]{}
	for i, gate := range gates {
		errs = append(errs, invalid(gate.Name, path.Index(i),
			utilvalidation.IsQualifiedName(gate.Name))...)
		errs = append(errs, unique(gate.Name, seen, path.Index(i))...)
	}
	return errs
}

// onlyOpened refuses new gates: gates open, one after the other, and never
// close.
func onlyOpened(pod, old *corev1.Pod) field.ErrorList {
	var errs field.ErrorList
	for i, gate := range pod.Spec.SchedulingGates {
		if !slices.Contains(old.Spec.SchedulingGates, gate) {
			errs = append(errs, field.Forbidden(gatesPath.Index(i).Child("name"),
				fmt.Sprintf("only deletion is allowed, but found new scheduling gate '%s'",
					gate.Name)))
		}
	}
	return errs
}

// notYet refuses a node for a Pod that waits at a gate.
func notYet(pod *corev1.Pod) field.ErrorList {
	if pod.Spec.NodeName == "" || len(pod.Spec.SchedulingGates) == 0 {
		return nil
	}
	return field.ErrorList{field.Forbidden(specPath.Child("nodeName"),
		"cannot be set until all schedulingGates have been cleared")}
}
