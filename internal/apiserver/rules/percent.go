package rules

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkPart checks a number or a percentage of some replicas: "25%".
func checkPart(part intstr.IntOrString, path *field.Path) field.ErrorList {
	if part.Type == intstr.String {
		return invalid(part, path, validation.IsValidPercent(part.StrVal))
	}
	return nonnegative(part.IntVal, path)
}

// checkShare checks a part that cannot be more than the whole. What is no part
// is not reported again.
func checkShare(part intstr.IntOrString, path *field.Path) field.ErrorList {
	if percent(part) && amount(part) > 100 {
		return field.ErrorList{
			field.Invalid(path, part, "must not be greater than 100%")}
	}
	return nil
}

func percent(part intstr.IntOrString) bool {
	return part.Type == intstr.String &&
		len(validation.IsValidPercent(part.StrVal)) == 0
}

// amount is the number before the percent sign, or without one.
func amount(part intstr.IntOrString) int {
	if percent(part) {
		n, _ := strconv.Atoi(strings.TrimSuffix(part.StrVal, "%"))
		return n
	}
	return part.IntValue()
}
