package admission

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	resourcehelper "k8s.io/component-helpers/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

var rangeKind = corev1.SchemeGroupVersion.WithKind("LimitRange")

// rangedAnnotation is the annotation in which a Pod notes the amounts that it
// was given.
const rangedAnnotation = "kubernetes.io/limit-ranger"

// ranges does the work of Kubernetes' plugin LimitRanger: it fills in the amounts
// that an object's containers leave open from the LimitRanges of its namespace, and
// returns an error if one of these does not allow as much, or as little.
func (r *request) ranges(ctx context.Context) error {
	switch r.obj.(type) {
	case *corev1.Pod, *corev1.PersistentVolumeClaim:
	default:
		return nil
	}
	all, err := r.store.List(ctx, rangeKind,
		controlloop.ListOptions{Namespace: r.obj.GetNamespace()})
	if err != nil || len(all.Items) == 0 {
		return ignoreNoMatch(err)
	}
	if pod, ok := r.obj.(*corev1.Pod); ok {
		r.obj = ranged(pod, all.Items)
	}
	for _, item := range all.Items {
		var errs []error
		for _, limit := range item.(*corev1.LimitRange).Spec.Limits {
			errs = append(errs, outside(r.obj, limit)...)
		}
		if errs != nil {
			return r.forbidden("%w", utilerrors.NewAggregate(errs))
		}
	}
	return nil
}

// ranged returns a Pod whose containers say what they want: an amount that one
// leaves open comes from the first LimitRange that has it.
func ranged(obj *corev1.Pod, ranges []controlloop.Object) *corev1.Pod {
	pod := obj.DeepCopy()
	for _, r := range ranges {
		var given []string
		for _, limit := range r.(*corev1.LimitRange).Spec.Limits {
			if limit.Type != corev1.LimitTypeContainer {
				continue
			}
			for i := range pod.Spec.Containers {
				given = append(given, give(&pod.Spec.Containers[i], "container", limit)...)
			}
			for i := range pod.Spec.InitContainers {
				given = append(given,
					give(&pod.Spec.InitContainers[i], "init container", limit)...)
			}
		}
		if given != nil {
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			pod.Annotations[rangedAnnotation] =
				"LimitRanger plugin set: " + strings.Join(given, "; ")
		}
	}
	return pod
}

// give fills in the amounts that a container leaves open, and returns their
// names.
func give(
	c *corev1.Container, what string, limit corev1.LimitRangeItem,
) (given []string) {
	if names := add(&c.Resources.Requests, limit.DefaultRequest); names != "" {
		given = append(given, fmt.Sprintf("%s request for %s %s", names, what, c.Name))
	}
	if names := add(&c.Resources.Limits, limit.Default); names != "" {
		given = append(given, fmt.Sprintf("%s limit for %s %s", names, what, c.Name))
	}
	return given
}

// add sets the amounts that are missing, and returns their names.
func add(amounts *corev1.ResourceList, defaults corev1.ResourceList) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if _, said := (*amounts)[name]; said {
			continue
		}
		if *amounts == nil {
			*amounts = corev1.ResourceList{}
		}
		(*amounts)[name] = defaults[name]
		names = append(names, string(name))
	}
	return strings.Join(names, ", ")
}

// outside returns an error for each amount of an object that is not in a range.
func outside(obj controlloop.Object, limit corev1.LimitRangeItem) (errs []error) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		switch limit.Type {
		case corev1.LimitTypeContainer:
			for _, c := range slices.Concat(obj.Spec.Containers, obj.Spec.InitContainers) {
				errs = append(errs, breaches(limit, c.Resources.Requests, c.Resources.Limits)...)
			}
		case corev1.LimitTypePod:
			plain := resourcehelper.PodResourcesOptions{ExcludeOverhead: true}
			errs = breaches(limit, resourcehelper.PodRequests(obj, plain),
				resourcehelper.PodLimits(obj, plain))
		}
	case *corev1.PersistentVolumeClaim:
		if limit.Type == corev1.LimitTypePersistentVolumeClaim {
			errs = breaches(limit, obj.Spec.Resources.Requests, nil)
		}
	}
	return errs
}

// breaches returns an error for each amount that is too small, too large, or
// too far from its request. Of a claim, only what it requests counts.
func breaches(
	limit corev1.LimitRangeItem, requests, limits corev1.ResourceList,
) (errs []error) {
	breach := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(limit.Min)) {
		breach(bound(fmt.Sprintf("minimum %s usage per %s", name, limit.Type),
			limit.Min[name], below, said(requests, name, "request"),
			said(limits, name, "limit")))
	}
	for _, name := range slices.Sorted(maps.Keys(limit.Max)) {
		all := []amount{said(limits, name, "limit"), said(requests, name, "request")}
		if limit.Type == corev1.LimitTypePersistentVolumeClaim {
			all = all[1:]
		}
		breach(bound(fmt.Sprintf("maximum %s usage per %s", name, limit.Type),
			limit.Max[name], above, all...))
	}
	for _, name := range slices.Sorted(maps.Keys(limit.MaxLimitRequestRatio)) {
		breach(ratio(fmt.Sprintf("%s max limit to request ratio per %s", name, limit.Type),
			limit.MaxLimitRequestRatio[name], requests[name], limits[name]))
	}
	return errs
}

// amount is the amount given of a resource, nil if none was.
type amount struct {
	of       string
	quantity *resource.Quantity
}

func said(all corev1.ResourceList, name corev1.ResourceName, of string) amount {
	if quantity, ok := all[name]; ok {
		return amount{of, &quantity}
	}
	return amount{of, nil}
}

// An amount that breaks a bound is below or above it.
const below, above = -1, 1

// bound returns an error if an amount breaks a bound. The first has to be
// given.
func bound(rule string, by resource.Quantity, wrong int, all ...amount) error {
	for i, a := range all {
		switch {
		case a.quantity == nil && i == 0:
			return fmt.Errorf("%s is %s.  No %s is specified", rule, by.String(), a.of)
		case a.quantity != nil && a.quantity.Cmp(by) == wrong:
			return fmt.Errorf("%s is %s, but %s is %s",
				rule, by.String(), a.of, a.quantity.String())
		}
	}
	return nil
}

// ratio returns an error if a limit is more than so many times the request.
func ratio(rule string, most, request, limit resource.Quantity) error {
	switch {
	case request.IsZero():
		return fmt.Errorf("%s is %s, but no request is specified or request is 0",
			rule, most.String())
	case limit.IsZero():
		return fmt.Errorf("%s is %s, but no limit is specified or limit is 0",
			rule, most.String())
	}
	got := limit.AsApproximateFloat64() / request.AsApproximateFloat64()
	if got > most.AsApproximateFloat64() {
		return fmt.Errorf("%s is %s, but provided ratio is %f", rule, most.String(), got)
	}
	return nil
}
