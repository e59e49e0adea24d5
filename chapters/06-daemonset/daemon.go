package daemonset

import (
	"context"
	"errors"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// burst is how many nodes of a set are given or lose a Pod at one look.
const burst = 250

// DaemonSets keeps a Pod of each DaemonSet on every node that is meant.
type DaemonSets struct {
	Client            controlloop.Client
	Sets, Pods, Nodes *controlloop.Indexer
	Recorder          controlloop.Recorder
	History           *History
	// One look may create and delete, and waits until it has heard of both.
	Coming, Going *deployment.Expectations

	mu      sync.Mutex
	ledgers map[controlloop.Key]*ledger
}

// NewDaemonSets returns the controller that reconciles the DaemonSets of a
// system. (Kubernetes: pkg/controller/daemon/daemon_controller.go.)
func NewDaemonSets(s *controlloop.System) *controlloop.Controller {
	sets := s.Informer(DaemonSetKind, controlloop.ListOptions{})
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	nodes := s.Informer(controlloop.NodeKind, controlloop.ListOptions{})
	sets.Cache.AddIndex(everySet, func(controlloop.Object) []string {
		return []string{""}
	})
	pods.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	pods.Cache.AddIndex(deployment.Orphans, deployment.OrphanIn)
	pods.Cache.AddIndex(byPage, pageOf)
	d := &DaemonSets{
		Client: s.Client, Sets: sets.Cache, Pods: pods.Cache,
		Nodes:    nodes.Cache,
		Recorder: s.RecorderFor("daemonset-controller", ""),
		History:  historyOfDaemonSets(s),
		Coming:   deployment.NewExpectations(),
		Going:    deployment.NewExpectations(),
		ledgers:  map[controlloop.Key]*ledger{},
	}
	c := controlloop.NewController("daemonset", d)
	c.Workers = 2
	s.Add(c)
	sets.Handle(d.reminder())
	pods.Handle(d.observer()) // before the key is added: it may act at once
	c.Watch(sets, controlloop.Self)
	c.Watch(pods, d.setsOf)
	c.Watch(nodes, d.setsOn)
	c.Watch(revisionsOf(s), d.setOfRevision)
	return c
}

// Reconcile implements controlloop.Reconciler. A set that is about to go is left
// alone: what becomes of its Pods is the garbage collector's business.
func (d *DaemonSets) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	none := controlloop.Result{}
	obj, ok := d.Sets.Get(key)
	if !ok {
		d.forget(key)
		return none, nil
	}
	ds := obj.(*appsv1.DaemonSet)
	if ds.DeletionTimestamp != nil {
		return none, nil
	}
	l := d.open(key, ds)
	wait := d.wait(ds) // before the pages are read: what is heard later is late
	if known, err := d.revise(ctx, l, ds); !known {
		return none, err
	}
	if err := d.read(ctx, l); err != nil {
		return none, err
	}
	var failure error
	if wait == 0 {
		failure = d.manage(ctx, l, ds)
	}
	err := d.report(ctx, l, ds, wait == 0)
	return controlloop.Result{After: controlloop.Sooner(wait, l.nextDue())},
		errors.Join(failure, err)
}

// wait returns how long a set has to wait before it may act: 0 when all that it
// has written has been heard of.
func (d *DaemonSets) wait(ds *appsv1.DaemonSet) time.Duration {
	return max(d.Coming.Wait(ds.UID), d.Going.Wait(ds.UID))
}

// manage does what is due on single nodes. When nothing is, and only then, an
// update goes on: it counts on the others to be as they should.
func (d *DaemonSets) manage(
	ctx context.Context, l *ledger, ds *appsv1.DaemonSet,
) error {
	p := d.due(l, ds)
	if p.isEmpty() && isRolling(ds) {
		p = l.roll()
	}
	err := errors.Join(
		d.create(ctx, l, ds, p.create), d.remove(ctx, ds, p.remove))
	if err != nil {
		return err
	}
	return d.dropRevisions(ctx, l, ds)
}

func isRolling(ds *appsv1.DaemonSet) bool {
	return ds.Spec.UpdateStrategy.Type ==
		appsv1.RollingUpdateDaemonSetStrategyType
}
