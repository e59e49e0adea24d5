package statefulset_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

// An orphan that bears one of the set's names, and its labels, is
// taken in at its place.
//
//book:exercise 4b
func TestASetAdoptsWhoBearsItsNames(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		for _, name := range []string{"web-1", "web-x", "web-01", "db-0"} {
			orphan := kubetest.Pod(name, kubetest.Container("nginx", kubetest.Nginx))
			orphan.Labels = map[string]string{"app": "web"}
			kubetest.Create(c, orphan)
		}
		rest(c)
		kubetest.Create(c, web(2))
		rest(c)
		set := kubetest.Get(c, web(0))
		var ours []string
		for _, pod := range c.Pods() {
			if metav1.IsControlledBy(pod, set) {
				ours = append(ours, pod.Name)
			}
		}
		assert.Equal(t, []string{"web-0", "web-1"}, ours, "which Pods are the set's?")
		assert.EqualValues(t, 2, set.Status.Replicas, "how many does the status count?")
		assert.Equal(t, c.Pod("web-0").OwnerReferences, c.Pod("web-1").OwnerReferences, "made or taken in, it is the same")
	})
}

// A set adopts in its own namespace, whichever that is.
//
//book:exercise 4b
func TestASetAdoptsInItsOwnNamespace(t *testing.T) {
	setup := ordered
	setup.Invariants = nil // they know one namespace
	in(t, setup, func(c *kubetest.Cluster) {
		orphan := func(namespace string) *corev1.Pod {
			pod := kubetest.Pod("web-0", kubetest.Container("nginx", kubetest.Nginx))
			pod.Namespace, pod.Labels = namespace, map[string]string{"app": "web"}
			return pod
		}
		kubetest.Create(c, orphan("shop"))
		kubetest.Create(c, orphan("default"))
		kubetest.Create(c, web(1, func(set *appsv1.StatefulSet) { set.Namespace = "shop" }))
		c.Settle()
		assert.Len(t, kubetest.Get(c, orphan("shop")).OwnerReferences, 1, "the orphan in the set's namespace")
		assert.Empty(t, kubetest.Get(c, orphan("default")).OwnerReferences, "the orphan in another")
	})
}

// A user has said of a Pod that it is the set's, and the set would
// never have called it so.
//
//book:exercise 4b
func TestASetLetsGoOfWhoDoesNotBearItsNames(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		stranger := kubetest.Pod("web-01", kubetest.Container("nginx", kubetest.Nginx))
		stranger.Labels = map[string]string{"app": "web"}
		stranger.OwnerReferences = c.Pod("web-0").OwnerReferences
		refused := c.Client.FailNth("update", 1)
		kubetest.Create(c, stranger)
		c.Settle()
		_, ok := refused()
		assert.True(t, ok, "did the set write to web-01 to release it?")
		assert.True(t, c.Told(kubetest.ErrFailedOnce), "it was not let go, and nobody was told")
		rest(c)
		assert.Equal(t, "web-0, web-01", names(c))
		assert.Empty(t, c.Pod("web-01").OwnerReferences)
		assert.EqualValues(t, 1, kubetest.Get(c, web(0)).Status.Replicas)
	})
}

// A finalizer holds the stranger, which is terminating already.
//
//book:exercise 4b
func TestASetLetsGoOfAStrangerThatIsTerminating(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		stranger := kubetest.Pod("web-01", kubetest.Container("nginx", kubetest.Nginx))
		stranger.Labels, stranger.Finalizers = map[string]string{"app": "web"}, []string{"example.com/hold"}
		kubetest.Create(c, stranger)
		c.DeletePod("web-01", kubetest.Grace(0))
		kubetest.Edit(c, stranger, func(pod *corev1.Pod) {
			pod.OwnerReferences = c.Pod("web-0").OwnerReferences
		})
		c.Settle()
		assert.Empty(t, c.Pod("web-01").OwnerReferences)
	})
}

// An adoption that is refused because the Pod has changed is an error like any other.
//
//book:exercise 4b
func TestAnAdoptionThatIsRefusedIsTriedAgain(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "web-0", errors.New("it has changed"))
	in(t, ordered, func(c *kubetest.Cluster) {
		refused := false
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update" && call.Kind == controlloop.PodKind && !refused {
				refused = true
				return conflict
			}
			return nil
		})
		orphan := kubetest.Pod("web-0", kubetest.Container("nginx", kubetest.Nginx))
		orphan.Labels = map[string]string{"app": "web"}
		kubetest.Create(c, orphan)
		kubetest.Create(c, web(1))
		c.Settle()
		require.True(t, refused, "it was to be adopted")
		assert.True(t, c.Told(conflict), "it was not adopted, and nobody was told")
		rest(c)
		assert.Len(t, c.Pod("web-0").OwnerReferences, 1)
	})
}

// One that turns up later is taken in as well, and taken away if it is one too
// many: the set has to look.
//
//book:exercise 4b
func TestAnOrphanWakesTheSetThatWouldHaveIt(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		orphan := kubetest.Pod("web-5", kubetest.Container("nginx", kubetest.Nginx))
		orphan.Labels = map[string]string{"app": "web"}
		kubetest.Create(c, orphan)
		rest(c)
		assert.Equal(t, "web-0", names(c), "the set has not heard of web-5")
	})
}

// Other sets exist, which have nothing to do with it.
func TestAnOrphanWakesItsSetAmongSeveral(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		for _, name := range []string{"db", "web", "zoo"} {
			kubetest.Create(c, web(0, func(set *appsv1.StatefulSet) { set.Name = name }))
		}
		rest(c)
		for _, name := range []string{"db-0", "web-5", "zoo-0"} {
			orphan := kubetest.Pod(name, kubetest.Container("nginx", kubetest.Nginx))
			orphan.Labels = map[string]string{"app": "web"}
			kubetest.Create(c, orphan)
		}
		rest(c)
		assert.Empty(t, names(c), "each of them is one too many")
	})
}

// An orphan that comes, or gets the labels, wakes the sets that would have it,
// and no others.
func TestOnlyAMemberConcernsASet(t *testing.T) {
	set := web(2)
	member := func(name, app string) bool {
		return statefulset.IsMember(set, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"app": app},
		}})
	}
	assert.True(t, member("web-0", "web"))
	assert.True(t, member("web-9", "web"), "one too many is one of the set's as well")
	assert.False(t, member("web-0", "db"), "the labels are another's")
	assert.False(t, member("web-x", "web"), "the name is another's")
}

// A Pod whose labels are no longer the set's is let go, whatever it is called.
//
//book:exercise 4b
func TestALabelThatWasChangedLetsAPodGo(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2))
		rest(c)
		require.Equal(t, "web-0, web-1", names(c))
		kubetest.Edit(c, c.Pod("web-1"), func(p *corev1.Pod) { p.Labels["app"] = "mine" })
		rest(c)
		assert.Zero(t, len(c.Pod("web-1").OwnerReferences), "whose is it now?")
		// Its name is taken, so no other can be made. That is not reported each
		// time.
		assert.Equal(t, "web-0, web-1", names(c))
		assert.NotContains(t, strings.Join(c.Events(), "\n"), "Failed")
		c.DeletePod("web-1", kubetest.Grace(0))
		c.Advance(20 * time.Minute) // the queue has been patient
		rest(c)
		assert.NotEmpty(t, c.Pod("web-1").OwnerReferences)
	})
}
