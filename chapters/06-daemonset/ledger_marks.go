package daemonset

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// byNode is the index of the Pods that an entry is about: those that one set
// has on one node, and those in one namespace on one node that have no owner.
const byNode = "node and owner"

// ofNode indexes Pods by byNode.
func ofNode(obj controlloop.Object) []string {
	pod := obj.(*corev1.Pod)
	owner := metav1.GetControllerOfNoCopy(pod)
	switch {
	case owner == nil:
		return []string{pod.Namespace + "@" + target(pod)}
	case owner.Kind == DaemonSetKind.Kind:
		return []string{string(owner.UID) + "@" + target(pod)}
	}
	return nil
}

// mark has the sets that a Pod concerns look at the entry of its node.
func (all *ledgers) mark(pod controlloop.Object) {
	for _, key := range all.setsOf(pod) {
		if l := all.ledger(key); l != nil {
			l.marks.Add(target(pod.(*corev1.Pod)))
		}
	}
}

// setsOn returns the sets whose ledgers say something else of a node than is
// true by now, and marks its entry. A heartbeat concerns none.
func (all *ledgers) setsOn(obj controlloop.Object) []controlloop.Key {
	name := obj.GetName()
	now := all.node(name)
	var keys []controlloop.Key
	for _, key := range all.everySet(obj) {
		l := all.ledger(key)
		if l == nil || l.knows(name, now) {
			continue // one without a ledger is to look at everything yet
		}
		l.marks.Add(name)
		keys = append(keys, key)
	}
	return keys
}

// listen has a set look at everything whose revisions change, or that is heard
// of without news.
func (all *ledgers) listen(s *controlloop.System) {
	sets := s.Informer(DaemonSetKind, controlloop.ListOptions{})
	sets.Handle(controlloop.Handler{OnUpdate: func(old, ds controlloop.Object) {
		if old.GetResourceVersion() == ds.GetResourceVersion() {
			all.doubt(controlloop.KeyOf(ds))
		}
	}})
	changed := func(r controlloop.Object) {
		if key, ok := controlloop.ControllerKey(r, DaemonSetKind); ok {
			all.doubt(key)
		}
	}
	revisionsOf(s).Handle(controlloop.Handler{
		OnAdd:    changed,
		OnUpdate: func(old, r controlloop.Object) { changed(old); changed(r) },
		OnDelete: changed,
	})
}

func (all *ledgers) doubt(key controlloop.Key) {
	if l := all.ledger(key); l != nil {
		l.doubted.Store(true)
	}
}
