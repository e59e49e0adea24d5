package rules

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A node and a Pod may say of each other by taints what
// validateNodeTaints and ValidateTolerations in Kubernetes'
// pkg/apis/core/validation allow.

var taintEffects = []corev1.TaintEffect{
	corev1.TaintEffectNoSchedule,
	corev1.TaintEffectPreferNoSchedule,
	corev1.TaintEffectNoExecute,
}

func checkTolerations(all []corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range all {
		errs = append(errs, checkToleration(&all[i], path.Index(i))...)
	}
	return errs
}

func checkToleration(t *corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	operator, effect := path.Child("operator"), path.Child("effect")
	if t.Key != "" {
		errs = metavalidation.ValidateLabelName(t.Key, path.Child("key"))
	} else if t.Operator != corev1.TolerationOpExists {
		errs = append(errs, field.Invalid(operator, t.Operator, "operator must be "+
			"Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Invalid(effect, t.Effect,
			"effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	errs = append(errs, checkTolerationOperator(t, operator)...)
	if t.Effect != "" {
		errs = append(errs, supported(t.Effect, effect, taintEffects...)...)
	}
	return errs
}

// checkTolerationOperator checks the operator and, if it is a known one, the
// value. Lt and Gt are behind a gate that is closed in Kubernetes 1.37, and its
// list of known ones has them nevertheless.
func checkTolerationOperator(t *corev1.Toleration, path *field.Path) field.ErrorList {
	known := []corev1.TolerationOperator{
		corev1.TolerationOpEqual, corev1.TolerationOpExists,
		corev1.TolerationOpLt, corev1.TolerationOpGt,
	}
	switch t.Operator {
	case corev1.TolerationOpEqual, "":
		if wrong := utilvalidation.IsValidLabelValue(t.Value); len(wrong) > 0 {
			return field.ErrorList{
				field.Invalid(path, t.Value, strings.Join(wrong, ";"))}
		}
		return nil
	case corev1.TolerationOpExists:
		if t.Value != "" {
			return field.ErrorList{field.Invalid(path, t.Value,
				"value must be empty when `operator` is 'Exists'")}
		}
		return nil
	case corev1.TolerationOpLt, corev1.TolerationOpGt:
		return field.ErrorList{field.NotSupported(path, t.Operator, known)}
	}
	return field.ErrorList{field.NotSupported(path, t.Operator, known[:2])}
}

// checkTaints refuses a second taint of one key and effect.
func checkTaints(all []corev1.Taint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := sets.Set[corev1.Taint]{}
	for i, taint := range all {
		at := path.Index(i)
		errs = slices.Concat(errs,
			metavalidation.ValidateLabelName(taint.Key, at.Child("key")))
		if wrong := utilvalidation.IsValidLabelValue(taint.Value); len(wrong) > 0 {
			errs = append(errs, field.Invalid(
				at.Child("value"), taint.Value, strings.Join(wrong, ";")))
		}
		errs = append(errs, oneOf(taint.Effect, at.Child("effect"), taintEffects...)...)
		what := corev1.Taint{Key: taint.Key, Effect: taint.Effect}
		if seen.Has(what) {
			twice := field.Duplicate(at, shownTaint(taint))
			twice.Detail = "taints must be unique by key and effect pair"
			errs = append(errs, twice)
		}
		seen.Insert(what)
	}
	return errs
}

// shownTaint returns a taint as Kubernetes' messages have it: with the
// names of its own code.
func shownTaint(t corev1.Taint) any {
	return struct {
		Key, Value, Effect string
		TimeAdded          *metav1.Time
	}{t.Key, t.Value, string(t.Effect), t.TimeAdded}
}
