package rollingupdate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// numbers returns the revision of a ReplicaSet, and those that it had.
func numbers(rs *appsv1.ReplicaSet) []string {
	return []string{revision(rs), rs.Annotations[rollingupdate.RevisionHistoryAnnotation]}
}

//book:exercise 3g
func TestAReplicaSetGetsItsNumber(t *testing.T) {
	rs := set("web", 3, 3)
	rollingupdate.Assign(rs, 1)
	assert.Equal(t, []string{"1", ""}, numbers(rs), "its first has no history")
	assert.NotContains(t, rs.Annotations, rollingupdate.RevisionHistoryAnnotation, "nor an empty one")
	rollingupdate.Assign(rs, 1)
	assert.Equal(t, []string{"1", ""}, numbers(rs))
}

//book:exercise 3g
func TestAReplicaSetThatIsUsedAgainKeepsTheNumbersItHad(t *testing.T) {
	rs := numbered(1)
	rollingupdate.Assign(rs, 3)
	assert.Equal(t, []string{"3", "1"}, numbers(rs))
	rollingupdate.Assign(rs, 12)
	assert.Equal(t, []string{"12", "1,3"}, numbers(rs))
}

//book:exercise 3g
func TestWhatIsNoNumberIsLeftAlone(t *testing.T) {
	rs := set("web", 3, 3)
	rollingupdate.Assign(rs, 2)
	require.Equal(t, []string{"2", ""}, numbers(rs))
	for _, text := range []string{"two", "2a", "99999999999999999999"} {
		rs.Annotations[rollingupdate.RevisionAnnotation] = text
		rollingupdate.Assign(rs, 3)
		assert.Equal(t, []string{text, ""}, numbers(rs))
	}
	rs = numbered(math.MaxInt64 - 1)
	rollingupdate.Assign(rs, math.MaxInt64)
	assert.Equal(t, fmt.Sprint(math.MaxInt64), revision(rs), "large, and a number")
}

// Old ones may have been deleted since: the highest of the others is lower.
//
//book:exercise 3g
func TestANumberNeverGoesDown(t *testing.T) {
	rs := numbered(10)
	rollingupdate.Assign(rs, 9)
	rollingupdate.Assign(rs, 10)
	assert.Equal(t, []string{"10", ""}, numbers(rs))
	rollingupdate.Assign(rs, 11)
	assert.Equal(t, []string{"11", "10"}, numbers(rs))
}

//book:exercise 3g
func TestTheNumbersThatItHadDoNotFillTheStore(t *testing.T) {
	rs := numbered(1)
	given := map[string]bool{"1": true}
	longest := 0
	for n := range int64(3000) {
		rollingupdate.Assign(rs, 2*n+3)
		given[revision(rs)] = true
		longest = max(longest, len(numbers(rs)[1]))
		oldest, _, _ := strings.Cut(numbers(rs)[1], ",")
		require.True(t, given[oldest], "%q was never given", oldest)
	}
	assert.Equal(t, 2000, longest)
	assert.Equal(t, "6001", numbers(rs)[0])
	assert.True(t, strings.HasSuffix(numbers(rs)[1], ",5997,5999"), "the oldest are dropped")
}

//book:exercise 3g
func TestUndoGoesToTheLastButOne(t *testing.T) {
	three := []*appsv1.ReplicaSet{numbered(2), numbered(9), numbered(10)}
	d := web("web", 3)
	for to, want := range map[int64]string{0: "r9", 2: "r2", 9: "r9", 10: "r10"} {
		rs, err := rollingupdate.Target(d, three, to)
		if assert.NoError(t, err) && assert.NotNil(t, rs) {
			assert.Equal(t, want, rs.Name, "undo to revision %d, of r2, r9 and r10 (0 is the last but one)", to)
		}
	}
	rs, err := rollingupdate.Target(d, three[:2], 0)
	if assert.NoError(t, err, "of two there is one to go back to") && assert.NotNil(t, rs) {
		assert.Equal(t, "r2", rs.Name)
	}
	_, err = rollingupdate.Target(d, three, 3)
	assert.EqualError(t, err, "unable to find specified revision 3 in history")
	rollingupdate.Assign(three[2], 11)
	require.Equal(t, []string{"11", "10"}, numbers(three[2]))
	_, err = rollingupdate.Target(d, three, 10)
	assert.EqualError(t, err, "unable to find specified revision 10 in history", "it had that number")
	_, err = rollingupdate.Target(d, three, -1)
	assert.EqualError(t, err, "unable to find specified revision -1 in history")
	_, err = rollingupdate.Target(d, three[:1], 0)
	assert.EqualError(t, err, `no rollout history found for deployment "web"`)
	_, err = rollingupdate.Target(d, nil, 0)
	assert.EqualError(t, err, `no rollout history found for deployment "web"`)
}

func TestUndoUsesTheOldReplicaSetAgainAndGivesItTheNextNumber(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2))
		c.Advance(10 * time.Second)
		first := sets(c)[0]
		edit(c, "web", image("web:v2"))
		c.Advance(30 * time.Second)
		edit(c, "web", image("web:v3"))
		c.Advance(30 * time.Second)
		require.Equal(t, "1:0 2:0 3:2", sizes(c))

		assert.Equal(t, "rolled back", undo(t, c, "web", 1))
		c.Advance(30 * time.Second)
		assert.Equal(t, "2:0 3:0 4:2", sizes(c), "there is no 1 any more")
		last := sets(c)[2]
		assert.Equal(t, first.UID, last.UID)
		assert.Equal(t, []string{"4", "1"}, numbers(last))
		assert.Equal(t, "4", revision(get(c, "web")))
		assert.NotContains(t, get(c, "web").Spec.Template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)

		_, err := rollingupdate.Undo(t.Context(), c.Store, kubetest.Named("web"), 1)
		assert.EqualError(t, err, "unable to find specified revision 1 in history")
		assert.Equal(t, "rolled back", undo(t, c, "web", 0), "to 3")
		c.Advance(30 * time.Second)
		assert.Equal(t, map[string]int{"web:v3": 2}, ready(c))
		assert.Equal(t, "2:0 4:0 5:2", sizes(c))
	})
}

func TestUndoToWhatIsThereDoesNothing(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		writes := len(c.Writes())
		assert.Equal(t, "skipped rollback (current template already matches revision 1)",
			undo(t, c, "web", 1))
		c.Advance(10 * time.Second)
		assert.Len(t, c.Writes(), writes)
	})
}

func TestARestartIsTriedAgainWhenSomebodyWasFaster(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		c.Client.Fail(faster(c, 1))
		require.NoError(t, rollingupdate.Restart(t.Context(), c.Client, kubetest.Named("web")))
		assert.EqualValues(t, 2, *get(c, "web").Spec.Replicas, "the other's edit is kept")
		assert.Contains(t, get(c, "web").Spec.Template.Annotations, rollingupdate.RestartedAtAnnotation)
	})
}

// Against a user who is always faster an edit gives up: it does not go on for
// ever.
func TestAnEditGivesUpAfterFiveTries(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		c.Client.Fail(faster(c, 100))
		err := rollingupdate.Restart(t.Context(), c.Client, kubetest.Named("web"))
		assert.True(t, apierrors.IsConflict(err), "%v", err)
		assert.EqualValues(t, 6, *get(c, "web").Spec.Replicas)
	})
}

// faster scales the Deployment up just before an update, so often.
func faster(c *kubetest.Cluster, times int) func(kubetest.Call) error {
	replicas := int32(1)
	return func(call kubetest.Call) error {
		if call.Verb == "update" && int(replicas) <= times {
			replicas++
			edit(c, "web", sized(replicas))
		}
		return nil
	}
}

func TestUndoIsTriedAgainWhenSomebodyWasFaster(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(10 * time.Second)
		c.Client.Fail(faster(c, 1))
		said, err := rollingupdate.Undo(t.Context(), c.Client, kubetest.Named("web"), 0)
		require.NoError(t, err)
		assert.Equal(t, "rolled back", said)
		assert.EqualValues(t, 2, *get(c, "web").Spec.Replicas, "the other's edit is kept")
		assert.Equal(t, "web:v1", get(c, "web").Spec.Template.Spec.Containers[0].Image)
	})
}

func TestUndoDoesNotSteerWhatIsPaused(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"), paused(true))
		_, err := rollingupdate.Undo(t.Context(), c.Store, kubetest.Named("web"), 1)
		assert.EqualError(t, err, "you cannot rollback a paused deployment; "+
			"resume it first with 'kubectl rollout resume' and try again")
		assert.EqualError(t,
			rollingupdate.Restart(t.Context(), c.Store, kubetest.Named("web")),
			"can't restart paused deployment (run rollout resume first)")
	})
}

func TestUndoOfADeploymentThatIsNotThere(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		_, err := rollingupdate.Undo(t.Context(), c.Store, kubetest.Named("web"), 0)
		assert.EqualError(t, err, `deployments.apps "web" not found`)
	})
}

// because notes why, as kubectl annotate does.
func because(cause string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, rollingupdate.ChangeCauseAnnotation, cause)
	}
}

func history(t *testing.T, c *kubetest.Cluster, name string) (lines []string) {
	t.Helper()
	all, err := rollingupdate.History(t.Context(), c.Store, kubetest.Named(name))
	require.NoError(t, err)
	for _, r := range all {
		lines = append(lines, fmt.Sprintf("%d %s %s",
			r.Number, r.Template.Spec.Containers[0].Image, r.ChangeCause))
	}
	return lines
}

func TestTheCauseOfAChangeTravelsWithItsTemplate(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1, because("the beginning")))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"), because("a new colour"))
		c.Advance(30 * time.Second)
		edit(c, "web", image("web:v3"))
		c.Advance(30 * time.Second)
		assert.Equal(t, []string{"1 web:v1 the beginning", "2 web:v2 a new colour",
			"3 web:v3 a new colour"}, history(t, c, "web"), "who does not say why repeats the last reason")
		edit(c, "web", because("a better colour"))
		c.Advance(time.Second)
		assert.Equal(t, "3 web:v3 a better colour", history(t, c, "web")[2])
		undo(t, c, "web", 1)
		c.Advance(30 * time.Second)
		assert.Equal(t, []string{"2 web:v2 a new colour", "3 web:v3 a better colour",
			"4 web:v1 the beginning"}, history(t, c, "web"))
	})
}

func TestAHistoryIsOfOneDeployment(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		kubetest.Create(c, web("other", 1, labelled("web"), image("web:v2")))
		c.Advance(10 * time.Second)
		assert.Equal(t, []string{"1 web:v1 "}, history(t, c, "web"), "though it selects the other's too")
	})
}

func TestWhatTheDeploymentSaysOfItselfIsNotCopied(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1, func(d *appsv1.Deployment) {
			d.Annotations = map[string]string{
				"kubectl.kubernetes.io/last-applied-configuration": "{}", "team": "blue",
			}
		}))
		c.Advance(10 * time.Second)
		assert.Equal(t, map[string]string{
			"team": "blue", rollingupdate.RevisionAnnotation: "1",
			rollingupdate.DesiredReplicasAnnotation: "1",
			rollingupdate.MaxReplicasAnnotation:     "2",
		}, sets(c)[0].Annotations)
		edit(c, "web", image("web:v2"), func(d *appsv1.Deployment) {
			d.Annotations["team"], d.Annotations["phone"] = "red", "112"
		})
		c.Advance(30 * time.Second)
		undo(t, c, "web", 0)
		assert.Equal(t, "blue", get(c, "web").Annotations["team"])
		assert.NotContains(t, get(c, "web").Annotations, "phone", "the first had none")
		assert.Equal(t, "{}", get(c, "web").Annotations["kubectl.kubernetes.io/last-applied-configuration"])
	})
}

func TestMinReadySecondsReachTheReplicaSetThatIsThere(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		c.Advance(10 * time.Second)
		edit(c, "web", func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 30 })
		c.Advance(time.Second)
		assert.EqualValues(t, 30, sets(c)[0].Spec.MinReadySeconds)
		assert.Len(t, sets(c), 1)
	})
}

func TestARestartIsAnUpdateOfNothing(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2))
		c.Advance(10 * time.Second)
		before := c.Pods()
		require.NoError(t, rollingupdate.Restart(t.Context(), c.Store, kubetest.Named("web")))
		c.Advance(30 * time.Second)
		assert.Equal(t, "1:0 2:2", sizes(c))
		assert.Equal(t, map[string]int{"web:v1": 2}, ready(c))
		for _, pod := range c.Pods() {
			assert.Contains(t, pod.Annotations, rollingupdate.RestartedAtAnnotation)
			for _, old := range before {
				assert.NotEqual(t, old.UID, pod.UID)
			}
		}
	})
}
