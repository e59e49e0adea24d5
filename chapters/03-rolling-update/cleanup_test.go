package rollingupdate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// numbered returns an empty ReplicaSet of that revision.
func numbered(revision int, changes ...func(*appsv1.ReplicaSet)) *appsv1.ReplicaSet {
	changes = append(changes,
		noting(rollingupdate.RevisionAnnotation, fmt.Sprint(revision)))
	return set(fmt.Sprintf("r%d", revision), 0, 0, changes...)
}

func names(sets []*appsv1.ReplicaSet) (names []string) {
	for _, rs := range sets {
		names = append(names, rs.Name)
	}
	return names
}

// forgotten returns the names of those that are outdated, which may be in any order.
func forgotten(old []*appsv1.ReplicaSet, limit int) []string {
	return slices.Sorted(slices.Values(names(rollingupdate.Outdated(old, limit))))
}

//book:exercise 3i
func TestTheLowestRevisionsAreForgotten(t *testing.T) {
	old := []*appsv1.ReplicaSet{numbered(7), numbered(2), numbered(10), numbered(1)}
	assert.Equal(t, []string{"r1", "r2"}, forgotten(old, 2))
	assert.Equal(t, []string{"r1", "r2", "r7"}, forgotten(old, 1),
		"10 is more than 7, though not in a dictionary")
	assert.Equal(t, []string{"r1", "r10", "r2", "r7"}, forgotten(old, 0))
	assert.Empty(t, rollingupdate.Outdated(old, 4))
	assert.Empty(t, rollingupdate.Outdated(old, 10))
	assert.Equal(t, []string{"r7", "r2", "r10", "r1"}, names(old), "the list is a cache's")
}

//book:exercise 3i
func TestOfOneRevisionTheOlderIsForgottenFirst(t *testing.T) {
	young, aged := numbered(1, born(2)), numbered(1, born(1))
	young.Name, aged.Name = "a", "b"
	assert.Equal(t, []string{"b"},
		names(rollingupdate.Outdated([]*appsv1.ReplicaSet{young, aged}, 1)))
}

//book:exercise 3i
func TestWhatHasPodsIsNotForgotten(t *testing.T) {
	for name, change := range map[string]func(*appsv1.ReplicaSet){
		"it wants one":          func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = new(int32(1)) },
		"it has one":            func(rs *appsv1.ReplicaSet) { rs.Status.Replicas = 1 },
		"it may be making some": func(rs *appsv1.ReplicaSet) { rs.Generation = 2 },
	} {
		old := []*appsv1.ReplicaSet{numbered(1, change), numbered(2), numbered(3)}
		assert.Equal(t, []string{"r2"}, forgotten(old, 1), name)
		assert.Empty(t, rollingupdate.Outdated(old, 2), "%s: none in its place", name)
		old = []*appsv1.ReplicaSet{numbered(1), numbered(2), numbered(3, change)}
		assert.Equal(t, []string{"r1", "r2"}, forgotten(old, 1),
			"%s: it is one of those that are kept", name)
	}
}

//book:exercise 3i
func TestWhatIsOnItsWayOutDoesNotCount(t *testing.T) {
	going := numbered(1, func(rs *appsv1.ReplicaSet) {
		rs.DeletionTimestamp = new(metav1.Unix(1, 0))
	})
	assert.Equal(t, []string{"r2"}, names(rollingupdate.Outdated(
		[]*appsv1.ReplicaSet{going, numbered(2), numbered(3)}, 1)))
	going = numbered(9, func(rs *appsv1.ReplicaSet) {
		rs.DeletionTimestamp = new(metav1.Unix(1, 0))
	})
	assert.Equal(t, []string{"r2"}, names(rollingupdate.Outdated(
		[]*appsv1.ReplicaSet{going, numbered(2), numbered(3)}, 1)), "one is left, besides the one that goes")
}

func limit(revisions int32) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.RevisionHistoryLimit = &revisions }
}

func TestAsManyRevisionsAreKeptAsAreAskedFor(t *testing.T) {
	t.Parallel()
	for n, want := range map[int32]string{
		0: "5:2", 1: "4:0 5:2", 2: "3:0 4:0 5:2",
		10: "1:0 2:0 3:0 4:0 5:2", math.MaxInt32: "1:0 2:0 3:0 4:0 5:2",
	} {
		in(t, rolled(), func(c *kubetest.Cluster) {
			kubetest.Create(c, web("web", 2, limit(n)))
			for v := range 5 {
				edit(c, "web", image(fmt.Sprintf("web:v%d", v+1)))
				c.Advance(30 * time.Second)
			}
			assert.Equal(t, want, sizes(c))
		})
	}
}

func TestWithoutAHistoryThereIsNoWayBack(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2, limit(0)))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(30 * time.Second)
		_, err := rollingupdate.Undo(t.Context(), c.Store, kubetest.Named("web"), 0)
		assert.EqualError(t, err, `no rollout history found for deployment "web"`)
	})
}

// The way back is needed most while the rollout does not arrive.
func TestNothingIsForgottenBeforeTheRolloutHasArrived(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2, limit(0)))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:none"))
		c.Advance(2 * time.Minute)
		assert.Equal(t, "1:2 2:1", sizes(c))
		edit(c, "web", image("web:v3"))
		c.Advance(2 * time.Minute)
		assert.Equal(t, "3:2", sizes(c))
	})
}
