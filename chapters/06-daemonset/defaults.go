package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
)

// defaultDaemonSet fills in what its author left out. (Kubernetes:
// pkg/apis/apps/v1/defaults.go.)
func defaultDaemonSet(obj controlloop.Object) {
	spec := &obj.(*appsv1.DaemonSet).Spec
	update := &spec.UpdateStrategy
	if update.Type == "" {
		update.Type = appsv1.RollingUpdateDaemonSetStrategyType
	}
	if update.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		if update.RollingUpdate == nil {
			update.RollingUpdate = &appsv1.RollingUpdateDaemonSet{}
		}
		rolling := update.RollingUpdate
		if rolling.MaxUnavailable == nil {
			rolling.MaxUnavailable = new(intstr.FromInt32(1))
		}
		if rolling.MaxSurge == nil {
			rolling.MaxSurge = new(intstr.FromInt32(0))
		}
	}
	if spec.RevisionHistoryLimit == nil {
		spec.RevisionHistoryLimit = new(int32(10))
	}
	controlloop.DefaultPodTemplate(&spec.Template)
}
