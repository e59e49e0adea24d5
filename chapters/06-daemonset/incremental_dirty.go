package daemonset

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// byNode is the index of Pods by node: those that one set has on one node, and
// those in one namespace on one node that have no owner.
const byNode = "node and owner"

// ofNode indexes Pods by byNode.
func ofNode(obj controlloop.Object) []string {
	pod := obj.(*corev1.Pod)
	owner := metav1.GetControllerOfNoCopy(pod)
	switch {
	case owner == nil:
		return []string{pod.Namespace + "@" + targetNode(pod)}
	case owner.Kind == DaemonSetKind.Kind:
		return []string{string(owner.UID) + "@" + targetNode(pod)}
	}
	return nil
}

// markDirty marks a Pod's node dirty for the sets that the Pod concerns.
func (inc *incremental) markDirty(pod controlloop.Object) {
	for _, key := range inc.setsOf(pod) {
		if s := inc.cached(key); s != nil {
			s.dirty.Add(targetNode(pod.(*corev1.Pod)))
		}
	}
}

// setsOn marks a node dirty for the sets whose surveys are not current, and returns
// them. A heartbeat concerns none.
func (inc *incremental) setsOn(obj controlloop.Object) []controlloop.Key {
	name := obj.GetName()
	now := inc.node(name)
	var keys []controlloop.Key
	for _, key := range inc.everySet(obj) {
		s := inc.cached(key)
		if s == nil || s.isCurrent(name, now) {
			continue // without a survey, every node is still to be read
		}
		s.dirty.Add(name)
		keys = append(keys, key)
	}
	return keys
}

// listen invalidates the survey of a set when one of its revisions changes, and at
// a resync.
func (inc *incremental) listen(system *controlloop.System) {
	sets := system.Informer(DaemonSetKind, controlloop.ListOptions{})
	sets.Handle(controlloop.Handler{OnUpdate: func(old, ds controlloop.Object) {
		if old.GetResourceVersion() == ds.GetResourceVersion() {
			inc.invalidate(controlloop.KeyOf(ds))
		}
	}})
	changed := func(r controlloop.Object) {
		if key, ok := controlloop.ControllerKey(r, DaemonSetKind); ok {
			inc.invalidate(key)
		}
	}
	revisionsOf(system).Handle(controlloop.Handler{
		OnAdd:    changed,
		OnUpdate: func(old, r controlloop.Object) { changed(old); changed(r) },
		OnDelete: changed,
	})
}

// invalidate makes the survey of a set stale.
func (inc *incremental) invalidate(key controlloop.Key) {
	if s := inc.cached(key); s != nil {
		s.stale.Store(true)
	}
}
