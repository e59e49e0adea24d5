package rules

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// The two classes that every cluster has are above all that a user may ask for.
// (Kubernetes: pkg/apis/scheduling.)
const (
	highestPriority = 1_000_000_000
	systemPriority  = 2 * highestPriority
	systemPrefix    = "system-"
)

// SystemPriorities returns the classes that every cluster has.
func SystemPriorities() []*schedulingv1.PriorityClass {
	class := func(name string, value int32, about string) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, Description: about,
		}
	}
	return []*schedulingv1.PriorityClass{
		class("system-node-critical", systemPriority+1000, "Used for system critical "+
			"pods that must not be moved from their current node."),
		class("system-cluster-critical", systemPriority, "Used for system critical pods "+
			"that must run in the cluster, but can be moved to another node if necessary."),
	}
}

// PriorityClass returns the rules of scheduling.k8s.io/v1 PriorityClass.
func PriorityClass() controlloop.Rules {
	return typed[*schedulingv1.PriorityClass]{
		fill: func(p *schedulingv1.PriorityClass) {
			fillNil(&p.PreemptionPolicy, corev1.PreemptLowerPriority)
		},
		check:  checkPriority,
		change: changePriority,
	}.rules()
}

func checkPriority(p *schedulingv1.PriorityClass) field.ErrorList {
	errs := checkSystemPriority(p)
	if !strings.HasPrefix(p.Name, systemPrefix) && p.Value > highestPriority {
		errs = append(errs, field.Forbidden(field.NewPath("value"), fmt.Sprintf(
			"maximum allowed value of a user defined priority is %d", highestPriority)))
	}
	return append(errs, checkPreemption(
		*p.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
}

// checkSystemPriority refuses names like those of the two that every cluster
// has.
func checkSystemPriority(p *schedulingv1.PriorityClass) field.ErrorList {
	if !strings.HasPrefix(p.Name, systemPrefix) {
		return nil
	}
	why := p.Name + " is not a known system priority class"
	for _, known := range SystemPriorities() {
		switch {
		case known.Name != p.Name:
		case known.Value != p.Value:
			why = fmt.Sprintf("value of %s PriorityClass must be %d", p.Name, known.Value)
		case p.GlobalDefault:
			why = fmt.Sprintf("globalDefault of %s PriorityClass must be false", p.Name)
		default:
			return nil
		}
	}
	return field.ErrorList{field.Forbidden(field.NewPath("metadata", "name"),
		"priority class names with '"+systemPrefix+"' prefix are reserved for "+
			"system use only. error: "+why)}
}

func checkPreemption(
	policy corev1.PreemptionPolicy, path *field.Path,
) field.ErrorList {
	return oneOf(policy, path, corev1.PreemptLowerPriority, corev1.PreemptNever)
}

// changePriority refuses another number: Pods have that of their class, and
// keep it.
func changePriority(p, old *schedulingv1.PriorityClass) field.ErrorList {
	var errs field.ErrorList
	if p.Value != old.Value {
		errs = append(errs, field.Forbidden(
			field.NewPath("value"), "may not be changed in an update."))
	}
	return append(errs, validation.ValidateImmutableField(p.PreemptionPolicy,
		old.PreemptionPolicy, field.NewPath("preemptionPolicy"))...)
}
