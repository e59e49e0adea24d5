package controlloop

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// plan says which Pods to delete and how many to create.
type plan struct {
	create int
	remove []*corev1.Pod
}

func (p plan) empty() bool { return p.create == 0 && len(p.remove) == 0 }

// planFor compares the Pods that rc owns with the number it wants. Pods that
// have ended, or are about to, do not count. Of too many, those go first that
// are of least use: not ready before ready, then by name.
//
//book:exercise 1b
func planFor(rc *corev1.ReplicationController, pods []*corev1.Pod) plan {
	active := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool {
		return HasEnded(p) || p.DeletionTimestamp != nil
	})
	surplus := len(active) - int(*rc.Spec.Replicas)
	if surplus <= 0 {
		return plan{create: -surplus}
	}
	slices.SortFunc(active, func(a, b *corev1.Pod) int {
		if ready := IsReady(a); ready != IsReady(b) {
			if ready {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return plan{remove: active[:surplus]}
}
