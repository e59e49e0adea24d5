package deployment_test

import (
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

// gone lists the objects that were removed from the store, in order.
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
//book:exercise 2i
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
//book:exercise 2i
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
//book:exercise 2i
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

// A dependent that does not say that it blocks goes with its owner, and does
// not hold it.
//
//book:exercise 2i
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

// One that blocks is enough, wherever it stands among those that do not.
//
//book:exercise 2i
func TestInTheForegroundAnOwnerWaitsForTheOneThatBlocks(t *testing.T) {
	for place := range 3 {
		in(t, collecting, func(c *kubetest.Cluster) {
			owner := kubetest.Create(c, thing("owner"))
			for i, name := range []string{"a", "b", "c"} {
				slow := thing(name, owner)
				slow.OwnerReferences[0].BlockOwnerDeletion = new(i == place)
				slow.Finalizers = []string{"example.com/hold"}
				kubetest.Create(c, slow)
			}
			c.Settle()
			remove(t, c, owner, foreground)
			c.Advance(time.Hour)
			require.Equal(t, []string{"a", "b", "c", "owner"}, things(c), "the %d. blocks", place+1)
			for _, dependent := range []string{"a", "b", "c"} {
				assert.NotNil(t, kubetest.Get(c, thing(dependent)).DeletionTimestamp,
					"%s is told to go while its owner waits for the %d.", dependent, place+1)
			}
			blocks := thing([]string{"a", "b", "c"}[place])
			kubetest.Edit(c, blocks, func(s *corev1.ConfigMap) { s.Finalizers = nil })
			c.Settle()
			assert.Len(t, things(c), 2, "the two that are held do not block")
		})
	}
}

// Whichever call is refused, once, and nothing else happens: a minute later the rest
// is done.
//
//book:exercise 2i
func TestADeletionGoesOnWithinAMinuteOfACallThatIsRefused(t *testing.T) {
	for _, verb := range []string{"get", "update", "delete"} {
		for n, refused := 1, true; refused && n < 20; n++ {
			in(t, collecting, func(c *kubetest.Cluster) {
				ada := kubetest.Create(c, thing("ada"))
				bea := kubetest.Create(c, thing("bea"))
				both := kubetest.Create(c, thing("both", ada, bea))
				hers := kubetest.Create(c, thing("hers", ada))
				kubetest.Create(c, thing("grandchild", hers))
				c.Settle()
				call := c.Client.FailNth(verb, n)
				remove(t, c, ada, foreground)
				c.Advance(time.Minute)
				assert.Equal(t, []string{"bea", "both"}, things(c), "what is left a minute after %s number %d was refused", verb, n)
				assert.Equal(t, []metav1.OwnerReference{ownedBy(bea)}, kubetest.Get(c, both).OwnerReferences,
					"its owners, a minute after %s number %d was refused", verb, n)
				_, refused = call()
			})
		}
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
		c.AssertQuiet(0)
	})
}

// Two that own each other: while both are there, both are held.
//
//book:exercise 2i
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
		c.Settle()
		assert.Empty(t, things(c), "one of them no longer keeps the other waiting")
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
			c.AssertQuiet(0)
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
		require.Len(t, sets(c), 1)
		require.Empty(t, sets(c)[0].OwnerReferences)
		d = kubetest.Create(c, recreated("web", 3))
		c.Advance(5 * time.Second)
		require.Len(t, sets(c), 1)
		assert.True(t, metav1.IsControlledBy(sets(c)[0], d))
		assert.Equal(t, pods, c.Pods(), "nothing was restarted")
	})
}
