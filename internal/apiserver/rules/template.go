package rules

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
)

var (
	specPath     = field.NewPath("spec")
	templatePath = specPath.Child("template")
)

// ReplicationController returns the rules of core/v1 ReplicationController
// beyond those of chapter 1.
func ReplicationController() controlloop.Rules {
	return typed[*corev1.ReplicationController]{
		check: func(rc *corev1.ReplicationController) field.ErrorList {
			errs := nonnegative(
				rc.Spec.MinReadySeconds, specPath.Child("minReadySeconds"))
			if rc.Spec.Template == nil {
				return errs // which the chapter says
			}
			return append(errs, checkTemplate(rc.Spec.Template, templatePath)...)
		},
	}.rules()
}

// ReplicaSet returns the rules of apps/v1 ReplicaSet beyond those of chapter 2.
func ReplicaSet() controlloop.Rules {
	return typed[*appsv1.ReplicaSet]{
		check: func(rs *appsv1.ReplicaSet) field.ErrorList {
			return checkTemplate(&rs.Spec.Template, templatePath)
		},
	}.rules()
}

// Deployment returns the rules of apps/v1 Deployment beyond those of chapters 2
// and 3.
func Deployment() controlloop.Rules {
	return typed[*appsv1.Deployment]{
		check: func(d *appsv1.Deployment) field.ErrorList {
			return checkTemplate(&d.Spec.Template, templatePath)
		},
	}.rules()
}

// checkTemplate returns what is wrong with the template at a path, say
// spec.template. It calls the labels there spec.template.labels, without the
// metadata, as Kubernetes does.
func checkTemplate(
	template *corev1.PodTemplateSpec, path *field.Path,
) field.ErrorList {
	annotations := path.Child("annotations")
	var ephemeral field.ErrorList
	if len(template.Spec.EphemeralContainers) > 0 {
		ephemeral = append(ephemeral, field.Forbidden(
			path.Child("spec", "ephemeralContainers"),
			"ephemeral containers not allowed in pod template"))
	}
	return slices.Concat(
		metavalidation.ValidateLabels(template.Labels, path.Child("labels")),
		apivalidation.ValidateAnnotations(template.Annotations, annotations),
		checkDeletionCost(template.Annotations, annotations),
		checkPodSpec(&template.Spec, path.Child("spec")), ephemeral)
}
