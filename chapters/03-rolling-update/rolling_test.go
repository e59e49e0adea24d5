package rollingupdate_test

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

//book:exercise 3b
func TestTheNewReplicaSetTakesTheRoomThereIs(t *testing.T) {
	for name, test := range map[string]struct{ size, want, room, grown int32 }{
		"none yet, and room for one":             {0, 3, 1, 1},
		"room for more than are wanted":          {2, 6, 10, 6},
		"no room":                                {1, 3, 0, 1},
		"too many already":                       {1, 3, -2, 1},
		"it has them all":                        {3, 3, 1, 3},
		"it has more: the Deployment has shrunk": {5, 3, 4, 3},
	} {
		assert.Equal(t, test.grown,
			rollingupdate.Grown(test.size, test.want, test.room), name)
	}
}

//book:exercise 3c
func TestAsManyOldPodsGoAsCanBeSpared(t *testing.T) {
	for _, test := range []struct {
		name    string
		latest  *appsv1.ReplicaSet
		old     []*appsv1.ReplicaSet
		atLeast int32
		want    []int32
	}{
		{"two may be missing", set("new", 0, 0), of(10), 8, []int32{8}},
		{"none may be missing, and one new is available",
			set("new", 1, 1), of(3), 3, []int32{2}},
		{"new ones that are not available do not replace anybody",
			set("new", 5, 0), of(8), 8, []int32{8}},
		{"some of the new are available", set("new", 5, 2), of(8), 8, []int32{6}},
		{"the oldest goes first", set("new", 4, 4), of(3, 5), 8, []int32{0, 4}},
		{"there is nobody old", set("new", 3, 3), of(0), 3, []int32{0}},
		{"fewer are available than should be", set("new", 0, 0),
			[]*appsv1.ReplicaSet{set("old", 10, 8)}, 10, []int32{10}},
		{"all may go", set("new", 3, 3), of(3), 3, []int32{0}},
		{"five could be spared, and three are there, of which one is not available",
			set("new", 10, 10), []*appsv1.ReplicaSet{set("old", 3, 2)}, 8, []int32{0}},
	} {
		assert.Equal(t, test.want,
			rollingupdate.Shrink(test.latest, test.old, test.atLeast), test.name)
	}
}

// of returns old ReplicaSets of these sizes whose Pods are all available.
func of(sizes ...int32) (sets []*appsv1.ReplicaSet) {
	for i, size := range sizes {
		sets = append(sets, set(string(rune('a'+i)), size, size))
	}
	return sets
}

//book:exercise 3c
func TestOldPodsThatAreNotAvailableGoFirst(t *testing.T) {
	assert.Equal(t, []int32{8}, rollingupdate.Shrink(set("new", 0, 0),
		[]*appsv1.ReplicaSet{set("old", 10, 9)}, 8), "one that is not, then one that is")
	assert.Equal(t, []int32{8}, rollingupdate.Shrink(set("new", 0, 0),
		[]*appsv1.ReplicaSet{set("old", 10, 8)}, 8), "both of them are not")
	assert.Equal(t, []int32{4, 0}, rollingupdate.Shrink(set("new", 4, 4),
		[]*appsv1.ReplicaSet{set("older", 4, 4), set("broken", 5, 0)}, 8),
		"the oldest are well, and stay while others are not")
	assert.Equal(t, []int32{2, 3}, rollingupdate.Shrink(set("new", 4, 4),
		[]*appsv1.ReplicaSet{set("older", 4, 4), set("half", 5, 3)}, 9),
		"two that are not, of the younger, and then the oldest")
	assert.Equal(t, []int32{1}, rollingupdate.Shrink(set("undone", 8, 7),
		[]*appsv1.ReplicaSet{set("broken", 5, 0)}, 8),
		"the rollout was taken back: 13 - 8 - 1 may go")
}

// A status is written a moment after a size. In that moment it counts Pods
// that are as good as gone.
//
//book:exercise 3c
func TestAStatusThatLagsBehindCountsNobodyTwice(t *testing.T) {
	assert.Equal(t, []int32{8}, rollingupdate.Shrink(set("new", 2, 0),
		[]*appsv1.ReplicaSet{set("old", 8, 10)}, 8),
		"10 were available, and 2 of these were told to go")
	assert.Equal(t, []int32{6}, rollingupdate.Shrink(set("new", 2, 2),
		[]*appsv1.ReplicaSet{set("old", 8, 10)}, 8))
	assert.Equal(t, []int32{1}, rollingupdate.Shrink(set("new", 3, 5),
		[]*appsv1.ReplicaSet{set("old", 1, 1)}, 4),
		"of the 5 new ones, 2 were told to go")
}

//book:exercise 3b
func TestAnUpdateOfThreeGoesOneByOne(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 3))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(30 * time.Second)
		require.Equal(t, []string{
			"Scaled up replica set of revision 1 from 0 to 3",
			"Scaled up replica set of revision 2 from 0 to 1",
			"Scaled down replica set of revision 1 from 3 to 2",
			"Scaled up replica set of revision 2 from 1 to 2",
			"Scaled down replica set of revision 1 from 2 to 1",
			"Scaled up replica set of revision 2 from 2 to 3",
			"Scaled down replica set of revision 1 from 1 to 0",
		}, scalings(c))
		assert.Equal(t, map[string]int{"web:v2": 3}, ready(c))
		d := get(c, "web")
		assert.Equal(t, "2", revision(d))
		assert.Equal(t, `True NewReplicaSetAvailable: ReplicaSet "`+sets(c)[1].Name+
			`" has successfully progressed.`, says(d, appsv1.DeploymentProgressing))
	})
}

// The four ways to cross: more first, fewer first, both, all at once.
//
//book:exercise 3b
func TestTheBoundsDecideHowAnUpdateGoes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		surge, unavailable string
		want               []string
	}{
		{"1", "0", []string{"up 0 1", "down 4 3", "up 1 2", "down 3 2",
			"up 2 3", "down 2 1", "up 3 4", "down 1 0"}},
		{"0", "1", []string{"down 4 3", "up 0 1", "down 3 2", "up 1 2",
			"down 2 1", "up 2 3", "down 1 0", "up 3 4"}},
		{"25%", "25%", []string{"up 0 1", "down 4 3", "up 1 2", "down 3 2",
			"up 2 3", "down 2 1", "up 3 4", "down 1 0"}},
		{"100%", "0", []string{"up 0 4", "down 4 3", "down 3 2", "down 2 1",
			"down 1 0"}},
	} {
		in(t, rolled(), func(c *kubetest.Cluster) {
			kubetest.Create(c, web("web", 4, bounds(test.surge, test.unavailable)))
			c.Advance(10 * time.Second)
			edit(c, "web", image("web:v2"))
			c.Advance(time.Minute)
			assert.Equal(t, test.want, went(t, c), "maxSurge %s and maxUnavailable %s", test.surge, test.unavailable)
			assert.Equal(t, "1:0 2:4", sizes(c))
		})
	}
}

// went returns how an update has gone, from when all Pods were there.
func went(t *testing.T, c *kubetest.Cluster) (all []string) {
	events := scalings(c)
	require.NotEmpty(t, events, "it was never made")
	for _, event := range events[1:] {
		all = append(all, inShort(event))
	}
	return all
}

// One of four is not available, and two may be missing.
//
//book:exercise 3b
func TestOneReplicaSetMayShrinkTwiceAtOneLook(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4, bounds("0", "2")))
		c.Advance(10 * time.Second)
		require.Equal(t, map[string]int{"web:v1": 4}, ready(c))
		c.DeletePod(c.Pods()[0].Name)
		c.Settle() // its successor is there, and not ready
		edit(c, "web", image("web:v2"))
		c.Settle()
		assert.Equal(t, "1:2 2:2", sizes(c), "the one that does not work, and one more")
	})
}

// At every write of an update, by whichever controller: no more Pods are wanted
// than may be, and no fewer are available.
//
//book:exercise 3b
func TestAnUpdateKeepsBetweenItsFencePosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		surge, unavailable string
		most, fewest       int
	}{
		{"1", "0", 5, 4}, {"0", "1", 4, 3}, {"2", "1", 6, 3}, {"100%", "0", 8, 4},
	} {
		setup := rolled()
		serving := false
		setup.Invariants = []kubetest.Invariant{
			func(w kubetest.Write, before []kubetest.Write) error {
				wanted, available := counts(append(slices.Clip(before), w))
				if wanted > test.most {
					return fmt.Errorf("%d are wanted, and %d may be", wanted, test.most)
				}
				if serving && available < test.fewest {
					return fmt.Errorf("%d are available, and %d must be", available, test.fewest)
				}
				return nil
			},
		}
		in(t, setup, func(c *kubetest.Cluster) {
			kubetest.Create(c, web("web", 4, bounds(test.surge, test.unavailable)))
			c.Advance(10 * time.Second)
			require.Equal(t, "1:4", sizes(c))
			serving = true
			edit(c, "web", image("web:v2"))
			c.Advance(7 * time.Second)
			edit(c, "web", image("web:v3"))
			c.Advance(time.Minute)
			assert.Equal(t, "1:0 2:0 3:4", sizes(c))
		})
	}
}

// counts returns how many Pods the ReplicaSets want after some writes, and how
// many are ready and not told to go.
func counts(writes []kubetest.Write) (wanted, available int) {
	newest := map[string]controlloop.Object{}
	for _, w := range writes {
		if w.Type == watch.Deleted {
			delete(newest, w.Object.GetName())
		} else {
			newest[w.Object.GetName()] = w.Object
		}
	}
	for _, obj := range newest {
		switch obj := obj.(type) {
		case *appsv1.ReplicaSet:
			wanted += int(*obj.Spec.Replicas)
		case *corev1.Pod:
			if kubetest.Ready(obj) && obj.DeletionTimestamp == nil {
				available++
			}
		}
	}
	return wanted, available
}

// A second edit before the first has arrived: its Pods are no longer the goal,
// and the first to go as far as they are not ready.
//
//book:exercise 3b
func TestAnEditInMidRolloutTurnsRound(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(time.Second)
		require.Equal(t, "1:3 2:2", sizes(c))
		edit(c, "web", image("web:v3"))
		c.Advance(time.Second)
		assert.Equal(t, "1:3 2:0 3:2", sizes(c))
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:0 3:4", sizes(c))
		assert.Equal(t, map[string]int{"web:v3": 4}, ready(c))
	})
}

func TestRecreateIsSteeredToo(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2, func(d *appsv1.Deployment) {
			d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		}))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(20 * time.Second)
		edit(c, "web", sized(3))
		c.Advance(10 * time.Second)
		assert.Equal(t, "rolled back", undo(t, c, "web", 0))
		c.Advance(20 * time.Second)
		assert.Equal(t, "2:0 3:3", sizes(c))
		assert.Equal(t, map[string]int{"web:v1": 3}, ready(c))
	})
}

func TestADeploymentThatRecreatesIsAvailableWhenAllOfItIs(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2, func(d *appsv1.Deployment) {
			d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		}))
		c.Advance(10 * time.Second)
		c.DeletePod(c.Pods()[0].Name)
		c.Settle()
		assert.Contains(t, says(get(c, "web"), appsv1.DeploymentAvailable), "False")
		c.Advance(10 * time.Second)
		assert.Contains(t, says(get(c, "web"), appsv1.DeploymentAvailable), "True")
	})
}

// A controller that swallows an error waits for an event that never comes.
//
//book:exercise 3b
func TestAnUpdateWhoseReplicaSetIsRefusedSaysSoAndTriesAgain(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		told := refusing(c, "deployment", "create", deployment.ReplicaSetKind)
		kubetest.Create(c, web("web", 1))
		c.Advance(time.Second)
		errs := told()
		require.Greater(t, len(errs), 3, "it was tried again, later and later")
		assert.Equal(t, "unexpected EOF", errs[0])
		c.Advance(time.Minute)
		assert.Equal(t, "1:1", sizes(c))
	})
}

// Growing and shrinking can be refused, each for itself.
//
//book:exercise 3b
func TestAScalingThatIsRefusedIsToldAndTriedAgain(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "replicasets"}, "web", io.EOF)
	for of, refusal := range map[string]struct {
		says string
		why  error
	}{
		"1": {" from 2 to 1: ", io.ErrUnexpectedEOF}, "2": {" from 1 to 2: ", conflict},
	} {
		t.Run("of revision "+of, func(t *testing.T) {
			in(t, rolled(), func(c *kubetest.Cluster) {
				kubetest.Create(c, web("web", 2, bounds("1", "0")))
				c.Advance(10 * time.Second)
				edit(c, "web", image("web:v2"))
				c.Settle()
				var told string
				c.Controller("deployment").OnError = func(_ controlloop.Key, err error) {
					told = err.Error()
				}
				c.Client.Fail(func(call kubetest.Call) error {
					for _, rs := range sets(c) {
						if call.Verb == "update" && call.Key == controlloop.KeyOf(rs) && revision(rs) == of {
							return refusal.why
						}
					}
					return nil
				})
				c.Advance(time.Minute)
				require.Contains(t, told, refusal.says+refusal.why.Error())
				c.Client.Fail(nil)
				c.Advance(5 * time.Minute)
				assert.Equal(t, "1:0 2:2", sizes(c))
			})
		})
	}
}

// A user who takes the surge back in the middle of an update leaves more Pods
// than may be: there is less than no room for those of the next template.
//
//book:exercise 3b
func TestAnUpdateWithoutRoomBeginsWithNone(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4, bounds("100%", "0")))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(time.Second)
		require.Equal(t, "1:4 2:4", sizes(c))
		edit(c, "web", image("web:v3"), bounds("1", "0"))
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:0 3:4", sizes(c))
	})
}
