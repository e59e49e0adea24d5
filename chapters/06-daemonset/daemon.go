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

// burst is how many nodes of a set are given or lose a Pod at one look.
const burst = 250

// DaemonSets keeps a Pod of each DaemonSet on every node that is meant.
// (Kubernetes: pkg/controller/daemon/daemon_controller.go.)
type DaemonSets struct {
	Client            controlloop.Client
	Sets, Pods, Nodes *controlloop.Indexer
	Recorder          controlloop.Recorder
	History           *History
	// One look may create and delete, and waits until it has heard of both.
	Coming, Going *deployment.Expectations

	surveyor surveyor
}

// surveyor finds out how sets stand on their nodes.
type surveyor interface {
	// look returns how a set stands, or nil if its revision is not known yet:
	// Pods that are about to change bring the set back.
	look(ctx context.Context, ds *appsv1.DaemonSet) (*survey, error)
	// due returns how long it takes until time alone changes that; 0: it does
	// not.
	due(s *survey) time.Duration
	// forget is told that a set is gone.
	forget(key controlloop.Key)
}

// NewDaemonSets returns the controller that reconciles the DaemonSets of a
// system, and at each look at a set walks over all nodes.
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
		Recorder: s.RecorderFor("daemonset-controller", ""),
		History:  historyOfDaemonSets(s),
		Coming:   deployment.NewExpectations(),
		Going:    deployment.NewExpectations(),
	}
	d.Pods.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	d.Pods.AddIndex(deployment.Orphans, deployment.OrphanIn)
	return d
}

// watch makes the controller. changed is told of each Pod to which something
// happens, and setsOn returns the sets that a node concerns.
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

// Reconcile implements controlloop.Reconciler. A set that is about to go is
// left alone: what becomes of its Pods is the garbage collector's business.
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
	wait := d.wait(ds) // before the look: what is heard later is late
	s, err := d.surveyor.look(ctx, ds)
	if s == nil || err != nil {
		return none, err
	}
	var failure error
	if wait == 0 {
		failure = d.manage(ctx, s, ds)
	}
	err = d.report(ctx, s, ds, wait == 0)
	due := d.surveyor.due(s)
	return controlloop.Result{After: controlloop.Sooner(wait, due)},
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
	ctx context.Context, s *survey, ds *appsv1.DaemonSet,
) error {
	p := d.due(s, ds)
	if p.isEmpty() && isRolling(ds) {
		p = s.roll()
	}
	err := errors.Join(
		d.create(ctx, s, ds, p.create), d.remove(ctx, ds, p.remove))
	if err != nil {
		return err
	}
	return d.dropRevisions(ctx, s, ds)
}

func isRolling(ds *appsv1.DaemonSet) bool {
	return ds.Spec.UpdateStrategy.Type ==
		appsv1.RollingUpdateDaemonSetStrategyType
}
