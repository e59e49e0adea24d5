package rules

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// Lease returns the rules of coordination.k8s.io/v1 Lease.
func Lease() controlloop.Rules {
	return typed[*coordinationv1.Lease]{check: checkLease}.rules()
}

func checkLease(l *coordinationv1.Lease) field.ErrorList {
	var errs field.ErrorList
	if d := l.Spec.LeaseDurationSeconds; d != nil && *d <= 0 {
		errs = append(errs, field.Invalid(specPath.Child("leaseDurationSeconds"),
			d, "must be greater than 0"))
	}
	if n := l.Spec.LeaseTransitions; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(specPath.Child("leaseTransitions"),
			n, "must be greater than or equal to 0"))
	}
	return errs
}
