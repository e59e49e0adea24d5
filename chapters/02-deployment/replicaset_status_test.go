package deployment_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// readyFor returns a Pod of web that has been ready for so long; less than
// none: it is not.
func readyFor(d time.Duration) *corev1.Pod {
	pod := kubetest.Pod("web")
	ready := corev1.ConditionTrue
	if d < 0 {
		ready = corev1.ConditionFalse
	}
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: ready,
		LastTransitionTime: metav1.NewTime(time.Now().Add(-d)),
	}}
	return pod
}

func TestEachCountIsOfFewerPodsThanTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := replicaSet("web", 5)
		rs.Generation = 7
		rs.Spec.MinReadySeconds = 10
		rs.Spec.Template.Labels["tier"] = "front"
		pods := []*corev1.Pod{
			readyFor(-1), readyFor(0), readyFor(4 * time.Second),
			readyFor(10 * time.Second), readyFor(time.Minute), readyFor(time.Hour),
		}
		for _, pod := range pods[1:] {
			pod.Labels["tier"] = "front"
		}
		status, next := deployment.ReplicaSetStatus(rs, pods, nil)
		assert.Equal(t, appsv1.ReplicaSetStatus{
			Replicas: 6, FullyLabeledReplicas: 5, ReadyReplicas: 5,
			AvailableReplicas: 3, ObservedGeneration: 7,
		}, status)
		assert.Equal(t, 6*time.Second, next, "the one that is ready for 4 s is the next")
	})
}

// The clock of another machine may be ahead.
func TestAPodThatNeedNotStayReadyIsAvailableWhateverTheTime(t *testing.T) {
	rs := replicaSet("web", 1)
	pods := []*corev1.Pod{readyFor(0), readyFor(-1)}
	pods[0].Status.Conditions[0].LastTransitionTime = metav1.NewTime(time.Now().Add(time.Hour))
	status, next := deployment.ReplicaSetStatus(rs, pods, nil)
	assert.EqualValues(t, 1, status.AvailableReplicas)
	assert.Zero(t, next)
}

func TestAvailableIsReadyForMinReadySecondsToTheSecond(t *testing.T) {
	setup := everything
	in(t, setup, func(c *kubetest.Cluster) {
		rs := replicaSet("web", 2)
		rs.Spec.MinReadySeconds = 10
		rs = kubetest.Create(c, rs)
		c.Advance(2 * time.Second)
		require.EqualValues(t, 2, kubetest.Get(c, rs).Status.ReadyReplicas)
		require.Zero(t, kubetest.Get(c, rs).Status.AvailableReplicas)
		since := kubetest.Condition(c.Pods()[0], corev1.PodReady).LastTransitionTime
		c.Advance(time.Until(since.Add(10*time.Second)) - 1)
		assert.Zero(t, kubetest.Get(c, rs).Status.AvailableReplicas)
		before := len(c.Writes())
		c.Advance(1)
		assert.EqualValues(t, 2, kubetest.Get(c, rs).Status.AvailableReplicas)
		assert.Len(t, c.Writes()[before:], 1, "nothing but time has changed")
		c.AssertQuiet(0)
	})
}

func TestAFailureStaysAsItWasFirstSaidAndGoesWithItsCause(t *testing.T) {
	rs := replicaSet("web", 2)
	other := appsv1.ReplicaSetCondition{Type: "Other", Status: corev1.ConditionTrue}
	rs.Status.Conditions = []appsv1.ReplicaSetCondition{other}
	one := []*corev1.Pod{readyFor(0)}

	status, _ := deployment.ReplicaSetStatus(rs, one, errors.New("first"))
	require.Len(t, status.Conditions, 2)
	assert.Equal(t, "FailedCreate", status.Conditions[1].Reason, "there are too few")
	said := status.Conditions

	rs.Status = status
	status, _ = deployment.ReplicaSetStatus(rs, one, errors.New("second"))
	assert.Equal(t, said, status.Conditions)

	status, _ = deployment.ReplicaSetStatus(rs, one, nil)
	assert.Equal(t, []appsv1.ReplicaSetCondition{other}, status.Conditions)
	assert.Len(t, rs.Status.Conditions, 2, "the ReplicaSet is a cache's")

	rs.Status.Conditions = nil
	three := []*corev1.Pod{readyFor(0), readyFor(0), readyFor(0)}
	status, _ = deployment.ReplicaSetStatus(rs, three, errors.New("no"))
	assert.Equal(t, "FailedDelete", status.Conditions[0].Reason, "there are too many")
}
