package statefulset

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// defaultStatefulSet fills in the fields that its author left out. (Kubernetes:
// pkg/apis/apps/v1/defaults.go.)
func defaultStatefulSet(obj controlloop.Object) {
	spec := &obj.(*appsv1.StatefulSet).Spec
	controlloop.Fill(&spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	defaultUpdate(&spec.UpdateStrategy)
	if spec.Replicas == nil {
		spec.Replicas = new(int32(1))
	}
	if spec.RevisionHistoryLimit == nil {
		spec.RevisionHistoryLimit = new(int32(10))
	}
	if spec.PersistentVolumeClaimRetentionPolicy == nil {
		spec.PersistentVolumeClaimRetentionPolicy =
			&appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{}
	}
	kept := spec.PersistentVolumeClaimRetentionPolicy
	controlloop.Fill(&kept.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	controlloop.Fill(&kept.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	controlloop.DefaultPodTemplate(&spec.Template)
}

// defaultUpdate fills in an update: an author who names the type and nothing
// else gets no partition either.
func defaultUpdate(update *appsv1.StatefulSetUpdateStrategy) {
	if update.Type == "" {
		update.Type = appsv1.RollingUpdateStatefulSetStrategyType
		if update.RollingUpdate == nil {
			update.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{}
		}
	}
	rolling := update.RollingUpdate
	if update.Type != appsv1.RollingUpdateStatefulSetStrategyType ||
		rolling == nil {
		return
	}
	if rolling.Partition == nil {
		rolling.Partition = new(int32)
	}
	if rolling.MaxUnavailable == nil {
		rolling.MaxUnavailable = new(intstr.FromInt32(1))
	}
}
