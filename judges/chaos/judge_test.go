package chaos

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// meta is that of an object whose controller is called as in "ReplicaSet web"; "": it has
// none.
func meta(name, of string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{}, Generation: 1}
	var kind, owner string
	if n, _ := fmt.Sscan(of, &kind, &owner); n == 2 {
		m.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: owner, UID: types.UID(owner), Controller: new(true)}}
	}
	return m
}

func pod(name, of string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: meta(name, of),
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Image: "nginx:1.27"}}},
		Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

func on(node string, p *corev1.Pod) *corev1.Pod {
	p.Spec.NodeName = node
	return p
}

func ending(p *corev1.Pod) *corev1.Pod {
	p.DeletionTimestamp = new(metav1.Now())
	return p
}

func invariants(all []Violation) (names []Invariant) {
	for _, v := range all {
		names = append(names, v.Invariant)
	}
	return names
}

func TestAPodWithoutAControllerIsConvicted(t *testing.T) {
	j := NewJudge()
	assert.Empty(t, j.Pod(start, pod("web-x", "ReplicaSet web"), false))
	assert.Equal(t, []Invariant{Owned}, invariants(j.Pod(start, pod("alone", ""), false)))
	assert.Equal(t, []Invariant{Owned}, invariants(j.Anew(start, []corev1.Pod{*pod("alone", "")})))
	assert.Equal(t, 2, j.Events)
}

func TestTwoLivePodsOfADaemonSetOnANodeAreConvicted(t *testing.T) {
	j := NewJudge()
	assert.Empty(t, j.Pod(start, on("n-1", pod("a", "DaemonSet agent")), false))
	assert.Empty(t, j.Pod(start, on("n-2", pod("b", "DaemonSet agent")), false))
	assert.Empty(t, j.Pod(start, on("n-1", pod("c", "DaemonSet other")), false))
	assert.Equal(t, []Invariant{OneANode}, invariants(j.Pod(start, on("n-1", pod("d", "DaemonSet agent")), false)))
	assert.Empty(t, j.Pod(start, ending(on("n-1", pod("d", "DaemonSet agent"))), false))
	assert.Empty(t, j.Pod(start, on("n-1", pod("a", "DaemonSet agent")), false), "the other is not live any more")
}

func TestTwoPodsOnANodeMayBeThereForAMomentWhenAnAnswerWasLost(t *testing.T) {
	two := func(j *Judge, second int) []Violation {
		j.Pod(at(second), on("n-1", pod("a", "DaemonSet agent")), false)
		return j.Pod(at(second), on("n-1", pod("b", "DaemonSet agent")), false)
	}
	j := NewJudge()
	j.Losing()
	assert.Empty(t, two(j, 1))
	j.Lost(at(30))
	assert.Empty(t, j.Due(at(60)))
	assert.Equal(t, []Invariant{OneANode}, invariants(j.Due(at(61))), "but not for long")
	j.Pod(at(62), ending(on("n-1", pod("b", "DaemonSet agent"))), false)
	assert.Empty(t, j.Due(at(200)), "one of them goes")
	assert.NotEmpty(t, two(j, 201), "none has been lost lately")
}

func TestAPodThatWillBeOnANodeCountsThere(t *testing.T) {
	p := pod("a", "DaemonSet agent")
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"n-1"}}}}}}}}
	assert.Equal(t, "n-1", node(p))
	assert.NotEqual(t, node(pod("b", "")), node(pod("c", "")))
}

func TestAnOrdinalBeforeALowerOneIsConvicted(t *testing.T) {
	j := NewJudge()
	assert.Empty(t, j.Pod(start, pod("db-0", "StatefulSet db"), false))
	assert.Equal(t, []Invariant{Ordered}, invariants(j.Pod(start, pod("db-2", "StatefulSet db"), false)))
	assert.Empty(t, j.Pod(start, pod("db-1", "StatefulSet db"), false))
	assert.Empty(t, j.Pod(start, pod("db-1", "StatefulSet db"), true))
	assert.Empty(t, j.Pod(start, pod("db-2", "StatefulSet db"), false), "it was created long ago")
	assert.Empty(t, j.Anew(start, []corev1.Pod{*pod("db-2", "StatefulSet db")}), "a list has no order")
}

func TestTwoLivePodsOfOneNameAreConvicted(t *testing.T) {
	j := NewJudge()
	one, other := pod("db-0", "StatefulSet db"), pod("db-0", "StatefulSet db")
	other.UID = "other"
	assert.Empty(t, j.Pod(start, one, false))
	assert.Equal(t, []Invariant{OneAName}, invariants(j.Pod(start, other, false)))
}

// deployment returns one whose status says that it is at rest, or is about another
// generation.
func deployment(replicas int32, atRest bool) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: meta("web-1", "")}
	d.Spec.Replicas = &replicas
	d.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{Made: "web-1.1"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Image: "nginx:1.27"}}},
	}
	if atRest {
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: replicas, UpdatedReplicas: replicas, AvailableReplicas: replicas}
	}
	return d
}

// want lets the ReplicaSets of the Deployment want so many Pods, and returns what is due
// later.
func want(j *Judge, now time.Time, pods ...int32) []Violation {
	j.Sets()
	for n, replicas := range pods {
		set := &appsv1.ReplicaSet{ObjectMeta: meta(fmt.Sprint("set-", n), "Deployment web-1")}
		set.Spec.Replicas, set.Spec.Template = &replicas, deployment(0, false).Spec.Template
		j.ReplicaSet(now, set, false)
	}
	return j.Due(now.Add(moment))
}

func TestMoreWantedPodsThanADeploymentMayHaveAreConvicted(t *testing.T) {
	j := NewJudge()
	j.Deployment(at(0), deployment(8, true))
	assert.Empty(t, want(j, at(1), 8, 2))
	assert.Equal(t, []Invariant{Surge}, invariants(want(j, at(2), 8, 3)))
	assert.Empty(t, want(j, at(3), 8, 4), "it is said once")
}

func TestADeploymentThatWasScaledMayHaveWhatItHadUntilItRests(t *testing.T) {
	j := NewJudge()
	j.Deployment(at(0), deployment(8, true))
	j.Deployment(at(1), deployment(4, false))
	assert.Empty(t, want(j, at(100), 10))
	j.Deployment(at(200), deployment(4, true))
	assert.Empty(t, want(j, at(201), 10), "it is heard of by another way")
	assert.NotEmpty(t, want(j, at(221), 6))
}

func TestAReplicaSetMayBeHeardOfBeforeItsDeploymentWasScaled(t *testing.T) {
	j := NewJudge()
	j.Deployment(at(0), deployment(8, true))
	want(j, at(1).Add(-moment), 10)
	want(j, at(2).Add(-moment), 11)
	j.Deployment(at(4), deployment(12, false))
	assert.Empty(t, j.Due(at(60)))
}

// crowd lets so many Pods of the Deployment be there.
func crowd(j *Judge, from, until int, second int, deleted bool) []Violation {
	for n := from; n < until; n++ {
		p := pod(fmt.Sprint("web-1-", n), "ReplicaSet web-1")
		p.Labels[Made] = "web-1.1"
		j.Pod(at(second), p, deleted)
	}
	return j.Due(at(second))
}

func TestMoreLivePodsThanADeploymentMayHaveAreConvictedIfTheyStay(t *testing.T) {
	j := NewJudge()
	j.Deployment(at(0), deployment(8, true))
	assert.Empty(t, crowd(j, 0, 12, 1, false))
	assert.Empty(t, crowd(j, 10, 12, 50, true), "deletions take a while")
	assert.Empty(t, crowd(j, 10, 12, 100, false))
	assert.Empty(t, j.Due(at(159)))
	j.Blind()
	assert.Empty(t, j.Due(at(161)), "nobody saw whether they went")
	assert.Empty(t, crowd(j, 10, 12, 170, false))
	assert.Equal(t, []Invariant{Surge}, invariants(j.Due(at(230))))
}

func TestAfterARestoreCachesAreExcusedForAWhile(t *testing.T) {
	two := func(second int) []Violation {
		j := NewJudge()
		j.Restored(at(20))
		j.Pod(at(second), on("n-1", pod("a", "DaemonSet agent")), false)
		return j.Pod(at(second), on("n-1", pod("b", "DaemonSet agent")), false)
	}
	assert.Empty(t, two(10))
	assert.Len(t, two(21), 1)
}
