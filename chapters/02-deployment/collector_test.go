package deployment_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

const (
	background = metav1.DeletePropagationBackground
	foreground = metav1.DeletePropagationForeground
	orphan     = metav1.DeletePropagationOrphan
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

// things are the names of those that are there.
func things(c *kubetest.Cluster) []string {
	names := []string{}
	for _, obj := range kubetest.All[*corev1.ConfigMap](c, configMapKind) {
		names = append(names, obj.Name)
	}
	return names
}

var configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// gone lists what was removed from the store, in order.
func gone(c *kubetest.Cluster) (names []string) {
	for _, w := range c.Writes() {
		if w.Type == watch.Deleted {
			names = append(names, w.Object.GetName())
		}
	}
	return names
}

// family creates three generations and a stranger: grandmother, two mothers,
// and a child of each.
func family(c *kubetest.Cluster) (grandmother *corev1.ConfigMap) {
	grandmother = kubetest.Create(c, thing("grandmother"))
	for _, name := range []string{"ada", "bea"} {
		mother := kubetest.Create(c, thing(name, grandmother))
		kubetest.Create(c, thing(name+"s-child", mother))
	}
	kubetest.Create(c, thing("stranger"))
	c.Settle()
	return grandmother
}

// From the top down: each removal makes the next possible.
//
//book:exercise 2.7
func TestInTheBackgroundOwnersGoFirst(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		grandmother := family(c)
		require.Len(t, things(c), 6)
		remove(t, c, grandmother, background)
		c.Settle()
		require.Equal(t, []string{"stranger"}, things(c))
		order := gone(c)
		assert.Equal(t, "grandmother", order[0])
		for _, name := range []string{"ada", "bea"} {
			assert.Less(t, slices.Index(order, name), slices.Index(order, name+"s-child"))
		}
	})
}

// From the bottom up: each waits for what it owns.
//
//book:exercise 2.7
func TestInTheForegroundOwnersWaitForWhatTheyOwn(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		grandmother := family(c)
		remove(t, c, grandmother, foreground)
		require.Contains(t, things(c), "grandmother", "it is held")
		c.Settle()
		require.Equal(t, []string{"stranger"}, things(c))
		order := gone(c)
		assert.Equal(t, "grandmother", order[4])
		for _, name := range []string{"ada", "bea"} {
			assert.Less(t, slices.Index(order, name+"s-child"), slices.Index(order, name))
		}
	})
}

// A dependent that is held itself holds its owner for as long.
//
//book:exercise 2.7
func TestInTheForegroundAnOwnerWaitsForADependentThatTakesItsTime(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		slow := thing("slow", owner)
		slow.Finalizers = []string{"example.com/hold"}
		kubetest.Create(c, slow)
		kubetest.Create(c, thing("quick", owner))
		c.Settle()
		remove(t, c, owner, foreground)
		c.Advance(time.Hour)
		require.Equal(t, []string{"owner", "slow"}, things(c))
		kubetest.Edit(c, slow, func(s *corev1.ConfigMap) { s.Finalizers = nil })
		c.Settle()
		assert.Empty(t, things(c))
		assert.Equal(t, []string{"quick", "slow", "owner"}, gone(c))
	})
}

// Who does not say that it blocks goes with its owner, and does not hold it.
//
//book:exercise 2.7
func TestInTheForegroundAnOwnerDoesNotWaitForWhoDoesNotBlock(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		for _, blocks := range []*bool{nil, new(false)} {
			slow := thing(fmt.Sprint("slow-", blocks != nil), owner)
			slow.OwnerReferences[0].BlockOwnerDeletion = blocks
			slow.Finalizers = []string{"example.com/hold"}
			kubetest.Create(c, slow)
		}
		c.Settle()
		remove(t, c, owner, foreground)
		c.Settle()
		require.Equal(t, []string{"slow-false", "slow-true"}, things(c))
		for _, obj := range kubetest.All[*corev1.ConfigMap](c, configMapKind) {
			assert.NotNil(t, obj.DeletionTimestamp, "%s was told to go", obj.Name)
		}
	})
}

//book:exercise 2.7
func TestWhatHasTwoOwnersStaysWhileOneIsThere(t *testing.T) {
	for _, policy := range []metav1.DeletionPropagation{background, foreground} {
		in(t, collecting, func(c *kubetest.Cluster) {
			ada := kubetest.Create(c, thing("ada"))
			bea := kubetest.Create(c, thing("bea"))
			child := kubetest.Create(c, thing("child", ada, bea))
			c.Settle()
			remove(t, c, ada, policy)
			c.Settle()
			require.Equal(t, []string{"bea", "child"}, things(c), policy)
			assert.Equal(t, []metav1.OwnerReference{ownedBy(bea)},
				kubetest.Get(c, child).OwnerReferences, "of the dead nothing is left on it")
			remove(t, c, bea, policy)
			c.Settle()
			assert.Empty(t, things(c))
		})
	}
}

func TestOrphansLoseTheirOwnerAndNothingElse(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		grandmother := family(c)
		remove(t, c, grandmother, orphan)
		c.Settle()
		require.NotContains(t, things(c), "grandmother")
		require.Len(t, things(c), 5)
		assert.Empty(t, kubetest.Get(c, thing("ada")).OwnerReferences)
		assert.Len(t, kubetest.Get(c, thing("adas-child")).OwnerReferences, 1,
			"her children stay hers")
		assertQuiet(t, c)
	})
}

func TestAnOwnerThatNeverWasHoldsNothing(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		dream := thing("dream")
		dream.UID = "never-was"
		dream.GetObjectKind().SetGroupVersionKind(configMapKind)
		kubetest.Create(c, thing("child", dream))
		c.Settle()
		assert.Empty(t, things(c))
	})
}

// A uid is who one is: a successor of the same name is somebody else.
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

// An owner is in the namespace of what it owns, or in none.
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

func TestAnOwnerInNoNamespaceHoldsWhatIsInOne(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		node := kubetest.Create(c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}})
		kubetest.Create(c, thing("child", node))
		c.Settle()
		require.Equal(t, []string{"child"}, things(c))
		remove(t, c, node)
		c.Settle()
		assert.Empty(t, things(c))
	})
}

// Such a reference cannot be right, and so nothing follows from it.
func TestWhatIsInNoNamespaceIsNotDeletedForAnOwnerInOne(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		owner := kubetest.Create(c, thing("owner"))
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: "node-1", OwnerReferences: []metav1.OwnerReference{ownedBy(owner)},
		}}
		node = kubetest.Create(c, node)
		c.Settle()
		remove(t, c, owner)
		c.Settle()
		assert.Equal(t, node.UID, kubetest.Get(c, node).UID)
	})
}

func TestAnOwnerOfAKindThatNobodyKnowsIsLeftToWhoeverDoes(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		child := thing("child")
		child.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "example.com/v1", Kind: "Castle", Name: "elsinore", UID: "a castle",
		}}
		kubetest.Create(c, child)
		c.Settle()
		assert.Equal(t, []string{"child"}, things(c))
		assertQuiet(t, c)
	})
}

// The caches of all kinds are not in step. What one of them has not heard of
// may be there.
func TestAnOwnerThatNoCacheKnowsYetIsAskedFor(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		late := true
		c.Client.Fail(func(call kubetest.Call) error {
			if late && call.Kind == configMapKind && call.Verb != "get" {
				return errors.New("not now")
			}
			return nil
		})
		owner := kubetest.Create(c, thing("owner"))
		pod := kubetest.Pod("web")
		pod.OwnerReferences = []metav1.OwnerReference{ownedBy(owner)}
		kubetest.Create(c, pod)
		ran := c.System.Informer(controlloop.PodKind, controlloop.ListOptions{})
		_, err := ran.Step(t.Context())
		require.NoError(t, err)
		for c.Controller("garbage collector").Step(t.Context(), 0) {
		}
		require.Len(t, c.Pods(), 1, "the cache of ConfigMaps is empty, the store is not")
		late = false
		c.Settle()
		assert.Len(t, c.Pods(), 1)
		remove(t, c, owner)
		c.Settle()
		assert.Empty(t, c.Pods())
	})
}

// An error is no answer.
func TestAnOwnerThatCannotBeAskedForIsNotTakenForGone(t *testing.T) {
	in(t, collecting, func(c *kubetest.Cluster) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "get" {
				return errors.New("no route to host")
			}
			return nil
		})
		dream := thing("dream")
		dream.UID = "never-was"
		dream.GetObjectKind().SetGroupVersionKind(configMapKind)
		kubetest.Create(c, thing("child", dream))
		var told error
		c.Controller("garbage collector").OnError = func(_ key, err error) { told = err }
		c.Settle()
		require.Equal(t, []string{"child"}, things(c))
		assert.EqualError(t, told,
			"look for default/dream, owner of default/child: no route to host")
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Empty(t, things(c))
	})
}

// Between the decision and the deletion somebody has given it another owner.
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

// A finalizer says what is to become of the dependents, whoever deletes.
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

// Two that own each other: while both are there, both are held.
func TestOwnersInARingHoldEachOther(t *testing.T) {
	ring := func(c *kubetest.Cluster) (a *corev1.ConfigMap) {
		a = kubetest.Create(c, thing("a"))
		b := kubetest.Create(c, thing("b", a))
		kubetest.Edit(c, a, func(a *corev1.ConfigMap) {
			a.OwnerReferences = []metav1.OwnerReference{ownedBy(b)}
		})
		c.Settle()
		return a
	}
	in(t, collecting, func(c *kubetest.Cluster) {
		a := ring(c)
		require.Len(t, things(c), 2)
		remove(t, c, a, background)
		c.Settle()
		assert.Empty(t, things(c), "one is gone, so the other follows")
	})
	in(t, collecting, func(c *kubetest.Cluster) {
		remove(t, c, ring(c), foreground)
		c.Advance(time.Hour)
		assert.Len(t, things(c), 2, "each waits for the other; Kubernetes would let one go")
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

// The chain that this chapter is about, with a node and everything.
func TestADeploymentTakesItsReplicaSetsAndPodsWithIt(t *testing.T) {
	for _, policy := range []metav1.DeletionPropagation{background, foreground} {
		in(t, slowly(), func(c *kubetest.Cluster) {
			d := kubetest.Create(c, slow("web", 2))
			other := kubetest.Create(c, slow("other", 1))
			c.Advance(5 * time.Second)
			setImage(c, d, "slow:2")
			c.Advance(time.Minute)
			remove(t, c, d, policy)
			c.Advance(10 * time.Second)
			deployments := kubetest.All[controlloop.Object](c, deployment.DeploymentKind)
			want := map[metav1.DeletionPropagation]int{background: 1, foreground: 2}
			assert.Len(t, deployments, want[policy], "%s, while the Pods end", policy)
			assert.Len(t, c.Pods(), 3)
			c.Advance(time.Minute)
			require.Len(t, c.Pods(), 1)
			require.Len(t, sets(c), 1)
			assert.True(t, metav1.IsControlledBy(sets(c)[0], other))
			assertQuiet(t, c)
		})
	}
}

func TestAnOrphanedDeploymentIsPickedUpByItsSuccessor(t *testing.T) {
	in(t, everything, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 3))
		c.Advance(5 * time.Second)
		pods := c.Pods()
		remove(t, c, d, orphan)
		c.Advance(5 * time.Second)
		require.Equal(t, pods, c.Pods())
		require.Empty(t, sets(c)[0].OwnerReferences)
		d = kubetest.Create(c, recreated("web", 3))
		c.Advance(5 * time.Second)
		require.Len(t, sets(c), 1)
		assert.True(t, metav1.IsControlledBy(sets(c)[0], d))
		assert.Equal(t, pods, c.Pods(), "nothing was restarted")
	})
}
