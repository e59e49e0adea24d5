package daemonset_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// What no story tells: a set of either policy and any way of updating that is
// edited, scaled and put back in the middle of it, versions that do not work,
// revisions and Pods that are deleted by hand, a controller that is killed after
// any write, connections that break. What must hold is checked at every write;
// when all of it has ceased, every Pod is of the version that is its own, and
// nothing moves.
func TestRandomHistoriesOfRollsKeepTheirPartition(t *testing.T) {
	kubetest.Histories(t, liveRolling)
}

// rolling is one history.
type rolling struct {
	*kubetest.Cluster
	*rand.Rand
}

func liveRolling(t *testing.T, n uint64) {
	setup := revised
	setup.Seed, setup.DetectMutations = n, false
	l := &rolling{kubetest.New(t, setup), rand.New(rand.NewPCG(n, 6))}
	changes := []statefulChange{l.way(), remembering(int32(l.IntN(3))), startingAt(int32(l.IntN(3)))}
	if l.IntN(3) == 0 {
		changes = append(changes, inParallel)
	}
	if l.IntN(4) == 0 {
		changes = append(changes, readyForSeconds(int32(1+l.IntN(9))))
	}
	kubetest.Create(l.Cluster, aSet(int32(l.IntN(5)), changes...))
	for range 10 + l.IntN(20) {
		if l.IntN(8) == 0 {
			l.Client.CrashAtWrite(1+l.IntN(6), kubetest.When(l.IntN(2)))
		}
		l.disturb()
		l.Advance(time.Duration(l.IntN(15)) * time.Second)
		if l.IntN(3) > 0 {
			serveSets(l.Cluster)
		}
		if l.Crashed() {
			l.Restart()
		}
	}
	l.Restart()
	editSet(l.Cluster, ofVersion("v1"), l.from(0))
	l.settle()
	l.judge(t, 0, "v1")
	from := int32(l.IntN(4))
	editSet(l.Cluster, ofVersion("v2"), l.from(from))
	l.settle()
	l.judge(t, int(from), "v2")
	l.AssertQuiet(time.Hour)
}

// way is some way of updating.
func (l *rolling) way() statefulChange {
	missing := []string{"1", "2", "50%", "10%"}[l.IntN(4)]
	return []statefulChange{
		byDeletion, typeOnly, rollsBy(0, missing),
		rollsBy(int32(l.IntN(4)), missing), rollsBy(int32(l.IntN(4)), missing),
	}[l.IntN(5)]
}

// disturb has something happen.
func (l *rolling) disturb() {
	pods := l.Pods()
	switch l.IntN(9) {
	case 0, 1, 2:
		editSet(l.Cluster, ofVersion([]string{"v1", "v2", "v3", "broken"}[l.IntN(4)]))
	case 3:
		editSet(l.Cluster, ofReplicas(int32(l.IntN(5))))
	case 4:
		if kubetest.Get(l.Cluster, aSet(0)).Spec.UpdateStrategy.RollingUpdate != nil {
			editSet(l.Cluster, rollsBy(int32(l.IntN(4)), fmt.Sprint(1+l.IntN(2))))
		}
	case 5, 6:
		if len(pods) > 0 {
			deleteByHand(l.Cluster, pods[l.IntN(len(pods))].Name)
		}
	case 7:
		if all := revisionsThereAre(l.Cluster); len(all) > 0 && l.IntN(3) == 0 {
			forgetByHand(l.Cluster, all[l.IntN(len(all))])
		}
	case 8:
		l.Client.BreakWatches(errors.New("connection reset by peer"))
	}
}

// from has a set that is updated from some partition on be so from this one on.
func (l *rolling) from(partition int32) statefulChange {
	return func(set *appsv1.StatefulSet) {
		if rolls := set.Spec.UpdateStrategy.RollingUpdate; rolls != nil {
			rolls.Partition = &partition
		}
	}
}

// settle lets all come to rest. A hand deletes what does not work: in order,
// nobody else would.
func (l *rolling) settle() {
	for range 60 {
		for _, pod := range l.Pods() {
			if pod.Status.Phase == corev1.PodRunning && !kubetest.Ready(pod) &&
				pod.DeletionTimestamp == nil {
				deleteByHand(l.Cluster, pod.Name)
			}
		}
		l.Advance(time.Minute)
		serveSets(l.Cluster)
	}
}

// judge looks at what has become of it: from a partition on all are of a version,
// but where they give way to nobody.
func (l *rolling) judge(t *testing.T, from int, version string) {
	set := kubetest.Get(l.Cluster, aSet(0))
	require.EqualValues(t, *set.Spec.Replicas, set.Status.AvailableReplicas, setPods(l.Cluster))
	w := setWorldAfter(l.Writes())
	live := map[string]bool{set.Status.CurrentRevision: true, set.Status.UpdateRevision: true}
	for _, pod := range l.Pods() {
		live[revisionOn(pod)] = true
		if _, byNumber := w.partition(); byNumber {
			require.Equal(t, w.place(pod) >= from, versionOf(pod.Spec) == version,
				"%s, from %d on %s: %s", pod.Name, from, version, setPods(l.Cluster))
		}
	}
	idle := 0
	for name := range w.revisions {
		if !live[name] {
			idle++
		}
	}
	require.LessOrEqual(t, idle, int(*set.Spec.RevisionHistoryLimit), setHistory(l.Cluster))
}
