package daemonset

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// DaemonSets keeps a Pod of each DaemonSet on every node that should run one.
// (Kubernetes: pkg/controller/daemon/daemon_controller.go.)
type DaemonSets struct {
	Client            controlloop.Client
	Sets, Pods, Nodes *controlloop.Indexer
	Recorder          controlloop.Recorder
	History           *History
	// A reconcile may both create and delete; the next waits until the cache has
	// seen all of it.
	Creations, Deletions *deployment.Expectations

	backoffs backoffs // of Pods that failed
}

// NewDaemonSets returns the controller that reconciles the DaemonSets of a
// system.
func NewDaemonSets(s *controlloop.System) *controlloop.Controller {
	informer := func(kind schema.GroupVersionKind) *controlloop.Informer {
		return s.Informer(kind, controlloop.ListOptions{})
	}
	sets, pods := informer(DaemonSetKind), informer(controlloop.PodKind)
	nodes := informer(controlloop.NodeKind)
	d := &DaemonSets{
		Client: s.Client,
		Sets:   sets.Cache, Pods: pods.Cache, Nodes: nodes.Cache,
		Recorder:  s.RecorderFor("daemonset-controller", ""),
		History:   historyOfDaemonSets(s),
		Creations: deployment.NewExpectations(),
		Deletions: deployment.NewExpectations(),
	}
	d.Pods.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	d.Pods.AddIndex(deployment.Orphans, deployment.OrphanIn)
	c := controlloop.NewController("daemonset", d)
	c.Workers = 2
	s.Add(c)
	pods.Handle(d.observer()) // before the key is added: it may act at once
	sets.Handle(controlloop.Handler{OnDelete: func(ds controlloop.Object) {
		d.Creations.Forget(ds.GetUID())
		d.Deletions.Forget(ds.GetUID())
	}})
	c.Watch(sets, controlloop.Self)
	c.Watch(pods, d.setsOf)
	c.Watch(nodes, d.setsOn)
	c.Watch(revisionsOf(s), d.setOfRevision)
	return c
}

// observer lowers the expectations of the set whose Pod is added or deleted.
func (d *DaemonSets) observer() controlloop.Handler {
	deleted := func(pod controlloop.Object) {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
			d.Deletions.Deleted(owner.UID, pod.GetUID())
		}
	}
	return controlloop.Handler{
		OnAdd: func(pod controlloop.Object) {
			if pod.GetDeletionTimestamp() != nil {
				deleted(pod) // its creation was missed; this is its deletion
			} else if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
				d.Creations.Created(owner.UID)
			}
		},
		OnUpdate: func(_, pod controlloop.Object) {
			if pod.GetDeletionTimestamp() != nil {
				deleted(pod)
			}
		},
		OnDelete: deleted,
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

// setsOn returns the sets that a node's event may concern: those that have a Pod
// where none should run, or none where one should, and those that have counted
// such a Pod; so a heartbeat concerns none. (Kubernetes: syncNodeUpdate, which
// leaves out a Pod that may stay, and a node that was deleted.)
func (d *DaemonSets) setsOn(of controlloop.Object) (keys []controlloop.Key) {
	obj, exists := d.Nodes.Get(controlloop.KeyOf(of))
	for _, set := range d.Sets.List() {
		ds := set.(*appsv1.DaemonSet)
		if exists && ds.Status.NumberMisscheduled == 0 {
			shouldRun, _ := nodeShouldRunPod(
				&templateFor(ds, "").Spec, obj.(*corev1.Node))
			if shouldRun == d.isOn(ds, of.GetName()) {
				continue
			}
		}
		keys = append(keys, controlloop.KeyOf(ds))
	}
	return keys
}

// isOn reports whether a set has a Pod on a node, or for it.
func (d *DaemonSets) isOn(ds *appsv1.DaemonSet, node string) bool {
	pods := d.Pods.Lookup(controlloop.ByOwner, string(ds.UID))
	return slices.ContainsFunc(pods, func(pod controlloop.Object) bool {
		return targetNode(pod.(*corev1.Pod)) == node
	})
}

// claimPods returns the set's Pods, after it has adopted orphans like them.
func (d *DaemonSets) claimPods(
	ctx context.Context, r *rollout,
) ([]*corev1.Pod, error) {
	owned := d.Pods.Lookup(controlloop.ByOwner, string(r.set.UID))
	free := d.Pods.Lookup(deployment.Orphans, r.set.Namespace)
	return deployment.Claim(ctx, &deployment.Claims{
		Client: d.Client, Kind: DaemonSetKind, Owner: r.set,
		Selector: r.selector,
	}, deployment.OfType[*corev1.Pod](slices.Concat(owned, free)))
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
