package rollingupdate

import (
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// defaultRolling fills in what was left out: a quarter more, a quarter fewer.
func defaultRolling(obj controlloop.Object) {
	d := obj.(*appsv1.Deployment)
	if !rolls(d) {
		return
	}
	s := &d.Spec.Strategy
	if s.RollingUpdate == nil {
		s.RollingUpdate = &appsv1.RollingUpdateDeployment{}
	}
	for _, part := range []**intstr.IntOrString{
		&s.RollingUpdate.MaxUnavailable, &s.RollingUpdate.MaxSurge,
	} {
		if *part == nil {
			*part = new(intstr.FromString("25%"))
		}
	}
}

// validateRolling refuses bounds between which nothing could move. (Kubernetes:
// ValidateRollingUpdateDeployment in pkg/apis/apps/validation/validation.go.)
func validateRolling(obj controlloop.Object) field.ErrorList {
	d := obj.(*appsv1.Deployment)
	if !rolls(d) {
		return nil
	}
	at := field.NewPath("spec", "strategy", "rollingUpdate")
	unavailable := *d.Spec.Strategy.RollingUpdate.MaxUnavailable
	surge := *d.Spec.Strategy.RollingUpdate.MaxSurge
	path := at.Child("maxUnavailable")
	errs := slices.Concat(ValidatePart(unavailable, path),
		ValidatePart(surge, at.Child("maxSurge")))
	if IsZero(unavailable) && IsZero(surge) {
		errs = append(errs, field.Invalid(
			path, unavailable, "may not be 0 when `maxSurge` is 0"))
	}
	return append(errs, ValidateShare(unavailable, path)...)
}

// ValidatePart returns what is wrong with a part of some replicas: it is a
// number, or a percentage, "25%".
func ValidatePart(part intstr.IntOrString, at *field.Path) field.ErrorList {
	if part.Type == intstr.Int {
		return apivalidation.ValidateNonnegativeField(int64(part.IntVal), at)
	}
	var errs field.ErrorList
	for _, complaint := range validation.IsValidPercent(part.StrVal) {
		errs = append(errs, field.Invalid(at, part, complaint))
	}
	return errs
}

// ValidateShare refuses a part that is more than the whole. A value that is no
// part at all is not reported again.
func ValidateShare(part intstr.IntOrString, at *field.Path) field.ErrorList {
	if n, percent := amount(part); percent && n > 100 {
		return field.ErrorList{
			field.Invalid(at, part, "must not be greater than 100%")}
	}
	return nil
}

// IsZero reports whether a part is none of any number: 0, or "0%".
func IsZero(part intstr.IntOrString) bool {
	n, _ := amount(part)
	return n == 0
}

// amount returns the number in a part, and whether it is a percentage.
func amount(part intstr.IntOrString) (n int, percent bool) {
	if part.Type == intstr.Int || len(validation.IsValidPercent(part.StrVal)) > 0 {
		return part.IntValue(), false
	}
	n, _ = strconv.Atoi(strings.TrimSuffix(part.StrVal, "%"))
	return n, true
}
