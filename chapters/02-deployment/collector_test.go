package deployment_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// thing returns an object of the plainest kind, owned by these.
func thing(name string, owners ...controlloop.Object) *corev1.ConfigMap {
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, owner := range owners {
		obj.OwnerReferences = append(obj.OwnerReferences, ownedBy(owner))
	}
	return obj
}

// ownedBy refers to an owner, and keeps it from going before what it owns.
func ownedBy(owner controlloop.Object) metav1.OwnerReference {
	gvk := owner.GetObjectKind().GroupVersionKind()
	return metav1.OwnerReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
		Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: new(true),
	}
}

// dreamt returns an owner that never existed.
func dreamt() *corev1.ConfigMap {
	dream := thing("dream")
	dream.UID = "never-was"
	dream.GetObjectKind().SetGroupVersionKind(configMapKind)
	return dream
}

// things returns the names of those that exist.
func things(c *kubetest.Cluster) []string {
	names := []string{}
	for _, obj := range kubetest.All[*corev1.ConfigMap](c, configMapKind) {
		names = append(names, obj.Name)
	}
	return names
}

var configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

//book:exercise 2i
func TestWhatHasTwoOwnersStaysWhileOneIsThere(t *testing.T) {
	for _, policy := range []metav1.DeletionPropagation{background, foreground} {
		in(t, collecting, func(c *kubetest.Cluster) {
			ada := kubetest.Create(c, thing("ada"))
			bea := kubetest.Create(c, thing("bea"))
			cid := kubetest.Create(c, thing("cid"))
			child := kubetest.Create(c, thing("child", ada, bea, cid))
			c.Settle()
			remove(t, c, ada, policy)
			c.Settle()
			require.Equal(t, []string{"bea", "child", "cid"}, things(c), policy)
			assert.Equal(t, []metav1.OwnerReference{ownedBy(bea), ownedBy(cid)},
				kubetest.Get(c, child).OwnerReferences, "of the dead nothing is left on it")
			c.AssertQuiet(0)
			remove(t, c, bea, policy)
			remove(t, c, cid, policy)
			c.Settle()
			assert.Empty(t, things(c))
		})
	}
}

//book:exercise 2j
func TestAnOwnerThatNeverWasHoldsNothing(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		kubetest.Create(c, thing("child", dreamt()))
		c.Settle()
		assert.Empty(t, things(c))
	})
}

// A uid is an identity: a successor of the same name is another object.
//
//book:exercise 2j
func TestASuccessorOfTheSameNameHoldsNothing(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		kubetest.Create(c, thing("child", owner))
		remove(t, c, owner)
		kubetest.Create(c, thing("owner"))
		c.Settle()
		assert.Equal(t, []string{"owner"}, things(c))
	})
}

// And it has no say in how it goes: nothing waits for what is not its own.
//
//book:exercise 2j
func TestASuccessorThatWaitsForItsDependentsIsNotWaitedFor(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		child := thing("child", owner)
		child.Finalizers = []string{"example.com/hold"}
		child = kubetest.Create(c, child)
		kubetest.Create(c, thing("grandchild", child))
		remove(t, c, owner)
		next := thing("owner")
		next.Finalizers = []string{"example.com/hold", metav1.FinalizerDeleteDependents}
		next = kubetest.Create(c, next)
		remove(t, c, next, foreground)
		c.Settle()
		assert.NotNil(t, kubetest.Get(c, child).DeletionTimestamp)
		assert.Equal(t, []string{"child", "grandchild", "owner"}, things(c),
			"its own owner is gone, and waits for nobody: so it needs not wait either")
	})
}

// An owner is in the namespace of what it owns, or in none.
//
//book:exercise 2j
func TestAnOwnerInAnotherNamespaceHoldsNothing(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		elsewhere := thing("owner")
		elsewhere.Namespace = "elsewhere"
		owner := kubetest.Create(c, elsewhere)
		kubetest.Create(c, thing("child", owner))
		c.Settle()
		assert.Equal(t, []string{"owner"}, things(c))
	})
}

func TestAnOwnerInAnotherNamespaceIsTold(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		abroad := thing("owner")
		abroad.Namespace = "elsewhere"
		owner := kubetest.Create(c, abroad)
		node := kubetest.Create(c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}})
		kubetest.Create(c, thing("child", owner))
		kubetest.Create(c, thing("sibling", node))
		c.Settle()
		assert.Equal(t, []string{fmt.Sprintf("Warning OwnerRefInvalidNamespace garbage-collector-controller: "+
			"ownerRef [v1/ConfigMap, namespace: shop, name: owner, uid: %s] "+
			`does not exist in namespace "shop"`, owner.UID)}, c.Events())
	})
}

//book:exercise 2j
func TestAnOwnerInNoNamespaceHoldsWhatIsInOne(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		node := kubetest.Create(c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}})
		kubetest.Create(c, thing("child", node))
		kubetest.Create(c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: "node-2", OwnerReferences: []metav1.OwnerReference{ownedBy(node)},
		}})
		c.Settle()
		require.Equal(t, []string{"child"}, things(c))
		remove(t, c, node)
		c.Settle()
		assert.Empty(t, things(c))
		assert.Empty(t, kubetest.All[*corev1.Node](c, controlloop.NodeKind), "and what is in none")
	})
}

// Such a reference cannot be right, and so nothing follows from it.
//
//book:exercise 2j
func TestWhatIsInNoNamespaceIsNotDeletedForAnOwnerInOne(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: "node-1", OwnerReferences: []metav1.OwnerReference{ownedBy(owner)},
		}}
		node = kubetest.Create(c, node)
		kubetest.Create(c, thing("sibling", owner))
		c.Settle()
		remove(t, c, owner)
		c.Settle()
		assert.Equal(t, node.UID, kubetest.Get(c, node).UID)
		assert.Empty(t, things(c), "of what is in the owner's namespace nothing is left")
	})
}

//book:exercise 2j
func TestAnOwnerOfAKindThatNobodyKnowsIsLeftToWhoeverDoes(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		child := thing("child")
		child.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "example.com/v1", Kind: "Castle", Name: "elsinore", UID: "a castle",
		}}
		kubetest.Create(c, child)
		kubetest.Create(c, thing("sibling", dreamt()))
		var told error
		c.Controller("garbage collector").OnError = func(_ key, err error) { told = err }
		c.Settle()
		assert.Equal(t, []string{"child"}, things(c), "of the other's owner we do know")
		assert.NoError(t, told, "it is nobody's mistake")
		c.AssertQuiet(0)
	})
}

// The caches of all kinds are not in step. An object that one of them has not
// heard of may exist.
//
//book:exercise 2j
func TestAnOwnerThatNoCacheKnowsYetIsAskedFor(t *testing.T) {
	for kind, owner := range map[string]controlloop.Object{
		"ConfigMap": thing("owner"),
		"Node":      &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}, // in no namespace
	} {
		t.Run(kind, func(t *testing.T) {
			in(t, collecting, func(c *kubetest.Cluster) {
				late := true
				c.Client.Fail(func(call kubetest.Call) error {
					if late && call.Kind.Kind == kind && call.Verb != "get" {
						return errors.New("not now")
					}
					return nil
				})
				owner := kubetest.Create(c, owner)
				pod := kubetest.Pod("web")
				pod.OwnerReferences = []metav1.OwnerReference{ownedBy(owner)}
				kubetest.Create(c, pod)
				ran := c.System.Informer(controlloop.PodKind, controlloop.ListOptions{})
				_, err := ran.Step(t.Context())
				require.NoError(t, err)
				for c.Controller("garbage collector").Step(t.Context(), 0) {
				}
				require.Len(t, c.Pods(), 1, "the cache has no %s, the store has", kind)
				late = false
				c.Settle()
				assert.Len(t, c.Pods(), 1)
				remove(t, c, owner)
				c.Settle()
				assert.Empty(t, c.Pods())
			})
		})
	}
}

// An error is no answer.
//
//book:exercise 2i
func TestAnOwnerThatCannotBeAskedForIsNotTakenForGone(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "get" {
				return errors.New("no route to host")
			}
			return nil
		})
		kubetest.Create(c, thing("child", dreamt()))
		var told error
		c.Controller("garbage collector").OnError = func(_ key, err error) { told = err }
		c.Settle()
		require.Equal(t, []string{"child"}, things(c))
		assert.EqualError(t, told,
			"find shop/dream, owner of shop/child: no route to host")
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Empty(t, things(c))
	})
}

// A failure to find out is reported, with the names of both.
//
//book:exercise 2j
func TestWhoCannotFindTheOwnerSaysWhose(t *testing.T) {
	configMaps := schema.GroupResource{Resource: "configmaps"}
	for _, why := range []error{
		io.ErrUnexpectedEOF, apierrors.NewForbidden(configMaps, "dream", nil),
		apierrors.NewResourceExpired("too old"),
	} {
		in(t, collecting, func(c *kubetest.Cluster) {
			c.Client.Fail(func(call kubetest.Call) error {
				if call.Verb == "get" {
					return why
				}
				return nil
			})
			kubetest.Create(c, thing("child", dreamt()))
			var told error
			c.Controller("garbage collector").OnError = func(_ key, err error) { told = err }
			c.Settle()
			require.Equal(t, []string{"child"}, things(c), "an error is no answer: %v", why)
			require.ErrorIs(t, told, why)
			assert.EqualError(t, told, "find shop/dream, owner of shop/child: "+why.Error())
		})
	}
}

// The store is asked about owners that no cache knows, and about no others.
//
//book:exercise 2j
func TestOnlyWhoIsNotInTheCacheIsAskedFor(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		var asked []string
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "get" && call.Key.Name != "child" { // which may be read before it's changed
				asked = append(asked, call.Key.Name)
			}
			return nil
		})
		owner := kubetest.Create(c, thing("owner"))
		c.Settle()
		kubetest.Create(c, thing("child", owner, dreamt()))
		c.Settle()
		assert.Equal(t, []string{"child", "owner"}, things(c))
		assert.Equal(t, []string{"dream"}, asked)
	})
}

// An owner that is being deleted waits for what it owns, or it does not: that is
// what its finalizer says, and until it is gone it holds.
//
//book:exercise 2j
func TestAnOwnerOnItsWayOutHoldsUnlessItWaits(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := thing("owner")
		owner.Finalizers = []string{"example.com/hold"}
		owner = kubetest.Create(c, owner)
		child := kubetest.Create(c, thing("child", owner))
		c.Settle()
		remove(t, c, owner)
		kubetest.Edit(c, child, func(child *corev1.ConfigMap) {
			child.Data = map[string]string{"changed": "yes"}
		})
		c.Settle()
		require.Equal(t, []string{"child", "owner"}, things(c),
			"it waits for somebody, but not for its dependents")
		waits := thing("waits")
		waits.Finalizers = []string{"example.com/hold", metav1.FinalizerDeleteDependents}
		waits = kubetest.Create(c, waits)
		kubetest.Create(c, thing("awaited", waits))
		c.Settle()
		require.Contains(t, things(c), "awaited", "it will wait, when it is deleted")
		remove(t, c, waits, foreground)
		c.Settle()
		assert.Equal(t, []string{"child", "owner", "waits"}, things(c))
	})
}

// Between the decision and the deletion another client has given it another
// owner.
func TestWhatWasAdoptedMeanwhileIsNotDeleted(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		ada := kubetest.Create(c, thing("ada"))
		bea := kubetest.Create(c, thing("bea"))
		child := kubetest.Create(c, thing("child", ada))
		c.Settle()
		remove(t, c, ada)
		meanwhile(c, "delete", "ConfigMap", func() {
			kubetest.Edit(c, child, func(child *corev1.ConfigMap) {
				child.OwnerReferences = append(child.OwnerReferences, ownedBy(bea))
			})
		})
		c.Advance(time.Second)
		require.Equal(t, []string{"bea", "child"}, things(c))
		assert.Equal(t, []metav1.OwnerReference{ownedBy(bea)},
			kubetest.Get(c, child).OwnerReferences)
	})
}

// A finalizer says what is to become of the dependents, whichever client
// deletes.
func TestWhatAsksForItsDependentsToBeOrphanedIsObeyed(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		top := kubetest.Create(c, thing("top"))
		middle := thing("middle", top)
		middle.Finalizers = []string{metav1.FinalizerOrphanDependents}
		middle = kubetest.Create(c, middle)
		kubetest.Create(c, thing("bottom", middle))
		c.Settle()
		remove(t, c, top)
		c.Settle()
		require.Equal(t, []string{"bottom"}, things(c))
		assert.Empty(t, kubetest.Get(c, thing("bottom")).OwnerReferences)
	})
}

// A finalizer may ask for the other thing, too.
func TestWhatAsksToWaitForItsDependentsIsObeyed(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		top := kubetest.Create(c, thing("top"))
		middle := thing("middle", top)
		middle.Finalizers = []string{metav1.FinalizerDeleteDependents}
		middle = kubetest.Create(c, middle)
		bottom := thing("bottom", middle)
		bottom.Finalizers = []string{"example.com/hold"}
		bottom = kubetest.Create(c, bottom)
		c.Settle()
		remove(t, c, top)
		c.Settle()
		require.Equal(t, []string{"bottom", "middle"}, things(c))
		kubetest.Edit(c, bottom, func(b *corev1.ConfigMap) { b.Finalizers = nil })
		c.Settle()
		assert.Empty(t, things(c))
	})
}

// An owner that was let go first would take with it the dependents that it was
// to spare.
// Each would wait for the next to go first.
func TestALongerRingIsOpenedToo(t *testing.T) {
	for n := 3; n <= 4; n++ {
		in(t, collecting, func(c *kubetest.Cluster) {
			first := kubetest.Create(c, thing("0"))
			last := first
			for i := range n - 1 {
				last = kubetest.Create(c, thing(fmt.Sprint(i+1), last))
			}
			kubetest.Edit(c, first, func(m *corev1.ConfigMap) {
				m.OwnerReferences = []metav1.OwnerReference{ownedBy(last)}
			})
			c.Settle()
			require.Len(t, things(c), n, "each has an owner that is there")
			remove(t, c, first, foreground)
			c.Settle()
			assert.Empty(t, things(c))
			c.AssertQuiet(time.Minute)
		})
	}
}

// What waits for its own dependents keeps its owner waiting, as long as they do
// not wait for it.
func TestOnlyWhatHasADependentThatWaitsStopsBlockingItsOwners(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		top := kubetest.Create(c, thing("top"))
		middle := kubetest.Create(c, thing("middle", top))
		bottom := thing("bottom", middle)
		bottom.Finalizers = []string{"example.com/hold"}
		kubetest.Create(c, bottom)
		c.Settle()
		remove(t, c, top, foreground)
		c.Settle()
		assert.Equal(t, []string{"bottom", "middle", "top"}, things(c))
		assert.True(t, *kubetest.Get(c, middle).OwnerReferences[0].BlockOwnerDeletion)
	})
}

func TestAnOwnerStaysUntilAllItIsToSpareHaveForgottenIt(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		child := kubetest.Create(c, thing("child", owner))
		c.Settle()
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update" && call.Key.Name == "child" {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		var told error
		c.Controller("garbage collector").OnError = func(_ key, err error) { told = err }
		remove(t, c, owner, orphan)
		c.Settle()
		require.EqualError(t, told, "orphan shop/child: unexpected EOF")
		require.ErrorIs(t, told, io.ErrUnexpectedEOF)
		require.Equal(t, []string{"child", "owner"}, things(c))
		c.Client.Fail(nil)
		c.Advance(time.Second)
		require.Equal(t, []string{"child"}, things(c))
		assert.Empty(t, kubetest.Get(c, child).OwnerReferences)
	})
}

// Of a hundred dependents one changes, and then all of them are told to go.
func TestTheCollectorLooksAtWhatIsConcernedAndAtNothingElse(t *testing.T) {
	looks := 0
	setup := collecting
	setup.Trace = func(s controlloop.Step) {
		if s.Lane == "garbage collector" {
			looks++
		}
	}
	in(t, setup, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		for i := range 100 {
			pod := kubetest.Pod(fmt.Sprintf("web-%d", i))
			pod.Spec.NodeName = "node-1"
			pod.OwnerReferences = []metav1.OwnerReference{ownedBy(owner)}
			kubetest.Create(c, pod)
		}
		c.Settle()
		looks = 0
		setStatus(t, c, c.Pods()[0], func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
		c.Settle()
		assert.Equal(t, 1, looks, "its owner has no part in that")
		looks = 0
		remove(t, c, owner, background)
		c.Settle()
		assert.Equal(t, 1+100+100, looks, "the owner; each that it left; and each that was told to go")
		looks = 0
		for _, pod := range c.Pods() {
			c.DeletePod(pod.Name, kubetest.Grace(0))
			c.Settle()
		}
		assert.Equal(t, 100, looks, "the others are not looked at each time")
	})
}

// Each of them ends by itself, and only the last is of interest to an owner that
// waits for all: else it would look at the rest as often as one of them ends.
func TestAnOwnerThatWaitsForAHundredLooksAgainWhenTheLastHasGone(t *testing.T) {
	setup := collecting
	looks := map[string]int{}
	setup.Trace = func(s controlloop.Step) {
		if s.Lane == "garbage collector" && s.Action == "reconcile" {
			looks[s.Key.Name]++
		}
	}
	in(t, setup, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 100))
		for i := range 100 {
			pod := kubetest.Pod(fmt.Sprintf("web-%d", i))
			pod.Spec.NodeName = "node-1" // so that its end takes time
			pod.OwnerReferences = []metav1.OwnerReference{ownedBy(rs)}
			kubetest.Create(c, pod)
		}
		c.Settle()
		remove(t, c, rs, foreground)
		c.Settle()
		for _, pod := range c.Pods() {
			require.Len(t, sets(c), 1)
			require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind,
				controlloop.KeyOf(pod), kubetest.Grace(0)))
			c.Settle()
		}
		assert.Empty(t, c.Pods())
		assert.Empty(t, sets(c))
		assert.LessOrEqual(t, looks[string(rs.UID)], 4)
	})
}

// Its controller counts them as they go, and writes that into its status.
func TestAnOwnerThatWaitsDoesNotLookForItsOwnStatusSake(t *testing.T) {
	setup := collecting
	setup.Controllers = append(slices.Clone(setup.Controllers), deployment.NewReplicaSets)
	looks := map[string]int{}
	setup.Trace = func(s controlloop.Step) {
		if s.Lane == "garbage collector" && s.Action == "reconcile" {
			looks[s.Key.Name]++
		}
	}
	in(t, setup, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 100))
		c.Settle()
		for _, pod := range c.Pods() {
			c.Bind(pod, "node-1") // so that its end takes time
		}
		remove(t, c, rs, foreground)
		c.Settle()
		before := len(c.WritesOf(rs))
		clear(looks)
		pods := c.Pods()
		for _, pod := range pods[1:] {
			require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind,
				controlloop.KeyOf(pod), kubetest.Grace(0)))
			c.Settle()
		}
		assert.Len(t, c.WritesOf(rs), before+99, "its status, each time")
		assert.Zero(t, looks[string(rs.UID)], "one Pod is left")
		require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind,
			controlloop.KeyOf(pods[0]), kubetest.Grace(0)))
		c.Settle()
		assert.Empty(t, sets(c))
	})
}
