package rules

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	required  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

// checkAffinity checks where a Pod wants to be, as far as it says so.
// (Kubernetes: validateAffinity in pkg/apis/core/validation.)
func checkAffinity(a *corev1.Affinity, path *field.Path) field.ErrorList {
	if a == nil {
		return nil
	}
	var errs field.ErrorList
	if of := a.NodeAffinity; of != nil {
		errs = append(errs, checkNodeAffinity(of, path.Child("nodeAffinity"))...)
	}
	if of := a.PodAffinity; of != nil {
		errs = append(errs, checkPodTerms(
			of.RequiredDuringSchedulingIgnoredDuringExecution,
			of.PreferredDuringSchedulingIgnoredDuringExecution,
			path.Child("podAffinity"))...)
	}
	if of := a.PodAntiAffinity; of != nil {
		errs = append(errs, checkPodTerms(
			of.RequiredDuringSchedulingIgnoredDuringExecution,
			of.PreferredDuringSchedulingIgnoredDuringExecution,
			path.Child("podAntiAffinity"))...)
	}
	return errs
}

func checkNodeAffinity(a *corev1.NodeAffinity, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s := a.RequiredDuringSchedulingIgnoredDuringExecution; s != nil {
		errs = checkNodeSelector(s, path.Child(required))
	}
	for i, term := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		at := path.Child(preferred).Index(i)
		errs = slices.Concat(errs, checkWeight(term.Weight, at),
			// A wish that nothing can fulfil does no harm, and its values are free.
			checkNodeTerm(&term.Preference, false, at.Child("preference")))
	}
	return errs
}

func checkWeight(weight int32, path *field.Path) field.ErrorList {
	if weight > 0 && weight <= 100 {
		return nil
	}
	return field.ErrorList{field.Invalid(
		path.Child("weight"), weight, "must be in the range 1-100")}
}

func checkNodeSelector(s *corev1.NodeSelector, path *field.Path) field.ErrorList {
	terms := path.Child("nodeSelectorTerms")
	if len(s.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(
			terms, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i := range s.NodeSelectorTerms {
		errs = append(errs,
			checkNodeTerm(&s.NodeSelectorTerms[i], true, terms.Index(i))...)
	}
	return errs
}

func checkNodeTerm(
	term *corev1.NodeSelectorTerm, values bool, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	for i, says := range term.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		errs = slices.Concat(errs, checkNodeLabel(says, at))
		for j, value := range says.Values {
			if values {
				errs = append(errs, invalid(value, at.Child("values").Index(j),
					utilvalidation.IsValidLabelValue(value))...)
			}
		}
	}
	for i, says := range term.MatchFields {
		errs = append(errs, checkNodeField(says, path.Child("matchFields").Index(i))...)
	}
	return errs
}

const unknownOperator = "not a valid selector operator"

func checkNodeLabel(
	says corev1.NodeSelectorRequirement, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	values := path.Child("values")
	switch says.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(says.Values) == 0 {
			errs = append(errs, field.Required(values,
				"must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(says.Values) > 0 {
			errs = append(errs, field.Forbidden(values,
				"may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(says.Values) != 1 {
			errs = append(errs, field.Required(values,
				"must be specified single value when `operator` is 'Lt' or 'Gt'"))
		}
	default:
		errs = append(errs,
			field.Invalid(path.Child("operator"), says.Operator, unknownOperator))
	}
	return append(errs,
		metavalidation.ValidateLabelName(says.Key, path.Child("key"))...)
}

// checkNodeField refuses all fields of a node but its name.
func checkNodeField(
	says corev1.NodeSelectorRequirement, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	values := path.Child("values")
	switch says.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(says.Values) != 1 {
			errs = append(errs, field.Required(values, "must be only one value when "+
				"`operator` is 'In' or 'NotIn' for node field selector"))
		}
	default:
		errs = append(errs,
			field.Invalid(path.Child("operator"), says.Operator, unknownOperator))
	}
	if says.Key != metav1.ObjectNameField {
		return append(errs, field.Invalid(
			path.Child("key"), says.Key, "not a valid field selector key"))
	}
	for i, value := range says.Values {
		errs = append(errs, invalid(value, values.Index(i),
			validation.NameIsDNSSubdomain(value, false))...)
	}
	return errs
}

func checkPodTerms(
	must []corev1.PodAffinityTerm, wish []corev1.WeightedPodAffinityTerm,
	path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	for i := range must {
		errs = append(errs, checkPodTerm(&must[i], path.Child(required).Index(i))...)
	}
	for i := range wish {
		at := path.Child(preferred).Index(i)
		errs = slices.Concat(errs, checkWeight(wish[i].Weight, at),
			checkPodTerm(&wish[i].PodAffinityTerm, at.Child("podAffinityTerm")))
	}
	return errs
}

func checkPodTerm(term *corev1.PodAffinityTerm, path *field.Path) field.ErrorList {
	errs := slices.Concat(
		checkLabels(term.LabelSelector, path.Child("labelSelector")),
		checkLabels(term.NamespaceSelector, path.Child("namespaceSelector")))
	for _, name := range term.Namespaces {
		errs = append(errs, invalid(name, path.Child("namespace"),
			validation.ValidateNamespaceName(name, false))...)
	}
	errs = append(errs, checkLabelKeys(
		term.MatchLabelKeys, term.MismatchLabelKeys, term.LabelSelector, path)...)
	key := path.Child("topologyKey")
	if term.TopologyKey == "" {
		errs = append(errs, field.Required(key, "can not be empty"))
	}
	return append(errs, metavalidation.ValidateLabelName(term.TopologyKey, key)...)
}

func checkLabels(by *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metavalidation.ValidateLabelSelector(
		by, metavalidation.LabelSelectorValidationOptions{}, path)
}
