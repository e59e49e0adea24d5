package rollingupdate_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// chronicle is a history that is being lived.
type chronicle struct {
	seed uint64
	rand *rand.Rand
	t    *testing.T
	c    *kubetest.Cluster
	log  []string

	// calm says that nothing happens to Pods that were ready, that size and bounds
	// stay, that ready is available, and that the caches are never late. Then the
	// bounds hold for Pods too. (Where Pods have to be ready for a while to count,
	// they do not, here and in Kubernetes: a ReplicaSet that shrinks may keep a Pod
	// that is ready but does not count yet, because its node is less crowded.)
	calm bool
	// late says that the caches are behind at times.
	late  bool
	held  map[schema.GroupVersionKind]bool // events of these kinds do not come through
	since time.Time                        // events of Pods have not come through since

	acting bool               // the test itself writes
	look   *look              // the look of the Deployments' controller, while it lasts
	world  mirror             // the contents of the store
	firm   map[types.UID]bool // belongs to strangers; must stay as it is
}

// mirror is a copy of the store, which invariants cannot ask.
type mirror struct {
	deployment *appsv1.Deployment
	sets       map[types.UID]*appsv1.ReplicaSet
	largest    map[types.UID]int32 // the largest size that a ReplicaSet ever had
	pods       map[types.UID]*corev1.Pod
	complete   bool // it has once been as it was wanted first
}

// begin makes the cluster and, mostly, lets the Deployment become complete.
func (h *chronicle) begin(t *testing.T) {
	h.t = t
	h.calm = h.rand.IntN(3) == 0
	h.late = !h.calm && h.rand.IntN(3) == 0
	h.held = map[schema.GroupVersionKind]bool{}
	h.firm = map[types.UID]bool{}
	h.world.sets = map[types.UID]*appsv1.ReplicaSet{}
	h.world.largest = map[types.UID]int32{}
	h.world.pods = map[types.UID]*corev1.Pod{}
	h.c = kubetest.New(t, kubetest.Setup{
		Kinds:       allKinds(),
		Controllers: []kubetest.Controller{h.deployments, deployment.NewReplicaSets},
		Seed:        h.seed,
		Options:     []controlloop.Option{controlloop.WithSeed(h.seed)},
		Invariants:  []kubetest.Invariant{h.check},
	})
	h.strangers()
	d := web("web", int32(h.rand.IntN(21)), bounds(h.anyBounds()))
	if h.calm && *d.Spec.Replicas == 0 {
		d.Spec.Replicas = new(int32(1))
	}
	d.Spec.RevisionHistoryLimit = new(int32(h.rand.IntN(4)))
	d.Spec.ProgressDeadlineSeconds = new([]int32{60, 600}[h.rand.IntN(2)])
	if h.rand.IntN(4) == 0 && !h.calm {
		d.Spec.MinReadySeconds = int32(h.rand.IntN(10))
	}
	h.act(func() { kubetest.Create(h.c, d) })
	h.sayf("created, %d replicas, %s; calm %t, late %t",
		*d.Spec.Replicas, boundsSaid(d), h.calm, h.late)
	h.settle()
	if h.calm || h.rand.IntN(4) > 0 {
		h.everyoneReady()
		h.world.complete = true
	}
}

// strangers makes a ReplicaSet and a Pod that have the labels of the
// Deployment's and belong to another owner.
func (h *chronicle) strangers() {
	other := metav1.OwnerReference{
		APIVersion: "example.com/v1", Kind: "Other", Name: "other", UID: "other",
		Controller: new(true),
	}
	template := web("web", 0).Spec.Template
	pod := kubetest.Pod("stranger")
	pod.Labels, pod.Spec = template.Labels, template.Spec
	rs := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "stranger", Labels: template.Labels},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32(0)), Template: template,
			Selector: &metav1.LabelSelector{MatchLabels: template.Labels},
		},
	}
	h.act(func() {
		for _, obj := range []controlloop.Object{pod, rs} {
			obj.SetOwnerReferences([]metav1.OwnerReference{other})
			stored := kubetest.Create(h.c, obj)
			h.firm[stored.GetUID()] = true
		}
	})
}

func (*chronicle) ctx() context.Context { return context.Background() }

// act calls do, whose writes are the test's own.
func (h *chronicle) act(do func()) {
	h.acting = true
	defer func() { h.acting = false }()
	do()
}

// settle lets the controllers come to rest. Sometimes it gives them no time.
func (h *chronicle) settle() {
	if h.rand.IntN(8) == 0 {
		h.sayf("at once")
		return
	}
	h.c.Advance(time.Duration(h.rand.IntN(3000)) * time.Millisecond)
}

// deployments returns the controller of Deployments, with an observer that
// looks over its shoulder, and caches that can be held back.
func (h *chronicle) deployments(s *controlloop.System) *controlloop.Controller {
	s.Client = holding{s.Client, h}
	c := rollingupdate.NewDeployments(s)
	c.Reconciler = &overseen{c.Reconciler, s, h}
	return c
}

// overseen is a Reconciler whose view is recorded.
type overseen struct {
	controlloop.Reconciler
	system  *controlloop.System
	history *chronicle
}

// Reconcile implements controlloop.Reconciler.
func (o *overseen) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	cache := func(kind schema.GroupVersionKind) *controlloop.Indexer {
		return o.system.Informer(kind, controlloop.ListOptions{}).Cache
	}
	obj, ok := cache(deployment.DeploymentKind).Get(key)
	if !ok {
		return o.Reconciler.Reconcile(ctx, key)
	}
	o.history.look = newLook(obj.(*appsv1.Deployment),
		cache(deployment.ReplicaSetKind).Lookup(controlloop.ByOwner, string(obj.GetUID())))
	defer func() { o.history.look = nil }()
	result, err := o.Reconciler.Reconcile(ctx, key)
	if err == nil {
		if err := o.history.look.shared(); err != nil {
			o.history.t.Errorf("seed %d: %v", o.history.seed, err)
		}
	}
	return result, err
}

// holding is a client whose watches can be made to wait.
type holding struct {
	controlloop.Client
	history *chronicle
}

// Watch implements controlloop.Client.
func (c holding) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := c.Client.Watch(ctx, kind, opts)
	return heldWatch{w, kind, c.history}, err
}

type heldWatch struct {
	controlloop.Watch
	kind    schema.GroupVersionKind
	history *chronicle
}

// TryNext implements controlloop.Watch.
func (w heldWatch) TryNext() (watch.Event, bool, error) {
	if w.history.held[w.kind] {
		return watch.Event{}, false, nil
	}
	return w.Watch.TryNext()
}
