package rules

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// Event returns the rules of core/v1 Event: it is kept in the namespace of its
// object, or in one of the cluster's own.
func Event() controlloop.Rules {
	return typed[*corev1.Event]{check: checkEvent}.rules()
}

func checkEvent(e *corev1.Event) field.ErrorList {
	errs := checkEventNamespace(e)
	if e.EventTime.IsZero() {
		return errs // of the older form, which asks for nothing else
	}
	reporter := field.NewPath("reportingComponent")
	if e.ReportingController == "" {
		errs = append(errs, field.Required(reporter, ""))
	}
	errs = append(errs, invalid(e.ReportingController, reporter,
		validation.IsQualifiedName(e.ReportingController))...)
	for _, required := range []struct{ value, name string }{
		{e.ReportingInstance, "reportingInstance"},
		{e.Action, "action"},
		{e.Reason, "reason"},
	} {
		if required.value == "" {
			errs = append(errs, field.Required(field.NewPath(required.name), ""))
		}
	}
	return errs
}

func checkEventNamespace(e *corev1.Event) field.ErrorList {
	about := e.InvolvedObject.Namespace
	ok := e.Namespace == about
	if about == "" {
		ok = e.Namespace == metav1.NamespaceDefault ||
			!e.EventTime.IsZero() && e.Namespace == metav1.NamespaceSystem
	} else if !e.EventTime.IsZero() {
		ok = true
	}
	if ok {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("involvedObject", "namespace"),
		about, "does not match event.namespace")}
}
