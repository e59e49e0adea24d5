package rules

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkResources checks that a container requests no more than it may have. Of
// a resource that cannot be promised to two, it requests exactly that.
// (Kubernetes: validateResourceRequirements.)
func checkResources(
	r *corev1.ResourceRequirements, path *field.Path,
) field.ErrorList {
	limits, requests := path.Child("limits"), path.Child("requests")
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
		errs = append(errs, checkAmount(r.Limits[name], limits.Key(string(name)))...)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request := r.Requests[name]
		limit, limited := r.Limits[name]
		errs = append(errs, checkAmount(request, requests.Key(string(name)))...)
		switch {
		case !limited && !overcommits(name):
			errs = append(errs, field.Required(
				limits, "Limit must be set for non overcommitable resources"))
		case !limited:
		case !overcommits(name) && request.Cmp(limit) != 0:
			errs = append(errs, field.Invalid(requests, request.String(),
				"must be equal to "+string(name)+" limit of "+limit.String()))
		case request.Cmp(limit) > 0:
			errs = append(errs, field.Invalid(requests, request.String(),
				"must be less than or equal to "+string(name)+" limit of "+limit.String()))
		}
	}
	return errs
}

func checkAmount(amount resource.Quantity, path *field.Path) field.ErrorList {
	if amount.Sign() >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(
		path, amount.String(), "must be greater than or equal to 0")}
}

// overcommits reports whether more of a resource may be requested than exists:
// of those that Kubernetes knows, all but huge pages.
func overcommits(name corev1.ResourceName) bool {
	text := string(name)
	native := !strings.Contains(text, "/") ||
		strings.Contains(text, corev1.ResourceDefaultNamespacePrefix)
	return native && !strings.HasPrefix(text, corev1.ResourceHugePagesPrefix)
}
