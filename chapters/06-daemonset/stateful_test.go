package daemonset_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// between are two versions.
var between = statefulset.Versions{
	Current: statefulset.Version{Revision: "old"},
	Update:  statefulset.Version{Revision: "new"},
}

// defaulted is a set as it is in the store.
func defaulted(t *testing.T, changes ...statefulChange) *appsv1.StatefulSet {
	t.Helper()
	kind, err := revised.Kinds.For(statefulset.StatefulSetKind)
	require.NoError(t, err)
	set := aSet(0, changes...)
	kind.Rules.Default(set)
	return set
}

type forCase struct {
	changes []statefulChange
	current int32 // how many there are of the current version
	want    string
}

// made says of which version the Pods of the places 0 to 4 are made.
func made(t *testing.T, cases map[string]forCase) {
	t.Helper()
	for name, c := range cases {
		set := defaulted(t, append(c.changes, ofReplicas(5))...)
		set.Status.CurrentReplicas = c.current
		first := 0
		if set.Spec.Ordinals != nil {
			first = int(set.Spec.Ordinals.Start)
		}
		var got []string
		for n := first; n < first+5; n++ {
			got = append(got, daemonset.Revised{}.For(set, between, n).Revision)
		}
		assert.Equal(t, c.want, strings.Join(got, " "), name)
	}
}

//book:exercise 6j
func TestBelowThePartitionAPodIsMadeAsItWas(t *testing.T) {
	made(t, map[string]forCase{
		"none":                    {[]statefulChange{rollsBy(0, "")}, 5, "new new new new new"},
		"three":                   {[]statefulChange{rollsBy(3, "")}, 5, "old old old new new"},
		"all":                     {[]statefulChange{rollsBy(5, "")}, 0, "old old old old old"},
		"more than there are":     {[]statefulChange{rollsBy(9, "")}, 0, "old old old old old"},
		"its author said nothing": {nil, 5, "new new new new new"},
	})
}

//book:exercise 6j
func TestAPartitionCountsFromTheFirstOrdinal(t *testing.T) {
	made(t, map[string]forCase{
		"from 7":                {[]statefulChange{rollsBy(2, ""), startingAt(7)}, 0, "old old new new new"},
		"from 1, and all":       {[]statefulChange{rollsBy(5, ""), startingAt(1)}, 0, "old old old old old"},
		"the type, and no more": {[]statefulChange{typeOnly, startingAt(7)}, 3, "old old old new new"},
	})
}

// A set that says that it rolls, and not how, has no partition: then as many are
// old as there are.
//
//book:exercise 6j
func TestWhoNamesTheTypeAndNothingElseKeepsAsManyAsThereAre(t *testing.T) {
	made(t, map[string]forCase{
		"all are old": {[]statefulChange{typeOnly}, 5, "old old old old old"},
		"two are":     {[]statefulChange{typeOnly}, 2, "old old new new new"},
		"in parallel": {[]statefulChange{typeOnly, inParallel}, 5, "new new new new new"},
		"none is":     {[]statefulChange{typeOnly}, 0, "new new new new new"},
	})
}

//book:exercise 6j
func TestOnDeleteMakesWhatIsNewest(t *testing.T) {
	made(t, map[string]forCase{
		"whatever there is": {[]statefulChange{byDeletion}, 5, "new new new new new"},
	})
}

type giveWayCase struct {
	pods    string // "new": it is; old! is not ready, old- is going, . is not there
	changes []statefulChange
	want    string
}

// goes says which of the Pods, from web-0 on, give way, in order.
func goes(t *testing.T, cases map[string]giveWayCase) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		for name, c := range cases {
			var replicas []*corev1.Pod
			for n, word := range strings.Fields(c.pods) {
				replicas = append(replicas, podAs(n, word))
			}
			set := defaulted(t, append(c.changes, ofReplicas(int32(len(replicas))))...)
			set.Status.CurrentReplicas = int32(len(replicas))
			var got []string
			for _, pod := range (daemonset.Revised{}).GiveWay(set, between, replicas) {
				got = append(got, pod.Name)
			}
			assert.Equal(t, c.want, strings.Join(got, " "), name)
		}
	})
}

// podAs is a Pod of a version, ready for an hour, or as the word says; "old?" is
// ready since five seconds.
func podAs(n int, word string) *corev1.Pod {
	if word == "." {
		return nil
	}
	pod := kubetest.Pod(fmt.Sprintf("web-%d", n))
	version := strings.TrimRight(word, "!-?")
	pod.Labels = map[string]string{appsv1.ControllerRevisionHashLabelKey: version}
	since, status := time.Hour, corev1.ConditionTrue
	switch word[len(version):] {
	case "!":
		status = corev1.ConditionFalse
	case "-":
		pod.DeletionTimestamp = new(metav1.Now())
	case "?":
		since = 5 * time.Second
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status,
		LastTransitionTime: metav1.NewTime(time.Now().Add(-since)),
	}}
	return pod
}

//book:exercise 6j
func TestTheHighestOrdinalGivesWayFirst(t *testing.T) {
	goes(t, map[string]giveWayCase{
		"all are old":            {"old old old", nil, "web-2"},
		"the highest is new":     {"old old new", nil, "web-1"},
		"only the lowest is old": {"old new new", nil, "web-0"},
		"all are new":            {"new new new", nil, ""},
		"one of none":            {"new none new", nil, "web-1"},
		"nobody is there":        {"", nil, ""},
	})
}

// Whoever is missing counts, from whatever version, also below the partition.
//
//book:exercise 6j
func TestAnUpdateStopsWhileOneIsMissing(t *testing.T) {
	goes(t, map[string]giveWayCase{
		"the one that came last is not ready": {"old old new!", nil, ""},
		"one is going":                        {"old old old-", nil, ""},
		"one is not there":                    {"old old .", nil, ""},
		"one below the partition":             {"old! old old", []statefulChange{rollsBy(2, "")}, ""},
		"not for long enough":                 {"old old new?", []statefulChange{readyForSeconds(10)}, ""},
		"for long enough":                     {"old old new?", []statefulChange{readyForSeconds(5)}, "web-1"},
	})
}

//book:exercise 6j
func TestBelowThePartitionNobodyGivesWay(t *testing.T) {
	goes(t, map[string]giveWayCase{
		"two stay":                {"old old old old", []statefulChange{rollsBy(2, "3")}, "web-3 web-2"},
		"all that do not are new": {"old old new new", []statefulChange{rollsBy(2, "")}, ""},
		"more than there are":     {"old old", []statefulChange{rollsBy(7, "")}, ""},
		"from another start":      {"old old old", []statefulChange{rollsBy(2, "9"), startingAt(5)}, "web-2"},
		"the type, and no more":   {"old old old", []statefulChange{typeOnly}, "web-2"},
	})
}

//book:exercise 6j
func TestAsManyGiveWayAsMayBeMissing(t *testing.T) {
	goes(t, map[string]giveWayCase{
		"two":                           {"old old old old", []statefulChange{rollsBy(0, "2")}, "web-3 web-2"},
		"two, and one is":               {"old old old new!", []statefulChange{rollsBy(0, "2")}, "web-2"},
		"two, and one is going":         {"old old old-", []statefulChange{rollsBy(0, "2")}, "web-1"},
		"two, and two are":              {"old old new- new!", []statefulChange{rollsBy(0, "2")}, ""},
		"one, and two are":              {"old old new- new!", []statefulChange{rollsBy(0, "1")}, ""},
		"more than there are":           {"old old", []statefulChange{rollsBy(0, "9")}, "web-1 web-0"},
		"half of five is two":           {"old old old old old", []statefulChange{rollsBy(0, "50%")}, "web-4 web-3"},
		"a tenth of five is one":        {"old old old old old", []statefulChange{rollsBy(0, "10%")}, "web-4"},
		"one that does not work is one": {"old old old!", []statefulChange{rollsBy(0, "2")}, "web-2"},
	})
}

// In Parallel those that do not work go first, and at once: they are missing
// already.
//
//book:exercise 6j
func TestInParallelWhatDoesNotWorkGoesAtOnce(t *testing.T) {
	goes(t, map[string]giveWayCase{
		"the lowest does not":            {"old! old old", []statefulChange{inParallel, rollsBy(0, "1")}, "web-0"},
		"none does":                      {"old! old! old!", []statefulChange{inParallel, rollsBy(0, "1")}, "web-2 web-1 web-0"},
		"and one that does beside":       {"old! old old", []statefulChange{inParallel, rollsBy(0, "2")}, "web-0 web-2"},
		"a new one is missing":           {"old! old new!", []statefulChange{inParallel, rollsBy(0, "1")}, "web-0"},
		"below the partition":            {"old! old! old", []statefulChange{inParallel, rollsBy(1, "1")}, "web-1"},
		"one is going, one is not there": {"old- . old", []statefulChange{inParallel, rollsBy(0, "3")}, "web-2"},
		"in order it waits its turn":     {"old! old old", []statefulChange{rollsBy(0, "2")}, "web-2"},
	})
}

//book:exercise 6j
func TestOnDeleteNobodyGivesWay(t *testing.T) {
	goes(t, map[string]giveWayCase{
		"all are old":     {"old old old!", []statefulChange{byDeletion, inParallel}, ""},
		"unless it rolls": {"old old old!", []statefulChange{inParallel}, "web-2"},
	})
}

func TestAnUpdateIsCompleteWhenAllAreThereReadyAndNew(t *testing.T) {
	for pods, want := range map[string]bool{
		"new new": true, "new old": false, "new new!": false, "new new-": false,
		"new": false, "new new new": false, "new new old!": false, "old old": false,
	} {
		var all []*corev1.Pod
		for n, word := range strings.Fields(pods) {
			all = append(all, podAs(n, word))
		}
		assert.Equal(t, want, daemonset.IsComplete(aSet(2), "new", all), pods)
	}
	pending := podAs(0, "new")
	pending.Status.Phase = corev1.PodPending
	assert.False(t, daemonset.IsComplete(aSet(1), "new", []*corev1.Pod{pending}))
	assert.True(t, daemonset.IsComplete(aSet(0), "new", nil))
	others := []*corev1.Pod{podAs(1, "new"), podAs(2, "new")}
	assert.False(t, daemonset.IsComplete(aSet(2), "new", others), "the first is missing")
	assert.True(t, daemonset.IsComplete(aSet(2, startingAt(1)), "new", others))
	assert.False(t, daemonset.IsComplete(aSet(2, startingAt(2)), "new", others))
}

// seenWhile lists what there is after each thing that the nodes do.
func seenWhile(c *kubetest.Cluster) (all []string) {
	for {
		c.Advance(time.Second)
		if now := setPods(c); len(all) == 0 || all[len(all)-1] != now {
			all = append(all, now)
		}
		if !serveSets(c) {
			return all
		}
	}
}

// Three become two while the first is away and the third has yet to go: two are
// there, both new. The update has not come to its end, and the first comes back
// as it was.
func TestAPodBelowThePartitionComesBackAsItWasWhileTheSetShrinks(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3, rollsBy(1, "")))
		restSets(c)
		editSet(c, ofVersion("v2"))
		restSets(c)
		require.Equal(t, "v1 v2 v2", setPods(c))
		deleteByHand(c, "web-0")
		c.DeletePod("web-0", kubetest.Grace(0))
		editSet(c, ofReplicas(2))
		restSets(c)
		assert.Equal(t, "v1 v2", setPods(c))
		assert.Equal(t, "v1 v2", betweenVersions(c))
	})
}

func TestASetRollsFromTheHighestDown(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3))
		restSets(c)
		editSet(c, ofVersion("v2"))
		c.Settle()
		assert.Equal(t, "v1 v2", betweenVersions(c))
		assert.Equal(t, []string{
			"v1 v1 v1-", "v1 v1 v2!", "v1 v1- v2", "v1 v2! v2", "v1- v2 v2", "v2! v2 v2", "v2 v2 v2",
		}, seenWhile(c))
		assert.Equal(t, "v2 v2", betweenVersions(c))
		status := kubetest.Get(c, aSet(0)).Status
		assert.EqualValues(t, 3, status.CurrentReplicas)
		assert.EqualValues(t, 3, status.UpdatedReplicas)
	})
}

func TestAPartitionHoldsWhateverIsDeleted(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(4, rollsBy(2, "")))
		restSets(c)
		editSet(c, ofVersion("v2"))
		restSets(c)
		require.Equal(t, "v1 v1 v2 v2", setPods(c))
		assert.Equal(t, "v1 v2", betweenVersions(c))
		for _, name := range []string{"web-0", "web-3", "web-1", "web-0"} {
			deleteByHand(c, name)
			restSets(c)
			assert.Equal(t, "v1 v1 v2 v2", setPods(c), "%s was deleted", name)
		}
		editSet(c, rollsBy(1, ""))
		restSets(c)
		assert.Equal(t, "v1 v2 v2 v2", setPods(c))
		editSet(c, rollsBy(0, ""))
		restSets(c)
		assert.Equal(t, "v2 v2 v2 v2", setPods(c))
		assert.Equal(t, "v2 v2", betweenVersions(c))
	})
}

// The cache of revisions may be late, and then the store knows what is current.
func TestAPartitionHoldsWhereTheCacheIsLate(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(2, rollsBy(1, "")))
		restSets(c)
		editSet(c, ofVersion("v2"))
		restSets(c)
		r := daemonset.Revised{History: daemonset.HistoryOfStatefulSets(
			&controlloop.System{Client: c.Store})}
		set := kubetest.Get(c, aSet(0))
		v, err := r.Versions(t.Context(), set, c.Pods())
		require.NoError(t, err)
		assert.Equal(t, "v1", versionOf(v.Current.Template.Spec))
		assert.Equal(t, "v2", versionOf(v.Update.Template.Spec))
	})
}

func TestWhatWasCurrentAndIsGoneIsNotMadeAgain(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(2, rollsBy(1, "")))
		restSets(c)
		editSet(c, ofVersion("v2"))
		restSets(c)
		forgetByHand(c, revisionsThereAre(c)[0])
		deleteByHand(c, "web-0")
		restSets(c)
		assert.Equal(t, "v2 v2", setPods(c), "nobody knows any more what v1 was")
		assert.Equal(t, "2:v2", setHistory(c))
	})
}

func TestOnDeleteGivesTheNewestToWhoeverIsDeleted(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3, byDeletion))
		restSets(c)
		editSet(c, ofVersion("v2"))
		restSets(c)
		require.Equal(t, "v1 v1 v1", setPods(c))
		assert.Equal(t, "v1 v2", betweenVersions(c))
		deleteByHand(c, "web-1")
		restSets(c)
		assert.Equal(t, "v1 v2 v1", setPods(c))
		deleteByHand(c, "web-0")
		deleteByHand(c, "web-2")
		restSets(c)
		assert.Equal(t, "v2 v2 v2", setPods(c))
		assert.Equal(t, "v2 v2", betweenVersions(c))
	})
}

func TestWhoNamesTheTypeAndNothingElseGetsTheOldOneBack(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3, typeOnly))
		restSets(c)
		editSet(c, ofVersion("v2"))
		c.Settle()
		serveSets(c)
		c.Settle()
		require.Equal(t, "v1 v1 v2!", setPods(c))
		deleteByHand(c, "web-0")
		c.DeletePod("web-0", kubetest.Grace(0))
		c.Settle()
		assert.Equal(t, "v1! v1 v2!", setPods(c), "its turn has not come")
		restSets(c)
		assert.Equal(t, "v2 v2 v2", setPods(c))
	})
}

// Found by a comparison with Kubernetes: what had gone before anybody looked came
// back as it had been, since the status still said that there were three.
func TestWhatGoesAtOnceDoesNotComeBackAsItWas(t *testing.T) {
	for name, way := range map[string]statefulChange{"in order": func(*appsv1.StatefulSet) {}, "in parallel": inParallel} {
		inSets(t, func(c *kubetest.Cluster) {
			kubetest.Create(c, aSet(3, typeOnly, way))
			readyOnNoNode(c)
			editSet(c, ofVersion("v2"))
			before := len(c.Writes())
			readyOnNoNode(c)
			assert.Equal(t, "v2 v2 v2", setPods(c), name)
			var created int
			for _, w := range c.Writes()[before:] {
				if _, ok := w.Object.(*corev1.Pod); ok && w.Old == nil {
					created++
				}
			}
			assert.Equal(t, 3, created, "%s: each of them comes back once", name)
		})
	}
}

// readyOnNoNode has every Pod be ready, though it is on no node: such a Pod has
// gone as soon as it is told to.
func readyOnNoNode(c *kubetest.Cluster) {
	for range 10 {
		c.Settle()
		for _, pod := range c.Pods() {
			if !kubetest.Ready(pod) {
				setReady(c, pod.Name, true)
			}
		}
	}
}

// Found by a random history: of three, the second finds no node. It gives way, as
// it does not work; and made again as it was it would do so for ever.
func TestWhatDoesNotWorkInParallelDoesNotComeBackAsItWas(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3, typeOnly, inParallel))
		restSets(c)
		deleteByHand(c, "web-1")
		c.DeletePod("web-1", kubetest.Grace(0))
		c.Settle()
		require.Equal(t, "v1 v1! v1", setPods(c))
		editSet(c, ofVersion("v2"))
		c.Settle()
		assert.Equal(t, "v1 v2! v1", setPods(c))
		restSets(c)
		assert.Equal(t, "v2 v2 v2", setPods(c))
	})
}

func TestAnUpdateStopsAtAPodThatDoesNotBecomeReady(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3))
		restSets(c)
		editSet(c, ofVersion("broken"))
		restSets(c)
		c.Advance(time.Hour)
		assert.Equal(t, "v1 v1 broken!", setPods(c))
		assert.Equal(t, "v1 broken", betweenVersions(c))
	})
}

// The known deadlock (Kubernetes: "Forced rollback" in the documentation of
// StatefulSets). In order nothing is done to a set in which one is not ready; and
// this one will not be.
func TestABrokenRevisionIsNotTakenBackByPuttingTheTemplateBack(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3))
		restSets(c)
		editSet(c, ofVersion("broken"))
		restSets(c)
		editSet(c, ofVersion("v1"))
		restSets(c)
		c.Advance(24 * time.Hour)
		require.Equal(t, "v1 v1 broken!", setPods(c), "nothing moves")
		require.Equal(t, "2:broken 3:v1", setHistory(c))
		deleteByHand(c, "web-2")
		restSets(c)
		assert.Equal(t, "v1 v1 v1", setPods(c))
		assert.Equal(t, "v1 v1", betweenVersions(c))
	})
}

func TestInParallelABrokenRevisionIsTakenBack(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3, inParallel))
		restSets(c)
		editSet(c, ofVersion("broken"))
		restSets(c)
		require.Equal(t, "v1 v1 broken!", setPods(c))
		editSet(c, ofVersion("v1"))
		restSets(c)
		assert.Equal(t, "v1 v1 v1", setPods(c))
	})
}

func TestASetThatRollsIsAlsoScaled(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3, rollsBy(2, "")))
		restSets(c)
		editSet(c, ofVersion("v2"), ofReplicas(5))
		restSets(c)
		assert.Equal(t, "v1 v1 v2 v2 v2", setPods(c))
		editSet(c, ofReplicas(1))
		restSets(c)
		assert.Equal(t, "v1", setPods(c))
		editSet(c, ofReplicas(3))
		restSets(c)
		assert.Equal(t, "v1 v1 v2", setPods(c))
	})
}

func TestATemplateEditedTwiceGoesToTheLast(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, aSet(3))
		restSets(c)
		editSet(c, ofVersion("v2"))
		c.Settle()
		serveSets(c)
		c.Settle()
		require.Equal(t, "v1 v1 v2!", setPods(c))
		editSet(c, ofVersion("v3"))
		assert.Equal(t, []string{
			"v1 v1 v2!", "v1 v1 v2-", "v1 v1 v3!", "v1 v1- v3", "v1 v3! v3",
			"v1- v3 v3", "v3! v3 v3", "v3 v3 v3",
		}, seenWhile(c))
		assert.Equal(t, "1:v1 2:v2 3:v3", setHistory(c))
	})
}

// Whatever cannot be written is tried again, and a Pod is made of nothing else
// in the meantime.
func TestWithoutARevisionNoPodIsMade(t *testing.T) {
	inSets(t, func(c *kubetest.Cluster) {
		refused := errors.New("refused")
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Kind == daemonset.RevisionKind && call.Verb == "create" {
				return refused
			}
			return nil
		})
		kubetest.Create(c, aSet(1))
		c.Advance(time.Minute)
		assert.Empty(t, c.Pods())
		assert.True(t, c.Told(refused))
		c.Client.Fail(nil)
		c.Advance(20 * time.Minute)
		restSets(c)
		assert.Equal(t, "v1", setPods(c))
	})
}
