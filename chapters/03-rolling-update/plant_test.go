package rollingupdate_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// counted is a client that counts the calls it gets.
type counted struct {
	*controlloop.Store
	reads int
}

func (c *counted) Get(ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key) (controlloop.Object, error) {
	c.reads++
	return c.Store.Get(ctx, kind, key)
}

func (c *counted) List(ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions) (controlloop.List, error) {
	c.reads++
	return c.Store.List(ctx, kind, opts)
}

// plant is a store with the controllers of Deployments and ReplicaSets, and
// nodes on which Pods become ready when they are told to.
type plant struct {
	tb      testing.TB
	store   *controlloop.Store
	client  *counted
	system  *controlloop.System
	control *controlloop.Controller // of Deployments
	written int                     // all writes
	byNodes int                     // those of the nodes

	took      time.Duration // the controllers' time
	allocated uint64
}

func newPlant(tb testing.TB) *plant {
	p := &plant{tb: tb}
	p.store = controlloop.NewStore(allKinds(), controlloop.WithHistory(100_000),
		controlloop.OnWrite(func(controlloop.Write) { p.written++ }))
	p.client = &counted{Store: p.store}
	p.system = &controlloop.System{Client: p.client}
	p.control = rollingupdate.NewDeployments(p.system)
	deployment.NewReplicaSets(p.system)
	return p
}

// rest lets the controllers come to rest.
func (p *plant) rest() {
	p.tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	defer func() {
		p.took += time.Since(began)
		runtime.ReadMemStats(&after)
		p.allocated += after.Mallocs - before.Mallocs
	}()
	for {
		more, err := p.system.Step(context.Background(), controlloop.InOrder)
		if err != nil {
			p.tb.Fatal(err)
		}
		if !more {
			return
		}
	}
}

func (p *plant) add(d *appsv1.Deployment) {
	p.tb.Helper()
	if _, err := p.store.Create(context.Background(), d); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *plant) all(kind schema.GroupVersionKind) []controlloop.Object {
	p.tb.Helper()
	list, err := p.store.List(context.Background(), kind, controlloop.ListOptions{})
	if err != nil {
		p.tb.Fatal(err)
	}
	return list.Items
}

// work does the work of the nodes: each Pod becomes ready, or is gone. It
// reports whether there was any.
func (p *plant) work() bool {
	p.tb.Helper()
	before := p.written
	for _, obj := range p.all(controlloop.PodKind) {
		pod := obj.(*corev1.Pod)
		var err error
		switch {
		case pod.DeletionTimestamp != nil:
			err = p.store.Delete(context.Background(), controlloop.PodKind,
				controlloop.KeyOf(pod), *metav1.NewDeleteOptions(0))
		case !kubetest.Ready(pod):
			err = p.start(pod)
		}
		if err != nil {
			p.tb.Fatal(err)
		}
	}
	p.byNodes += p.written - before
	return p.written > before
}

func (p *plant) start(pod *corev1.Pod) error {
	ctx := context.Background()
	err := p.store.Bind(ctx, controlloop.NewBinding(pod, "node-1"))
	if err != nil {
		return err
	}
	bound, err := p.store.Get(ctx, controlloop.PodKind, controlloop.KeyOf(pod))
	if err != nil {
		return err
	}
	ready := controlloop.Copy(bound.(*corev1.Pod))
	ready.Status.Phase = corev1.PodRunning
	ready.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.Now().Rfc3339Copy(),
	}}
	_, err = p.store.UpdateStatus(ctx, ready)
	return err
}

// edit changes the Deployment, as a user would.
func (p *plant) edit(change func(*appsv1.Deployment)) {
	p.tb.Helper()
	obj, err := p.store.Get(context.Background(), deployment.DeploymentKind, kubetest.Named("web"))
	if err != nil {
		p.tb.Fatal(err)
	}
	next := controlloop.Copy(obj.(*appsv1.Deployment))
	change(next)
	if _, err := p.store.Update(context.Background(), next); err != nil {
		p.tb.Fatal(err)
	}
	p.byNodes++ // a user's, not a controller's
}

// roll changes the image and lets all happen until nothing does. It returns
// how many writes that required of the controllers.
func (p *plant) roll(image string) (required int) {
	p.tb.Helper()
	before := p.snapshot()
	p.edit(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = image })
	for {
		p.rest()
		after := p.snapshot()
		required += after.requires(before)
		if !p.work() {
			return required
		}
		before = p.snapshot()
	}
}

// snapshot holds all objects while the controllers rest.
type snapshot map[types.UID]controlloop.Object

func (p *plant) snapshot() snapshot {
	all := snapshot{}
	for _, kind := range []schema.GroupVersionKind{
		deployment.DeploymentKind, deployment.ReplicaSetKind, controlloop.PodKind,
	} {
		for _, obj := range p.all(kind) {
			all[obj.GetUID()] = obj
		}
	}
	return all
}

// requires returns how many writes are indispensable to controllers that come
// to rest here, and have come to rest there before: one for each Pod that was
// created or told to end, one for each ReplicaSet that came or got another
// size, one for each status that is another. With n Pods, of which about a half
// are replaced at a time, that is 2n and a dozen.
func (s snapshot) requires(before snapshot) (n int) {
	for uid, obj := range s {
		was := before[uid]
		switch obj := obj.(type) {
		case *corev1.Pod:
			if was == nil || obj.DeletionTimestamp != nil && was.GetDeletionTimestamp() == nil {
				n++
			}
		case *appsv1.ReplicaSet:
			old, _ := was.(*appsv1.ReplicaSet)
			if old == nil {
				n++
				old = &appsv1.ReplicaSet{}
			} else if *old.Spec.Replicas != *obj.Spec.Replicas {
				n++
			}
			if !equality.Semantic.DeepEqual(old.Status, obj.Status) {
				n++
			}
		case *appsv1.Deployment:
			if !equality.Semantic.DeepEqual(was.(*appsv1.Deployment).Status, obj.Status) {
				n++
			}
		}
	}
	return n
}
