package rollingupdate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// were returns ReplicaSets of these sizes, the oldest first, made when there
// could be so many Pods.
func were(most int, sizes ...int32) (sets []*appsv1.ReplicaSet) {
	for i, size := range sizes {
		sets = append(sets, set(fmt.Sprintf("v%d", i+1), size, size, born(int64(i)),
			noting(rollingupdate.MaxReplicasAnnotation, fmt.Sprint(most))))
	}
	return sets
}

func size(replicas int32, maxSurge string) *appsv1.Deployment {
	return web("web", replicas, bounds(maxSurge, "1"))
}

// The numbers are those of Kubernetes' own tests: TestScale in
// pkg/controller/deployment/sync_test.go.
//
//book:exercise 3h
func TestReplicaSetsAreResizedInProportion(t *testing.T) {
	for _, test := range []struct {
		what string
		d    *appsv1.Deployment
		sets []*appsv1.ReplicaSet
		want []int32
	}{
		{"5 -> 10", size(10, "0"), were(5, 3, 2), []int32{6, 4}},
		{"5 -> 3", size(3, "0"), were(5, 3, 2), []int32{2, 1}},
		{"9 -> 4", size(4, "0"), were(9, 1, 8), []int32{0, 4}},
		{"7 -> 10", size(10, "0"), were(7, 2, 3, 2), []int32{3, 4, 3}},
		{"13 -> 8", size(8, "0"), were(13, 3, 8, 2), []int32{2, 5, 1}},
		{"10 -> 20 with a surge of 2", size(20, "2"), were(12, 6, 6), []int32{11, 11}},
		{"10 -> 50, and the surge from 3 to 6", size(50, "6"), were(13, 8, 5), []int32{34, 22}},
		{"10 -> 14, two old ones", size(14, "0"), were(10, 3, 7), []int32{4, 10}},
		{"10 -> 30 with a surge of 25 %", size(30, "25%"), were(13, 8, 5), []int32{23, 15}},
		{"nothing to share out", size(10, "0"), were(10, 6, 4), []int32{6, 4}},
	} {
		assert.Equal(t, test.want, rollingupdate.Shares(test.d, test.sets), "sizes, oldest first, "+test.what)
	}
}

//book:exercise 3h
func TestWhatIsLeftOverGoesToTheSamePlaceEveryTime(t *testing.T) {
	for _, test := range []struct {
		what string
		d    *appsv1.Deployment
		sets []*appsv1.ReplicaSet
		want []int32
	}{
		{"one more: the newest of three as large", size(4, "0"), were(3, 1, 1, 1), []int32{1, 1, 2}},
		{"one fewer: the oldest", size(2, "0"), were(3, 1, 1, 1), []int32{0, 1, 1}},
		{"the last gets what is there, and not its share", size(8, "0"), were(3, 1, 1, 1), []int32{2, 3, 3}},
		{"the last gives what is still to go, and not its share", size(1, "0"), were(3, 1, 1, 1), []int32{0, 0, 1}},
		{"the largest, not the next", size(12, "0"), were(10, 7, 2, 1), []int32{9, 2, 1}},
		{"one more of two", size(5, "0"), were(4, 2, 2), []int32{2, 3}},
		{"the largest, not the newest", size(12, "0"), were(11, 6, 5), []int32{7, 5}},
	} {
		for range 3 {
			assert.Equal(t, test.want, rollingupdate.Shares(test.d, test.sets), test.what)
		}
		reversed := []*appsv1.ReplicaSet{}
		want := []int32{}
		for i := range test.sets {
			reversed = append(reversed, test.sets[len(test.sets)-1-i])
			want = append(want, test.want[len(test.want)-1-i])
		}
		assert.Equal(t, want, rollingupdate.Shares(test.d, reversed),
			"%s, listed the other way round", test.what)
	}
}

//book:exercise 3h
func TestADeploymentOfNoneHasNone(t *testing.T) {
	assert.Equal(t, []int32{0, 0, 0},
		rollingupdate.Shares(size(0, "3"), were(9, 1, 2, 3)))
}

// A person has removed the note, or written nonsense into it.
//
//book:exercise 3h
func TestAReplicaSetWithoutANoteIsResizedAsWellAsCanBe(t *testing.T) {
	d := size(10, "0")
	d.Status.Replicas = 5
	sets := were(5, 3, 2)
	sets[0].Annotations = nil
	sets[1].Annotations[rollingupdate.MaxReplicasAnnotation] = "many"
	assert.Equal(t, []int32{6, 4}, rollingupdate.Shares(d, sets))
	sets[1].Annotations[rollingupdate.MaxReplicasAnnotation] = "0"
	assert.Equal(t, []int32{6, 4}, rollingupdate.Shares(d, sets), "of none there is no share")
	d.Status.Replicas = 0
	assert.EqualValues(t, 10, total(rollingupdate.Shares(d, sets)),
		"nothing is known, and still it is ten")
	assert.Equal(t, []int32{0, 3, 3}, rollingupdate.Shares(size(2, "0"), were(1, 3, 3, 3)),
		"where it pays for the others, a ReplicaSet can give no more than it has")
}

//book:exercise 3h
func TestThereAreNeverMoreThanThereMayBe(t *testing.T) {
	for replicas := range int32(30) {
		for old := range int32(20) {
			for latest := range int32(20) {
				d := size(replicas, "25%")
				more, _ := rollingupdate.FencePosts(d.Spec.Strategy.RollingUpdate, replicas)
				most := replicas + more
				if replicas == 0 {
					most = 0
				}
				got := rollingupdate.Shares(d, were(int(old+latest+2), old+1, latest+1))
				require.LessOrEqual(t, total(got), most,
					"%d and %d, now %d", old+1, latest+1, replicas)
				for _, size := range got {
					require.GreaterOrEqual(t, size, int32(0))
				}
			}
		}
	}
}

func total(sizes []int32) (n int32) {
	for _, size := range sizes {
		n += size
	}
	return n
}

func TestADeploymentThatIsResizedInMidRolloutStaysWhereItIs(t *testing.T) {
	setup := rolled()
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 10, bounds("3", "2")))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:none"))
		c.Advance(time.Second)
		require.Equal(t, "1:8 2:5", sizes(c))
		edit(c, "web", sized(30))
		c.Advance(time.Second)
		assert.Equal(t, "1:20 2:13", sizes(c), "33 in the proportion of 8 to 5")
		for _, rs := range sets(c) {
			assert.Equal(t, "30", rs.Annotations[rollingupdate.DesiredReplicasAnnotation])
			assert.Equal(t, "33", rs.Annotations[rollingupdate.MaxReplicasAnnotation])
		}
	})
}

func TestAResizeWhileNothingRollsIsTheOneReplicaSets(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2))
		for _, replicas := range []int32{5, 0, 3} {
			c.Advance(10 * time.Second)
			edit(c, "web", sized(replicas))
			c.Advance(10 * time.Second)
			assert.Equal(t, fmt.Sprintf("1:%d", replicas), sizes(c))
		}
		assert.Equal(t, "3", sets(c)[0].Annotations[rollingupdate.DesiredReplicasAnnotation])
	})
}

// A person has scaled a ReplicaSet by hand to the size that it should get
// when the Deployment is scaled: there is nothing to scale, and still
// something to note. Without the note the Deployment would look resized for
// ever, and never roll again.
func TestAResizeThatIsThereAlreadyIsNoted(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2))
		c.Advance(10 * time.Second)
		edit(c, "web", sized(3))
		kubetest.Edit(c, sets(c)[0], func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = new(int32(3)) })
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:3", sizes(c))
	})
}

// The new ReplicaSet has all the Pods that are wanted, and none of them works.
func TestABrokenNewReplicaSetDoesNotEmptyTheOld(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2, bounds("2", "0")))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:none"))
		c.Advance(10 * time.Second)
		require.Equal(t, "1:2 2:2", sizes(c))
		edit(c, "web", paused(true))
		c.Advance(10 * time.Second)
		assert.Equal(t, "1:2 2:2", sizes(c))
	})
}

func TestADeploymentThatRecreatesIsNotSharedOut(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2, recreates))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:none"))
		c.Advance(10 * time.Second)
		edit(c, "web", paused(true))
		c.Advance(time.Second)
		kubetest.Edit(c, sets(c)[0], func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = new(int32(1)) })
		c.Advance(time.Second)
		assert.Equal(t, "1:1 2:2", sizes(c))
	})
}

// Paused, edited, emptied, and wanted again: there is no ReplicaSet of the new
// template, and of the old ones it is the youngest's turn.
func TestWithoutANewReplicaSetTheYoungestComesFirst(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(30 * time.Second)
		edit(c, "web", image("web:v3"), sized(0), paused(true))
		c.Advance(10 * time.Second)
		require.Equal(t, "1:0 2:0", sizes(c))
		edit(c, "web", sized(3))
		c.Advance(10 * time.Second)
		assert.Equal(t, "1:0 2:3", sizes(c))
	})
}

// An orphan that is adopted while the rollout is over: it has nothing to do.
func TestAnOldReplicaSetThatTurnsUpAfterwardsIsEmptied(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(time.Minute)
		kubetest.Edit(c, sets(c)[0], func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = new(int32(2)) })
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:2", sizes(c))
		edit(c, "web", paused(true))
		kubetest.Edit(c, sets(c)[0], func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = new(int32(2)) })
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:2", sizes(c), "though it is paused")
	})
}

// Bounds that were edited in mid-rollout: the two have noted different ones, and
// the fair share of one is more than it has while the sum has to shrink.
//
//book:exercise 3h
func TestNoReplicaSetGrowsWhileAnotherHasToShrink(t *testing.T) {
	sets := were(16, 8, 8)
	sets[1].Annotations[rollingupdate.MaxReplicasAnnotation] = "5"
	assert.Equal(t, []int32{1, 8}, rollingupdate.Shares(size(8, "1"), sets))
	sets = were(5, 2, 2)
	sets[0].Annotations[rollingupdate.MaxReplicasAnnotation] = "50"
	assert.Equal(t, []int32{2, 8}, rollingupdate.Shares(size(10, "0"), sets))
}
