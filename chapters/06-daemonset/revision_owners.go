package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
)

// historyOfDaemonSets names revisions as Deployments name their ReplicaSets: by
// a hash of the template.
func historyOfDaemonSets(s *controlloop.System) *History {
	h := newHistory(s, DaemonSetKind, appsv1.DefaultDaemonSetUniqueLabelKey)
	h.hash = func(
		owner controlloop.Object, template *corev1.PodTemplateSpec, _ []byte,
	) string {
		return deployment.TemplateHash(template, *collisionsOf(owner))
	}
	return h
}

// historyOfStatefulSets names revisions by a hash of what they remember. It is
// the whole name that a Pod bears, and not the hash alone.
func historyOfStatefulSets(s *controlloop.System) *History {
	h := newHistory(s, statefulset.StatefulSetKind, hashOfRevision)
	h.hash = func(
		owner controlloop.Object, _ *corev1.PodTemplateSpec, data []byte,
	) string {
		count := *collisionsOf(owner)
		if count == nil {
			count = new(int32)
		}
		return dataHash(data, *count)
	}
	return h
}
