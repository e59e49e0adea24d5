package rules

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	storage "reconcile/chapters/05-storage"
)

// StatefulSet returns the rules of apps/v1 StatefulSet that chapter
// 4 leaves to the server.
func StatefulSet() controlloop.Rules {
	return typed[*appsv1.StatefulSet]{
		fill:  defaultStatefulSet,
		check: checkStatefulSet,
	}.rules()
}

// defaultStatefulSet fills in what chapter 4 leaves to the server.
func defaultStatefulSet(s *appsv1.StatefulSet) {
	for i := range s.Spec.VolumeClaimTemplates {
		defaultClaimTemplate(&s.Spec.VolumeClaimTemplates[i])
	}
}

// defaultClaimTemplate fills in a template of a claim, which is a whole claim,
// kind, status and all.
func defaultClaimTemplate(claim *corev1.PersistentVolumeClaim) {
	claim.APIVersion, claim.Kind = "v1", "PersistentVolumeClaim"
	storage.DefaultClaim(claim)
}

func checkStatefulSet(s *appsv1.StatefulSet) field.ErrorList {
	spec := &s.Spec
	errs := slices.Concat(
		checkManagement(spec.PodManagementPolicy, specPath.Child("podManagementPolicy")),
		checkStatefulUpdate(&spec.UpdateStrategy, specPath.Child("updateStrategy")),
		checkRetention(spec.PersistentVolumeClaimRetentionPolicy,
			specPath.Child("persistentVolumeClaimRetentionPolicy")))
	for i := range spec.VolumeClaimTemplates {
		claim := &spec.VolumeClaimTemplates[i].Spec
		at := specPath.Child("volumeClaimTemplates").Index(i).Child("spec")
		errs = append(errs, slices.Concat(
			storage.ValidateClaim(claim, at), checkClaimSpec(claim, at))...)
	}
	if spec.Ordinals != nil {
		errs = append(errs,
			nonnegative(spec.Ordinals.Start, specPath.Child("ordinals.start"))...)
	}
	if spec.ServiceName != "" {
		errs = append(errs, invalid(spec.ServiceName, specPath.Child("serviceName"),
			utilvalidation.IsDNS1123Label(spec.ServiceName))...)
	}
	return append(errs, checkTemplate(withClaims(spec), templatePath)...)
}

func checkManagement(
	policy appsv1.PodManagementPolicyType, path *field.Path,
) field.ErrorList {
	switch policy {
	case appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement:
		return nil
	}
	return field.ErrorList{
		field.Invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")}
}

func checkStatefulUpdate(
	update *appsv1.StatefulSetUpdateStrategy, path *field.Path,
) field.ErrorList {
	rolling := path.Child("rollingUpdate")
	switch update.Type {
	case appsv1.OnDeleteStatefulSetStrategyType:
		if update.RollingUpdate != nil {
			return field.ErrorList{field.Invalid(rolling, shownPartition(update),
				"only allowed for updateStrategy 'RollingUpdate'")}
		}
		return nil
	case appsv1.RollingUpdateStatefulSetStrategyType:
		if update.RollingUpdate == nil {
			return nil
		}
		return checkPartition(update.RollingUpdate, rolling)
	}
	return field.ErrorList{field.Invalid(
		path, shownUpdate{string(update.Type), shownPartition(update)},
		"must be 'RollingUpdate' or 'OnDelete'")}
}

// Kubernetes' messages show values as its own code names their fields, not as
// manifests do.
type (
	shownUpdate struct {
		Type          string
		RollingUpdate any
	}
	shownRolling struct {
		Partition      int32
		MaxUnavailable *intstr.IntOrString
	}
)

func shownPartition(update *appsv1.StatefulSetUpdateStrategy) any {
	rolling := update.RollingUpdate
	if rolling == nil {
		return nil
	}
	shown := shownRolling{MaxUnavailable: rolling.MaxUnavailable}
	if rolling.Partition != nil {
		shown.Partition = *rolling.Partition
	}
	return shown
}

func checkPartition(
	update *appsv1.RollingUpdateStatefulSetStrategy, path *field.Path,
) field.ErrorList {
	errs := nonnegativeIfSet(update.Partition, path.Child("partition"))
	if update.MaxUnavailable == nil {
		return errs
	}
	at, unavailable := path.Child("maxUnavailable"), *update.MaxUnavailable
	errs = append(errs, rollingupdate.ValidatePart(unavailable, at)...)
	if rollingupdate.IsZero(unavailable) {
		errs = append(errs, field.Invalid(at, unavailable, "cannot be 0"))
	}
	return append(errs, rollingupdate.ValidateShare(unavailable, at)...)
}

func checkRetention(
	policy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy, path *field.Path,
) field.ErrorList {
	allowed := []appsv1.PersistentVolumeClaimRetentionPolicyType{
		appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
	}
	return slices.Concat(
		supported(policy.WhenDeleted, path.Child("whenDeleted"), allowed...),
		supported(policy.WhenScaled, path.Child("whenScaled"), allowed...))
}

// withClaims returns the template with a volume for each claim, which the
// controller will add: containers may mount them.
func withClaims(spec *appsv1.StatefulSetSpec) *corev1.PodTemplateSpec {
	template := spec.Template.DeepCopy()
	var claims []corev1.Volume
	for _, claim := range spec.VolumeClaimTemplates {
		claims = append(claims, corev1.Volume{Name: claim.Name})
		template.Spec.Volumes = slices.DeleteFunc(template.Spec.Volumes,
			func(v corev1.Volume) bool { return v.Name == claim.Name })
	}
	template.Spec.Volumes = append(claims, template.Spec.Volumes...)
	return template
}
