package address_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	address "reconcile/chapters/02-deployment/exercises/2m"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

const others = "example.com/backup" // a finalizer of others

// world is a cluster, and a provider of addresses. The controller's process can be
// killed at any act: a write to the store, or a call of the provider.
type world struct {
	*kubetest.Cluster
	t          *testing.T
	owners     map[string]string // of the addresses that are rented
	down       string            // the call of the provider that fails
	meanwhile  func()            // what others do before a write
	acts, dies int               // so far; at which it's killed, 0: never
	when       kubetest.When     // before that act is carried out, or after
	dead       bool
}

// in runs a test in a world in which nothing has happened yet.
func in(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, owners: map[string]string{}, meanwhile: func() {}}
		w.Cluster = kubetest.New(t, kubetest.Setup{
			Kinds:     controlloop.CoreKinds().With(deployment.Kinds()...),
			Namespace: "shop", DetectMutations: true,
			Controllers: []kubetest.Controller{func(s *controlloop.System) *controlloop.Controller {
				deployments := s.Informer(deployment.DeploymentKind, controlloop.ListOptions{})
				c := controlloop.NewController("addresses", w.controller(s.Client, deployments.Cache))
				s.Add(c)
				c.Watch(deployments, controlloop.Self)
				return c
			}},
		})
		test(w)
	})
}

func (w *world) controller(c controlloop.Client, cache *controlloop.Indexer) *address.Addresses {
	return &address.Addresses{Client: process{c, w}, Deployments: cache, Provider: w}
}

type process struct {
	controlloop.Client
	w *world
}

func (p process) Update(
	ctx context.Context, obj controlloop.Object,
) (stored controlloop.Object, err error) {
	p.w.meanwhile()
	if err := p.w.act("Update", func() { stored, err = p.Client.Update(ctx, obj) }); err != nil {
		return nil, err
	}
	return stored, err
}

// act carries out an act of the process, unless that is dead or the call is down.
func (w *world) act(call string, do func()) error {
	w.acts++
	w.dead = w.dead || w.acts == w.dies && w.when == kubetest.Before
	if !w.dead && w.down != call {
		do()
		if w.dead = w.acts == w.dies; !w.dead {
			return nil
		}
	}
	return errors.New(call + ": 503 Service Unavailable")
}

func (w *world) Rent(_ context.Context, owner string) (address string, err error) {
	err = w.act("Rent", func() {
		address = fmt.Sprintf("203.0.113.%d", w.acts)
		w.owners[address] = owner
	})
	return address, err
}

func (w *world) GiveBack(_ context.Context, address string) error {
	return w.act("GiveBack", func() { delete(w.owners, address) })
}

func (w *world) Rented(_ context.Context, owner string) (all []string, err error) {
	err = w.act("Rented", func() {
		for address, its := range w.owners {
			if its == owner {
				all = append(all, address)
			}
		}
	})
	return all, err
}

// has fails the test unless there are so many Deployments, and so many addresses.
func (w *world) has(deployments, addresses int, why string) {
	w.t.Helper()
	all := kubetest.All[*appsv1.Deployment](w.Cluster, deployment.DeploymentKind)
	require.Equal(w.t, [2]int{deployments, addresses}, [2]int{len(all), len(w.owners)},
		"Deployments and rented addresses: %s", why)
}

func web(finalizers ...string) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Finalizers: finalizers}}
	pod := kubetest.Pod("web", kubetest.Container("web", "v1"), kubetest.Container("log", "v1"))
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: pod.Labels}
	d.Spec.Template.Labels, d.Spec.Template.Spec = pod.Labels, pod.Spec
	return d
}

func (w *world) create() {
	kubetest.Create(w.Cluster, web())
	w.Settle()
}

func (w *world) delete() {
	require.NoError(w.t, w.Store.Delete(
		w.t.Context(), deployment.DeploymentKind, w.Named("web"), metav1.DeleteOptions{}))
	w.Settle()
}

//book:exercise 2m
func TestEachDeploymentHasOneAddressUntilItGoes(t *testing.T) {
	in(t, func(w *world) {
		attic := web()
		attic.Namespace = "attic"
		kubetest.Create(w.Cluster, attic)
		w.create()
		w.has(2, 2, "each has one")
		before := maps.Clone(w.owners)
		kubetest.Edit(w.Cluster, web(), func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(3)) })
		w.AssertQuiet(time.Hour)
		assert.Equal(t, before, w.owners, "each keeps the one that it has")
		w.delete()
		w.has(1, 1, "one is gone")
		_, err := w.controller(w.Client, controlloop.NewIndexer()).Reconcile(t.Context(), w.Named("web"))
		assert.NoError(t, err, "and that's no error")
	})
}

//book:exercise 2m
func TestNothingIsLeftOverWhereverTheProcessIsKilled(t *testing.T) {
	for dies, killed := 1, true; killed && !t.Failed(); dies++ {
		for variant := range 8 {
			in(t, func(w *world) {
				w.when, w.dies = kubetest.When(variant&1), dies
				killed = w.live(variant&2 == 0, variant&4 == 0)
			})
		}
	}
}

// live has a Deployment come and go, and reports whether the process was killed. In
// a hurry, it's deleted before there's a process again.
func (w *world) live(anew, hurry bool) (killed bool) {
	at := fmt.Sprintf("killed %s act %d", w.when, w.dies)
	w.create()
	if killed = w.dead; !killed || !hurry {
		w.revive(anew)
		w.has(1, 1, at+", and it stays")
	}
	w.delete()
	killed = killed || w.dead
	w.revive(anew)
	w.has(0, 0, at+", and it was deleted")
	return killed
}

// revive has a process go on where one was killed: a new one, or the same, which has
// only lost an answer.
func (w *world) revive(anew bool) {
	if w.dead && anew {
		w.Restart()
	}
	w.dead = false
	w.Advance(time.Hour)
}

//book:exercise 2m
func TestADeploymentWaitsForAProviderThatIsDown(t *testing.T) {
	for _, call := range []string{"Rented", "Rent", "GiveBack"} {
		in(t, func(w *world) {
			w.down = call
			w.create()
			w.Advance(time.Hour)
			w.down = ""
			w.Advance(time.Hour)
			w.has(1, 1, call+" is no longer down")
			w.down = call
			w.delete()
			w.Advance(time.Hour)
			w.has(len(w.owners), len(w.owners), call+" is down: it stays as long as its address")
			w.down = ""
			w.Advance(time.Hour)
			w.has(0, 0, call+" is no longer down")
		})
	}
}

//book:exercise 2m
func TestTheWritesAndFinalizersOfOthersStay(t *testing.T) {
	in(t, func(w *world) {
		writes, label := 0, ""
		w.meanwhile = func() { // before each other write
			if writes++; writes%2 == 1 {
				label = fmt.Sprint(writes)
				kubetest.Edit(w.Cluster, web(), func(d *appsv1.Deployment) { d.Labels = map[string]string{"others": label} })
			}
		}
		kubetest.Create(w.Cluster, web(others))
		w.Advance(time.Minute)
		w.has(1, 1, "the second write was no conflict")
		kubetest.Edit(w.Cluster, web(), func(d *appsv1.Deployment) { d.Finalizers = append(d.Finalizers, others+"-2") })
		w.delete()
		w.Advance(time.Minute)
		w.has(1, 0, "others hold it")
		now := kubetest.Get(w.Cluster, web())
		assert.Equal(t, label, now.Labels["others"])
		assert.ElementsMatch(t, []string{others, others + "-2"}, now.Finalizers)
		w.AssertQuiet(time.Hour)
	})
}

// It was deleted before the controller heard of it, and others hold it.
func TestADeploymentThatIsLeavingGetsNothing(t *testing.T) {
	in(t, func(w *world) {
		kubetest.Create(w.Cluster, web(others))
		w.delete()
		w.AssertQuiet(time.Hour)
		w.has(1, 0, "no new finalizers can be added, so it may go at any time")
	})
}

// A process has become the leader, and hasn't heard of what the one before it did.
//
//book:exercise 2m
func TestALateCacheRentsNothingAndTakesNothing(t *testing.T) {
	for _, test := range []struct {
		is      string
		happens func(w *world, heard func())
	}{
		{"replaced", func(w *world, heard func()) { heard(); w.delete(); w.create() }},
		{"leaving", func(w *world, heard func()) {
			kubetest.Edit(w.Cluster, web(), func(d *appsv1.Deployment) { d.Finalizers = append(d.Finalizers, others) })
			heard()
			w.delete()
		}},
		{"leaving, and replaced", func(w *world, heard func()) {
			w.down = "GiveBack"
			w.delete()
			heard()
			w.down = ""
			w.Advance(time.Hour)
			w.create()
		}},
	} {
		in(t, func(w *world) {
			w.create()
			w.has(1, 1, "all is as it should be")
			late := controlloop.NewIndexer()
			test.happens(w, func() { late.Put(kubetest.Get(w.Cluster, web())) })
			before := maps.Clone(w.owners)
			for range 3 {
				_, _ = w.controller(w.Client, late).Reconcile(t.Context(), w.Named("web")) // it may be refused
			}
			w.Settle()
			assert.Equal(t, before, w.owners, "it's %s, and the cache hasn't heard of the last", test.is)
		})
	}
}
