package rules

import (
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
)

// DaemonSet returns the rules of apps/v1 DaemonSet that chapter 6 leaves to the
// server.
func DaemonSet() controlloop.Rules {
	return typed[*appsv1.DaemonSet]{
		check: checkDaemonSet, allot: controlloop.Allotment{
			Of: func(controlloop.Object) []string { return nil }, Give: countTemplate,
		},
	}.rules()
}

// countTemplate notes how often the template has changed, in the annotation
// from which old clients and the Pods' labels take it. No client may set that.
// (Kubernetes: conversion.go in pkg/apis/apps/v1, strategy.go in
// pkg/registry/apps/daemonset.)
func countTemplate(
	obj, old controlloop.Object, _ func(string) bool,
) field.ErrorList {
	ds := obj.(*appsv1.DaemonSet)
	count := max(1, templateCount(ds))
	if old != nil {
		was := old.(*appsv1.DaemonSet)
		count = templateCount(was)
		if !equality.Semantic.DeepEqual(ds.Spec.Template, was.Spec.Template) {
			count++
		}
	}
	annotations := maps.Clone(ds.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[appsv1.DeprecatedTemplateGeneration] = strconv.Itoa(count)
	ds.Annotations = annotations
	return nil
}

// templateCount returns the count, or 0 if the text is no number.
func templateCount(ds *appsv1.DaemonSet) int {
	count, _ := strconv.Atoi(ds.Annotations[appsv1.DeprecatedTemplateGeneration])
	return count
}

func checkDaemonSet(ds *appsv1.DaemonSet) field.ErrorList {
	spec := &ds.Spec
	return slices.Concat(
		checkTemplate(&spec.Template, templatePath),
		checkDaemonUpdate(&spec.UpdateStrategy, specPath.Child("updateStrategy")),
		nonnegativeIfSet(spec.RevisionHistoryLimit,
			specPath.Child("revisionHistoryLimit")))
}

func checkDaemonUpdate(
	update *appsv1.DaemonSetUpdateStrategy, path *field.Path,
) field.ErrorList {
	switch update.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
		return nil
	case appsv1.RollingUpdateDaemonSetStrategyType:
		return checkDaemonRolling(update.RollingUpdate, path.Child("rollingUpdate"))
	}
	return field.ErrorList{field.NotSupported(path, shownDaemonUpdate(update),
		[]appsv1.DaemonSetUpdateStrategyType{
			appsv1.RollingUpdateDaemonSetStrategyType,
			appsv1.OnDeleteDaemonSetStrategyType,
		})}
}

func shownDaemonUpdate(update *appsv1.DaemonSetUpdateStrategy) shownUpdate {
	shown := shownUpdate{Type: string(update.Type)}
	if rolling := update.RollingUpdate; rolling != nil {
		shown.RollingUpdate = struct{ MaxUnavailable, MaxSurge *intstr.IntOrString }{
			rolling.MaxUnavailable, rolling.MaxSurge,
		}
	}
	return shown
}

// checkDaemonRolling checks that a node has the old Pod first, or the new one
// first: exactly one of the two numbers is not zero.
func checkDaemonRolling(
	update *appsv1.RollingUpdateDaemonSet, path *field.Path,
) field.ErrorList {
	unavailable, surge := *update.MaxUnavailable, *update.MaxSurge
	atUnavailable, atSurge := path.Child("maxUnavailable"), path.Child("maxSurge")
	errs := slices.Concat(
		rollingupdate.ValidatePart(unavailable, atUnavailable),
		rollingupdate.ValidatePart(surge, atSurge),
		rollingupdate.ValidateShare(unavailable, atUnavailable),
		rollingupdate.ValidateShare(surge, atSurge))
	noSurge, noneMissing := rollingupdate.IsZero(surge), rollingupdate.IsZero(unavailable)
	switch {
	case !noSurge && !noneMissing:
		errs = append(errs, field.Invalid(
			atSurge, surge, "may not be set when maxUnavailable is non-zero"))
	case noSurge && noneMissing:
		errs = append(errs, field.Required(
			atUnavailable, "cannot be 0 when maxSurge is 0"))
	}
	return errs
}
