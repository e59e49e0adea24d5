package daemonset

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// burst is how many nodes of a set may be planned for in one reconcile.
// (Kubernetes: BurstReplicas in pkg/controller/daemon/daemon_controller.go.)
const burst = 250

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

	surveyor surveyor
}

// surveyor reads the state of sets on all nodes.
type surveyor interface {
	// survey returns the state of a set, or nil if its revision is not known yet:
	// Pods that are being relabelled requeue the set.
	survey(ctx context.Context, ds *appsv1.DaemonSet) (*survey, error)
	// requeueAfter returns how long it takes until time alone changes that state;
	// 0: it does not.
	requeueAfter(s *survey) time.Duration
	// forget drops what is remembered of a set that was deleted.
	forget(key controlloop.Key)
}

// NewDaemonSets returns the controller that reconciles the DaemonSets of a
// system, and walks over all nodes each time that it does.
func NewDaemonSets(s *controlloop.System) *controlloop.Controller {
	d := newDaemonSets(s)
	d.surveyor = &walk{DaemonSets: d, surveys: map[controlloop.Key]*survey{}}
	return d.watch(s, func(controlloop.Object) {}, d.everySet)
}

func newDaemonSets(s *controlloop.System) *DaemonSets {
	cache := func(kind schema.GroupVersionKind) *controlloop.Indexer {
		return s.Informer(kind, controlloop.ListOptions{}).Cache
	}
	d := &DaemonSets{
		Client: s.Client, Sets: cache(DaemonSetKind),
		Pods: cache(controlloop.PodKind), Nodes: cache(controlloop.NodeKind),
		Recorder:  s.RecorderFor("daemonset-controller", ""),
		History:   historyOfDaemonSets(s),
		Creations: deployment.NewExpectations(),
		Deletions: deployment.NewExpectations(),
	}
	d.Pods.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	d.Pods.AddIndex(deployment.Orphans, deployment.OrphanIn)
	return d
}

// watch makes the controller. changed is called with each Pod that is added,
// updated or deleted, and setsOn returns the sets that a node concerns.
func (d *DaemonSets) watch(
	s *controlloop.System, changed func(pod controlloop.Object),
	setsOn func(node controlloop.Object) []controlloop.Key,
) *controlloop.Controller {
	c := controlloop.NewController("daemonset", d)
	c.Workers = 2
	s.Add(c)
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	pods.Handle(d.observer(changed)) // before the key is added: it may act at once
	c.Watch(s.Informer(DaemonSetKind, controlloop.ListOptions{}), controlloop.Self)
	c.Watch(pods, d.setsOf)
	c.Watch(s.Informer(controlloop.NodeKind, controlloop.ListOptions{}), setsOn)
	c.Watch(revisionsOf(s), d.setOfRevision)
	return c
}

// Reconcile implements controlloop.Reconciler. A set that is being deleted is left
// alone: its Pods are the garbage collector's business.
func (d *DaemonSets) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	none := controlloop.Result{}
	obj, ok := d.Sets.Get(key)
	if !ok {
		d.surveyor.forget(key)
		return none, nil
	}
	ds := obj.(*appsv1.DaemonSet)
	if ds.DeletionTimestamp != nil {
		return none, nil
	}
	wait := d.wait(ds) // before the survey, which may have read more by its end
	s, err := d.surveyor.survey(ctx, ds)
	if s == nil || err != nil {
		return none, err
	}
	var failure error
	if wait == 0 {
		failure = d.manage(ctx, s, ds)
	}
	err = d.updateStatus(ctx, s, ds, wait == 0)
	after := d.surveyor.requeueAfter(s)
	return controlloop.Result{After: controlloop.Sooner(wait, after)},
		errors.Join(failure, err)
}

// wait returns how long a set has to wait before it may act: 0 when the cache has
// seen all that was written for it.
func (d *DaemonSets) wait(ds *appsv1.DaemonSet) time.Duration {
	return max(d.Creations.Wait(ds.UID), d.Deletions.Wait(ds.UID))
}

// manage does what single nodes need. When none needs anything, and only then, an
// update goes on: it relies on each node having its Pod.
func (d *DaemonSets) manage(
	ctx context.Context, s *survey, ds *appsv1.DaemonSet,
) error {
	p := d.planNodes(s, ds)
	if p.isEmpty() && isRolling(ds) {
		p = s.rollingUpdate()
	}
	err := errors.Join(
		d.createPods(ctx, s, ds, p.nodesNeedingPods),
		d.deletePods(ctx, ds, p.podsToDelete))
	if err != nil {
		return err
	}
	return d.cleanupHistory(ctx, s, ds)
}

func isRolling(ds *appsv1.DaemonSet) bool {
	return ds.Spec.UpdateStrategy.Type ==
		appsv1.RollingUpdateDaemonSetStrategyType
}
