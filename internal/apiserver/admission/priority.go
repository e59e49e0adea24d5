package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// priority does the work of Kubernetes' plugin Priority: a Pod says a class,
// and not a number.
func (r request) priority(ctx context.Context, spec *corev1.PodSpec) error {
	class, err := r.classOf(ctx, spec.PriorityClassName)
	if err != nil {
		return err
	}
	if given := spec.Priority; given != nil && *given != class.Value {
		return r.forbidden("the integer value of priority (%d) must not be provided "+
			"in pod spec; priority admission controller computed %d from the given "+
			"PriorityClass name", *given, class.Value)
	}
	policy := class.PreemptionPolicy
	if given := spec.PreemptionPolicy; given != nil && policy != nil && *given != *policy {
		return r.forbidden("the string value of PreemptionPolicy (%s) must not be "+
			"provided in pod spec; priority admission controller computed %s from the "+
			"given PriorityClass name", *given, *policy)
	}
	spec.PriorityClassName, spec.Priority = class.Name, &class.Value
	if policy != nil {
		spec.PreemptionPolicy = policy
	}
	return nil
}

// classOf returns the class of that name; of "", the one for all Pods that name
// none, or, where there is no such class, one without a name.
func (r request) classOf(
	ctx context.Context, name string,
) (*schedulingv1.PriorityClass, error) {
	if name != "" {
		obj, err := r.store.Get(ctx, daemonset.PriorityKind, controlloop.Key{Name: name})
		if apierrors.IsNotFound(err) {
			return nil, r.forbidden("no PriorityClass with name %s was found", name)
		}
		if err != nil {
			return nil, err
		}
		return obj.(*schedulingv1.PriorityClass), nil
	}
	class, err := defaultPriority(ctx, r.store)
	if class == nil && err == nil {
		class = &schedulingv1.PriorityClass{
			PreemptionPolicy: new(corev1.PreemptLowerPriority),
		}
	}
	return class, err
}

// defaultPriority returns the class of Pods that name none, or nil. A cluster
// has one at most, unless two were made at once: then the lower counts.
func defaultPriority(
	ctx context.Context, store *controlloop.Store,
) (*schedulingv1.PriorityClass, error) {
	all, err := store.List(ctx, daemonset.PriorityKind, controlloop.ListOptions{})
	if err != nil {
		return nil, err
	}
	var lowest *schedulingv1.PriorityClass
	for _, obj := range all.Items {
		class := obj.(*schedulingv1.PriorityClass)
		if class.GlobalDefault && (lowest == nil || class.Value < lowest.Value) {
			lowest = class
		}
	}
	return lowest, nil
}

// onlyDefault refuses a second class for Pods that name none. A class that was
// the default already may stay so.
func onlyDefault(
	ctx context.Context, store *controlloop.Store,
	class, was *schedulingv1.PriorityClass,
) error {
	if !class.GlobalDefault {
		return nil
	}
	is, err := defaultPriority(ctx, store)
	if err != nil || is == nil || was != nil && was.Name == is.Name {
		return err
	}
	return apierrors.NewForbidden(
		schedulingv1.Resource("priorityclasses"), class.Name, fmt.Errorf(
			"PriorityClass %s is already marked as default. Only one default can exist",
			is.Name))
}

// keepPriority lets a Pod keep the priority that it was given when it was made, if
// a client leaves it out.
func keepPriority(spec, old *corev1.PodSpec) {
	if spec.Priority == nil {
		spec.Priority = old.Priority
	}
	if spec.PreemptionPolicy == nil {
		spec.PreemptionPolicy = old.PreemptionPolicy
	}
}
