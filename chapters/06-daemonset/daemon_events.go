package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// observer calls changed with a Pod that is added, updated or deleted, and then
// lowers the expectations of its set. The other way round, a reconcile that expects
// nothing any more might act on nodes that are not marked dirty yet.
func (d *DaemonSets) observer(
	changed func(controlloop.Object),
) controlloop.Handler {
	deleted := func(pod controlloop.Object) {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
			d.Deletions.Deleted(owner.UID, pod.GetUID())
		}
	}
	return controlloop.Handler{
		OnAdd: func(pod controlloop.Object) {
			changed(pod)
			if pod.GetDeletionTimestamp() != nil {
				deleted(pod) // its creation was missed; this is its deletion
			} else if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
				d.Creations.Created(owner.UID)
			}
		},
		OnUpdate: func(old, pod controlloop.Object) {
			changed(old)
			changed(pod)
			if pod.GetDeletionTimestamp() != nil {
				deleted(pod)
			}
		},
		OnDelete: func(pod controlloop.Object) {
			changed(pod)
			deleted(pod)
		},
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

// everySet returns all sets, whichever node has changed.
func (d *DaemonSets) everySet(controlloop.Object) (keys []controlloop.Key) {
	for _, set := range d.Sets.List() {
		keys = append(keys, controlloop.KeyOf(set))
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

// claims returns what a set claims: its own Pods, and orphans like them.
func (d *DaemonSets) claims(e *rollout) *deployment.Claims {
	return &deployment.Claims{
		Client: d.Client, Kind: DaemonSetKind, Owner: e.set,
		Selector: e.selector,
	}
}

// setOfRevision returns the set that has lost a revision. A revision that is added
// or updated is read when the set is reconciled next: most are its own.
// (Kubernetes: deleteHistory in pkg/controller/daemon/daemon_controller.go.)
func (d *DaemonSets) setOfRevision(r controlloop.Object) []controlloop.Key {
	key, ok := controlloop.ControllerKey(r, DaemonSetKind)
	if !ok {
		return nil
	}
	if _, there := d.History.Revisions.Get(controlloop.KeyOf(r)); there {
		return nil
	}
	return []controlloop.Key{key}
}
