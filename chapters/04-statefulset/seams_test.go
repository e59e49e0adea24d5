package statefulset_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

var errNotYet = errors.New("not yet")

// byNumber is an Update from one revision to the next: those from an ordinal on
// are of the new one, and give way to it one at a time, the lowest first.
type byNumber struct {
	from   int
	atOnce bool  // all of them, and not one at a time
	wrong  error // the error of Versions
}

func (u *byNumber) Versions(_ context.Context, set *appsv1.StatefulSet, _ []*corev1.Pod) (statefulset.Versions, error) {
	return statefulset.Versions{
		Current: statefulset.Version{Revision: "one", Template: &set.Spec.Template},
		Update:  statefulset.Version{Revision: "two", Template: &set.Spec.Template},
	}, u.wrong
}

func (u *byNumber) For(_ *appsv1.StatefulSet, v statefulset.Versions, ordinal int) statefulset.Version {
	if ordinal >= u.from {
		return v.Update
	}
	return v.Current
}

func (u *byNumber) GiveWay(set *appsv1.StatefulSet, v statefulset.Versions, replicas []*corev1.Pod) []*corev1.Pod {
	var old []*corev1.Pod
	for n, pod := range replicas {
		if pod.Labels[appsv1.ControllerRevisionHashLabelKey] != u.For(set, v, n).Revision {
			old = append(old, pod)
		}
	}
	if u.atOnce {
		return old
	}
	return old[:min(1, len(old))]
}

// keeper is Claims that note what they are asked, and may refuse.
type keeper struct {
	equipped, kept []string
	refuse, lose   string // names of Pods
}

func (k *keeper) Equip(_ context.Context, _ *appsv1.StatefulSet, pod *corev1.Pod) error {
	k.equipped = append(k.equipped, pod.Name)
	pod.Annotations = map[string]string{"equipped": "yes"}
	if pod.Name == k.refuse {
		return errNotYet
	}
	return nil
}

func (k *keeper) Keep(_ context.Context, _ *appsv1.StatefulSet, pod *corev1.Pod) error {
	k.kept = append(k.kept, pod.Name)
	if pod.Name == k.lose {
		return errNotYet
	}
	return nil
}

// with returns a cluster whose sets are run with these seams filled.
func with(claims statefulset.Claims, update statefulset.Update) kubetest.Setup {
	setup := ordered
	setup.Controllers = []kubetest.Controller{func(s *controlloop.System) *controlloop.Controller {
		return statefulset.NewStatefulSetsWith(s, claims, update)
	}}
	return setup
}

// revisions returns those of the Pods, in order.
func revisions(c *kubetest.Cluster) (all []string) {
	for _, pod := range c.Pods() {
		all = append(all, pod.Labels[appsv1.ControllerRevisionHashLabelKey])
	}
	return all
}

func TestAPodIsOfTheVersionThatItsOrdinalGets(t *testing.T) {
	in(t, with(statefulset.NoClaims{}, &byNumber{from: 2}), func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3))
		rest(c)
		assert.Equal(t, []string{"one", "one", "two"}, revisions(c))
		status := kubetest.Get(c, web(0)).Status
		assert.Equal(t, "one", status.CurrentRevision)
		assert.Equal(t, "two", status.UpdateRevision)
		assert.EqualValues(t, 2, status.CurrentReplicas)
		assert.EqualValues(t, 1, status.UpdatedReplicas)

		c.DeletePod("web-0") // it exists, and is of neither
		c.Settle()
		status = kubetest.Get(c, web(0)).Status
		assert.EqualValues(t, 3, status.Replicas)
		assert.EqualValues(t, 3, status.ReadyReplicas)
		assert.EqualValues(t, 3, status.AvailableReplicas)
		assert.EqualValues(t, 1, status.CurrentReplicas)
		assert.EqualValues(t, 1, status.UpdatedReplicas)
	})
}

func TestAPodOfNoRevisionHasNoLabelOfOne(t *testing.T) {
	in(t, ordered, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		c.Settle()
		assert.NotContains(t, c.Pod("web-0").Labels, appsv1.ControllerRevisionHashLabelKey)
	})
}

// One gives way, comes back, and only then the next does.
func TestPodsGiveWayWhenTheSetIsAsItShouldBe(t *testing.T) {
	update := &byNumber{from: 9}
	in(t, with(statefulset.NoClaims{}, update), func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3))
		rest(c)
		require.Equal(t, []string{"one", "one", "one"}, revisions(c))
		is(c, "web-2", corev1.PodRunning, false)
		c.Settle()
		update.from = 0
		kubetest.Edit(c, web(0), func(set *appsv1.StatefulSet) { set.Spec.MinReadySeconds = 1 })
		c.Advance(time.Minute)
		require.Equal(t, "web-0, web-1, web-2 (not ready)", names(c), "one of them does not work")
		is(c, "web-2", corev1.PodRunning, true)
		c.Advance(time.Minute)
		assert.Equal(t, "web-0 (going), web-1, web-2", names(c))

		refused := c.Client.FailNth("delete", 1)
		rest(c)
		_, ok := refused()
		require.True(t, ok)
		c.Advance(time.Minute)
		rest(c)
		assert.Equal(t, []string{"two", "two", "two"}, revisions(c))
		assert.True(t, c.Told(kubetest.ErrFailedOnce), "a deletion was refused, and nobody was told")
	})
}

func TestAllGiveWayWhoAreToldTo(t *testing.T) {
	update := &byNumber{from: 9}
	in(t, with(statefulset.NoClaims{}, update), func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2))
		rest(c)
		update.from, update.atOnce = 0, true
		kubetest.Edit(c, web(0), func(set *appsv1.StatefulSet) { set.Spec.MinReadySeconds = 1 })
		c.Settle()
		assert.Equal(t, "web-0 (going), web-1 (going)", names(c))
	})
}

func TestWithoutVersionsNothingIsDone(t *testing.T) {
	update := &byNumber{wrong: errNotYet}
	in(t, with(statefulset.NoClaims{}, update), func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		c.Settle()
		assert.Empty(t, c.Pods())
		assert.True(t, c.Told(errNotYet))
		update.wrong = nil
		c.Advance(time.Minute)
		assert.Equal(t, "web-0 (not ready)", names(c))
	})
}

func TestAPodIsEquippedBeforeItIsMade(t *testing.T) {
	claims := &keeper{refuse: "web-1"}
	in(t, with(claims, statefulset.OnDelete{}), func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2))
		rest(c)
		assert.Equal(t, "web-0", names(c), "web-1 has nothing to work with")
		assert.Equal(t, "yes", c.Pod("web-0").Annotations["equipped"])
		assert.True(t, c.Told(errNotYet))
		assert.Contains(t, c.Events(), "Warning FailedCreate statefulset-controller: "+
			"Create Pod web-1 in StatefulSet web failed error: not yet")
		claims.refuse = ""
		c.Advance(20 * time.Minute)
		rest(c)
		assert.Equal(t, "web-0, web-1", names(c))
	})
}

// Whatever else is to be done, the belongings of existing Pods are seen to
// first, also of those that are too many.
func TestWhatBelongsToAPodIsSeenToFirst(t *testing.T) {
	claims := &keeper{}
	in(t, with(claims, statefulset.OnDelete{}), func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3))
		rest(c)
		claims.kept, claims.lose = nil, "web-2"
		scale(c, 1)
		c.Settle()
		assert.Equal(t, []string{"web-0", "web-2"}, claims.kept[:2], "the highest first")
		assert.NotContains(t, claims.kept, "web-1")
		assert.Equal(t, "web-0, web-1, web-2", names(c), "it cannot be kept, so it stays")
		assert.True(t, c.Told(errNotYet))
		claims.lose = ""
		c.Advance(20 * time.Minute)
		rest(c)
		assert.Equal(t, "web-0", names(c))

		scale(c, 2)
		rest(c)
		claims.kept = nil
		c.DeletePod("web-0", kubetest.Grace(0))
		c.Settle()
		assert.Equal(t, "web-1", claims.kept[0], "there is nobody before it")
	})
}

// In order the belongings of a Pod that is too many wait for its turn: until then
// it takes nothing along, whoever deletes it.
func TestWhatBelongsToAPodWaitsForItsTurn(t *testing.T) {
	for policy, want := range map[appsv1.PodManagementPolicyType][]string{
		appsv1.OrderedReadyPodManagement: {"web-0"},
		appsv1.ParallelPodManagement:     {"web-0", "web-2", "web-1"},
	} {
		claims := &keeper{}
		in(t, with(claims, statefulset.OnDelete{}), func(c *kubetest.Cluster) {
			kubetest.Create(c, web(3, func(set *appsv1.StatefulSet) { set.Spec.PodManagementPolicy = policy }))
			rest(c)
			is(c, "web-0", corev1.PodRunning, false)
			c.Settle()
			claims.kept = nil
			scale(c, 1)
			c.Settle()
			assert.Equal(t, want, claims.kept[:len(want)], policy)
			if policy == appsv1.OrderedReadyPodManagement {
				assert.NotContains(t, claims.kept, "web-2")
				assert.NotContains(t, claims.kept, "web-1")
			}
		})
	}
}
