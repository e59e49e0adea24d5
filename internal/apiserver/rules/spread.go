package rules

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkSpread checks how evenly a Pod's like are to be spread. (Kubernetes:
// validateTopologySpreadConstraints in pkg/apis/core/validation.)
func checkSpread(
	all []corev1.TopologySpreadConstraint, path *field.Path,
) field.ErrorList {
	var errs field.ErrorList
	for i := range all {
		c, at := &all[i], path.Index(i)
		errs = slices.Concat(errs, positive(c.MaxSkew, at.Child("maxSkew")))
		if c.TopologyKey == "" {
			errs = append(errs, field.Required(at.Child("topologyKey"), "can not be empty"))
		}
		errs = slices.Concat(errs,
			supported(c.WhenUnsatisfiable, at.Child("whenUnsatisfiable"),
				corev1.DoNotSchedule, corev1.ScheduleAnyway),
			onlyOnce(c, all[i+1:], at),
			checkDomains(c, at.Child("minDomains")),
			checkInclusion(c.NodeAffinityPolicy, at.Child("nodeAffinityPolicy")),
			checkInclusion(c.NodeTaintsPolicy, at.Child("nodeTaintsPolicy")),
			checkLabelKeys(c.MatchLabelKeys, nil, c.LabelSelector, at),
			checkLabels(c.LabelSelector, at.Child("labelSelector")))
	}
	return errs
}

func positive(value int32, path *field.Path) field.ErrorList {
	if value > 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, "must be greater than zero")}
}

// onlyOnce refuses a second constraint of one topology, and one way to take it.
func onlyOnce(
	c *corev1.TopologySpreadConstraint, rest []corev1.TopologySpreadConstraint,
	path *field.Path,
) field.ErrorList {
	for _, other := range rest {
		if c.TopologyKey == other.TopologyKey &&
			c.WhenUnsatisfiable == other.WhenUnsatisfiable {
			return field.ErrorList{field.Duplicate(
				path.Child("{topologyKey, whenUnsatisfiable}"),
				fmt.Sprintf("{%s, %s}", c.TopologyKey, c.WhenUnsatisfiable))}
		}
	}
	return nil
}

func checkDomains(
	c *corev1.TopologySpreadConstraint, path *field.Path,
) field.ErrorList {
	if c.MinDomains == nil {
		return nil
	}
	errs := positive(*c.MinDomains, path)
	if c.WhenUnsatisfiable != corev1.DoNotSchedule {
		errs = append(errs, field.Invalid(path, *c.MinDomains, fmt.Sprintf(
			"can only use minDomains if whenUnsatisfiable=%s, not %s",
			corev1.DoNotSchedule, c.WhenUnsatisfiable)))
	}
	return errs
}

func checkInclusion(
	policy *corev1.NodeInclusionPolicy, path *field.Path,
) field.ErrorList {
	if policy == nil {
		return nil
	}
	return supported(*policy, path,
		corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
}

// checkLabelKeys checks keys whose values are taken from the Pod itself. They are
// added to a selector, which must therefore exist, and when this looks they have
// been: a key that the author wrote there too is there twice.
func checkLabelKeys(
	match, mismatch []string, by *metav1.LabelSelector, path *field.Path,
) field.ErrorList {
	atMatch := path.Child("matchLabelKeys")
	errs := slices.Concat(checkKeyNames(match, by, atMatch),
		checkKeyNames(mismatch, by, path.Child("mismatchLabelKeys")),
		keysTwice(match, by, path))
	for i, key := range match {
		if slices.Contains(mismatch, key) {
			errs = append(errs, field.Invalid(atMatch.Index(i), key,
				"exists in both matchLabelKeys and mismatchLabelKeys"))
		}
	}
	return errs
}

func checkKeyNames(
	keys []string, by *metav1.LabelSelector, path *field.Path,
) field.ErrorList {
	if len(keys) > 0 && by == nil {
		return field.ErrorList{field.Forbidden(
			path, "must not be specified when labelSelector is not set")}
	}
	var errs field.ErrorList
	for i, key := range keys {
		errs = append(errs, metavalidation.ValidateLabelName(key, path.Index(i))...)
	}
	return errs
}

// keysTwice finds keys that a selector has more than once. Kubernetes calls the
// place [0], without the field that it is in.
func keysTwice(
	keys []string, by *metav1.LabelSelector, path *field.Path,
) field.ErrorList {
	if by == nil {
		return nil
	}
	var errs field.ErrorList
	seen := sets.KeySet(by.MatchLabels)
	for _, says := range by.MatchExpressions {
		if i := slices.Index(keys, says.Key); i >= 0 && seen.Has(says.Key) {
			errs = append(errs, field.Invalid(path.Index(i), says.Key,
				"exists in both matchLabelKeys and labelSelector"))
		}
		seen.Insert(says.Key)
	}
	return errs
}
