package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// everySet is the index by which all sets are found, in no order.
const everySet = "every set"

// byPage is the index of the Pods that a page is about: those that one set has
// on one node, and those that nobody has in one namespace on one node.
const byPage = "page"

// pageOf is the IndexFunc of byPage.
func pageOf(obj controlloop.Object) []string {
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

// observer marks the page of a Pod to which something happens, and then lowers
// the expectations of its set. The other way round, who expects nothing any more
// might act on a page that has not been read again.
func (d *DaemonSets) observer() controlloop.Handler {
	going := func(pod controlloop.Object) {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
			d.Going.Deleted(owner.UID, pod.GetUID())
		}
	}
	return controlloop.Handler{
		OnAdd: func(pod controlloop.Object) {
			d.mark(pod)
			if pod.GetDeletionTimestamp() != nil {
				going(pod) // its life was missed; this is its end
			} else if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
				d.Coming.Created(owner.UID)
			}
		},
		OnUpdate: func(old, pod controlloop.Object) {
			d.mark(old)
			d.mark(pod)
			if pod.GetDeletionTimestamp() != nil {
				going(pod)
			}
		},
		OnDelete: func(pod controlloop.Object) {
			d.mark(pod)
			going(pod)
		},
	}
}

// mark has the sets that a Pod concerns look at the page of its node.
func (d *DaemonSets) mark(pod controlloop.Object) {
	for _, key := range d.setsOf(pod) {
		if l := d.ledger(key); l != nil {
			l.marks.Add(target(pod.(*corev1.Pod)))
		}
	}
}

// setsOf returns the set that controls a Pod or, of an orphan, all that might
// adopt it.
func (d *DaemonSets) setsOf(pod controlloop.Object) []controlloop.Key {
	if key, ok := controlloop.ControllerKey(pod, DaemonSetKind); ok {
		return []controlloop.Key{key}
	}
	if metav1.GetControllerOfNoCopy(pod) != nil {
		return nil
	}
	var keys []controlloop.Key
	for _, obj := range d.Sets.Lookup(controlloop.ByNamespace, pod.GetNamespace()) {
		selector := deployment.SelectorOf(obj.(*appsv1.DaemonSet).Spec.Selector)
		if selector.Matches(labels.Set(pod.GetLabels())) {
			keys = append(keys, controlloop.KeyOf(obj))
		}
	}
	return keys
}

// setsOn returns the sets whose ledgers say something else of a node than is
// true by now, and marks its page. A heartbeat concerns none.
func (d *DaemonSets) setsOn(obj controlloop.Object) []controlloop.Key {
	name := obj.GetName()
	now := d.node(name)
	var keys []controlloop.Key
	for _, set := range d.Sets.Lookup(everySet, "") {
		key := controlloop.KeyOf(set)
		l := d.ledger(key)
		if l == nil || l.knows(name, now) {
			continue // one without a ledger is to look at everything yet
		}
		l.marks.Add(name)
		keys = append(keys, key)
	}
	return keys
}

// node returns the node of that name, nil if there is none.
func (d *DaemonSets) node(name string) *corev1.Node {
	if obj, ok := d.Nodes.Get(controlloop.Key{Name: name}); ok {
		return obj.(*corev1.Node)
	}
	return nil
}

// setOfRevision returns the set that has lost a revision. One that comes, or
// changes, is looked at when the set is next: most are its own, and Kubernetes,
// which does not watch revisions, has all of them wait.
func (d *DaemonSets) setOfRevision(r controlloop.Object) []controlloop.Key {
	key, ok := controlloop.ControllerKey(r, DaemonSetKind)
	if !ok {
		return nil
	}
	d.doubt(key)
	if _, there := d.History.Revisions.Get(controlloop.KeyOf(r)); there {
		return nil
	}
	return []controlloop.Key{key}
}

// reminder has a set that is heard of without news look at everything.
func (d *DaemonSets) reminder() controlloop.Handler {
	return controlloop.Handler{OnUpdate: func(old, ds controlloop.Object) {
		if old.GetResourceVersion() == ds.GetResourceVersion() {
			d.doubt(controlloop.KeyOf(ds))
		}
	}}
}

func (d *DaemonSets) doubt(key controlloop.Key) {
	if l := d.ledger(key); l != nil {
		l.doubted.Store(true)
	}
}
