package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	deployment "reconcile/chapters/02-deployment"
)

// rollout is the spec of a set as it is now, the hash of its revision, and what
// follows from both for all nodes alike.
type rollout struct {
	set         *appsv1.DaemonSet
	hash        string // of the revision that new Pods are of
	template    *corev1.PodTemplateSpec
	selector    labels.Selector
	allowsSurge bool // a new Pod is created before the old one is deleted
}

func newRollout(ds *appsv1.DaemonSet, hash string) *rollout {
	r := &rollout{
		set: ds, hash: hash, template: templateFor(ds, hash),
		selector: deployment.SelectorOf(ds.Spec.Selector),
	}
	r.allowsSurge = r.maxSurge(1) > 0
	return r
}

// maxSurge returns on how many of these nodes at once a new Pod may run beside an
// available old one. (Kubernetes: SurgeCount in
// pkg/controller/daemon/util/daemonset_util.go.)
func (r *rollout) maxSurge(nodes int) int {
	update := r.set.Spec.UpdateStrategy
	if !isRolling(r.set) || update.RollingUpdate == nil {
		return 0
	}
	return scaledValue(update.RollingUpdate.MaxSurge, nodes)
}

// maxUnavailable returns on how many of these nodes at once no Pod need be
// available: at least one, or an update without surge would never begin.
func (r *rollout) maxUnavailable(nodes int) int {
	update := r.set.Spec.UpdateStrategy
	if update.RollingUpdate == nil {
		return 1
	}
	return max(1, scaledValue(update.RollingUpdate.MaxUnavailable, nodes))
}

// scaledValue returns a number of nodes, or a percentage of them rounded up. Text
// that is neither was refused when the set was written.
func scaledValue(value *intstr.IntOrString, nodes int) int {
	if value == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, nodes, true)
	if err != nil {
		return 0
	}
	return n
}

func isRolling(ds *appsv1.DaemonSet) bool {
	return ds.Spec.UpdateStrategy.Type ==
		appsv1.RollingUpdateDaemonSetStrategyType
}
