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

func TestAPodIsSomebody(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1, from(3)))
		c.Settle()
		pod := c.Pod("web-3")
		assert.Equal(t, "web-3", pod.Spec.Hostname)
		assert.Equal(t, "nginx", pod.Spec.Subdomain)
		assert.Equal(t, "web-3", pod.Labels[appsv1.StatefulSetPodNameLabel])
		assert.Equal(t, "3", pod.Labels[appsv1.PodIndexLabel])
		assert.Equal(t, "web-", pod.GenerateName)
		assert.Equal(t, []string{
			"Normal SuccessfulCreate statefulset-controller: Create Pod web-3 in StatefulSet web successful",
		}, c.Events())
	})
}

func TestPodsComeInOrderAndGoInTheOther(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3))
		var seen []string
		for range 3 {
			c.Settle()
			seen = append(seen, names(c))
			serve(c)
		}
		c.Settle()
		assert.Equal(t, []string{
			"web-0 (not ready)", "web-0, web-1 (not ready)", "web-0, web-1, web-2 (not ready)",
		}, seen)
		scale(c, 1)
		seen = nil
		for range 3 {
			c.Settle()
			seen = append(seen, names(c))
			serve(c)
		}
		assert.Equal(t, []string{
			"web-0, web-1, web-2 (going)", "web-0, web-1 (going)", "web-0",
		}, seen)
	})
}

func TestAPodComesBackUnderItsOwnName(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2))
		rest(c)
		uid := c.Pod("web-0").UID
		c.DeletePod("web-0")
		rest(c)
		assert.Equal(t, "web-0, web-1", names(c))
		assert.NotEqual(t, uid, c.Pod("web-0").UID)
		is(c, "web-1", corev1.PodFailed, false)
		rest(c)
		assert.Equal(t, "web-0, web-1", names(c))
	})
}

// What the cache has not heard of must not be done twice, nor to another.
func TestADeletionMeansThisPodAndNotItsSuccessor(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		old := c.Pod("web-0")
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "delete" {
				return nil
			}
			// Meanwhile somebody else has deleted it, and it has come back.
			c.Client.Fail(nil)
			c.DeletePod("web-0", kubetest.Grace(0))
			next := controlloop.Copy(old)
			next.ResourceVersion, next.UID = "", ""
			_, err := c.Store.Create(tContext(), next)
			require.NoError(t, err)
			return nil
		})
		is(c, "web-0", corev1.PodFailed, false)
		c.Settle()
		require.NotEqual(t, old.UID, c.Pod("web-0").UID)
		assert.Nil(t, c.Pod("web-0").DeletionTimestamp, "the successor was told to go")
	})
}

// Who bears one of the set's names, and its labels, and belongs to nobody, is
// taken in at his place.
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
		assert.Equal(t, []string{"web-0", "web-1"}, ours)
		assert.EqualValues(t, 2, set.Status.Replicas)
	})
}

// One that turns up later is taken in as well, and taken away if it is one too
// many: somebody has to look.
//
//book:exercise 4.6
func TestAnOrphanWakesTheSetThatWouldHaveIt(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		orphan := kubetest.Pod("web-5", kubetest.Container("nginx", kubetest.Nginx))
		orphan.Labels = map[string]string{"app": "web"}
		kubetest.Create(c, orphan)
		rest(c)
		assert.Equal(t, "web-0", names(c), "nobody has looked at web-5")
	})
}

// An orphan that comes, or gets the labels, wakes the sets that would have it,
// and no others.
//
//book:exercise 4.6
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

func TestALabelThatWasChangedLetsAPodGo(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2))
		rest(c)
		kubetest.Edit(c, c.Pod("web-1"), func(p *corev1.Pod) { p.Labels["app"] = "mine" })
		rest(c)
		assert.Empty(t, c.Pod("web-1").OwnerReferences)
		// Its name is taken, so no other can be made.
		assert.Equal(t, "web-0, web-1", names(c))
		c.DeletePod("web-1", kubetest.Grace(0))
		c.Advance(20 * time.Minute) // the queue has been patient
		rest(c)
		assert.NotEmpty(t, c.Pod("web-1").OwnerReferences)
	})
}

func TestALostNameIsPutBack(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		kubetest.Edit(c, c.Pod("web-0"), func(p *corev1.Pod) {
			delete(p.Labels, appsv1.StatefulSetPodNameLabel)
		})
		rest(c)
		assert.Equal(t, "web-0", c.Pod("web-0").Labels[appsv1.StatefulSetPodNameLabel])
		assert.Contains(t, c.Events(),
			"Normal SuccessfulUpdate statefulset-controller: Update Pod web-0 in StatefulSet web successful")
	})
}

// A cache that is late is nothing that a user needs to know.
func TestAConflictOverALostNameIsNotTold(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "update" {
				return nil
			}
			c.Client.Fail(nil)
			return apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "web-0", errors.New("changed"))
		})
		kubetest.Edit(c, c.Pod("web-0"), func(p *corev1.Pod) {
			delete(p.Labels, appsv1.StatefulSetPodNameLabel)
		})
		rest(c)
		assert.Equal(t, "web-0", c.Pod("web-0").Labels[appsv1.StatefulSetPodNameLabel])
		assert.NotContains(t, strings.Join(c.Events(), "\n"), "FailedUpdate")
	})
}

func TestTheStatusCounts(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3, parallel, patient(10)))
		c.Settle()
		serve(c, "web-2")
		c.Settle()
		status := kubetest.Get(c, web(0)).Status
		assert.EqualValues(t, 3, status.Replicas)
		assert.EqualValues(t, 2, status.ReadyReplicas)
		assert.EqualValues(t, 0, status.AvailableReplicas)
		assert.EqualValues(t, 3, status.CurrentReplicas)
		assert.EqualValues(t, 1, status.ObservedGeneration)
		require.NotNil(t, status.CollisionCount)
		c.Advance(10 * time.Second)
		assert.EqualValues(t, 2, kubetest.Get(c, web(0)).Status.AvailableReplicas)
	})
}

func TestASetThatIsDeletedMakesNothing(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		set := web(2)
		set.Finalizers = []string{"example.com/held"}
		kubetest.Create(c, set)
		rest(c)
		require.NoError(t, c.Store.Delete(tContext(), statefulset.StatefulSetKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
		c.DeletePod("web-0", kubetest.Grace(0))
		rest(c)
		assert.Equal(t, "web-1", names(c))
		assert.EqualValues(t, 1, kubetest.Get(c, web(0)).Status.Replicas)
	})
}

func TestWhatIsRefusedIsTold(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		failed := c.Client.FailNth("create", 1)
		c.Settle()
		_, ok := failed()
		require.True(t, ok)
		c.Advance(time.Second)
		assert.Equal(t, "web-0 (not ready)", names(c))
		assert.Contains(t, c.Events()[0], "Warning FailedCreate statefulset-controller: Create Pod web-0 in StatefulSet web failed error: ")
	})
}

func TestOnANodeAStuckOrdinalHoldsUpAllBehindIt(t *testing.T) {
	in(t, onNodes, func(c *kubetest.Cluster) {
		c.SetImage("nginx:1.27", kubetest.Exits(time.Second, 1))
		kubetest.Create(c, web(3))
		c.Advance(time.Hour)
		assert.Equal(t, "web-0 (not ready)", names(c))
	})
}

// Found by a random history: the higher waits for the lower to be mended, and
// nobody will. Kubernetes' controller does the same (processCondemned in
// stateful_set_control.go).
func TestTwoThatFailedAndAreTooManyHoldEachOther(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3))
		rest(c)
		scale(c, 1)
		is(c, "web-1", corev1.PodFailed, false)
		is(c, "web-2", corev1.PodFailed, false)
		c.Advance(time.Hour)
		assert.Equal(t, "web-0, web-1 (not ready), web-2 (not ready)", names(c))
		c.DeletePod("web-1")
		rest(c)
		assert.Equal(t, "web-0", names(c))
	})
}
