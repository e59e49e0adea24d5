package rules

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

// Node returns the rules of core/v1 Node. (Kubernetes: ValidateNode and
// ValidateNodeUpdate in pkg/apis/core/validation.)
func Node() controlloop.Rules {
	return typed[*corev1.Node]{
		fill: defaultNode, check: checkNode, change: changeNode,
	}.rules()
}

// defaultNode writes the first range of addresses twice.
func defaultNode(node *corev1.Node) {
	if spec := &node.Spec; spec.PodCIDR != "" && len(spec.PodCIDRs) == 0 {
		spec.PodCIDRs = []string{spec.PodCIDR}
	} else if len(spec.PodCIDRs) > 0 {
		controlloop.Fill(&spec.PodCIDR, spec.PodCIDRs[0])
	}
}

// checkNode says of taints that they are among the metadata, as Kubernetes does.
func checkNode(node *corev1.Node) field.ErrorList {
	errs := checkTaints(node.Spec.Taints, field.NewPath("metadata", "taints"))
	ranges := specPath.Child("podCIDRs")
	for i, cidr := range node.Spec.PodCIDRs {
		errs = append(errs, validation.IsValidCIDR(ranges.Index(i), cidr)...)
	}
	return errs
}

// changeNode refuses other addresses for a node's Pods: they are given once.
func changeNode(node, old *corev1.Node) field.ErrorList {
	was := old.Spec.PodCIDRs
	if len(was) == 0 || slices.Equal(was, node.Spec.PodCIDRs) {
		return nil
	}
	return field.ErrorList{field.Forbidden(specPath.Child("podCIDRs"),
		`node updates may not change podCIDR except from "" to valid`)}
}
