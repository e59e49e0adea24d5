package deployment_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/kubetest"
)

// forbidden returns the error of a quota.
func forbidden() error {
	return apierrors.NewForbidden(corev1.Resource("pods"), "web-x", errors.New("exceeded quota"))
}

// The first is refused, so the other ninety-nine are not tried.
func TestWhereOneIsRefusedTheOthersAreNotTried(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		tries := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "create" {
				return nil
			}
			tries++
			return forbidden()
		})
		rs := kubetest.Create(c, replicaSet("web", 100))
		c.Settle()
		assert.Equal(t, 2, tries, "one, and one because the condition it wrote is news")
		const told = "Warning FailedCreate replicaset-controller: " +
			`Error creating: pods "web-x" is forbidden: exceeded quota`
		assert.Equal(t, []string{told, told}, c.Events())
		assert.Equal(t, []appsv1.ReplicaSetCondition{{
			Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue,
			Reason:             "FailedCreate",
			Message:            `pods "web-x" is forbidden: exceeded quota`,
			LastTransitionTime: kubetest.Get(c, rs).CreationTimestamp,
		}}, kubetest.Get(c, rs).Status.Conditions)
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Len(t, c.Pods(), 100, "what was not made was not expected")
		assert.Empty(t, kubetest.Get(c, rs).Status.Conditions)
	})
}

func TestAFailureThatLastsIsWrittenOnce(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		tries := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "create" {
				return nil
			}
			tries++
			return fmt.Errorf("no, for the %dth time", tries)
		})
		rs := kubetest.Create(c, replicaSet("web", 1))
		c.Advance(time.Minute)
		assert.Greater(t, tries, 5)
		assert.Len(t, c.WritesOf(rs), 2, "created, and what is wrong")
		assert.Equal(t, "no, for the 1th time", kubetest.Get(c, rs).Status.Conditions[0].Message)
	})
}

func TestADeleteThatFailsIsToldAndTriedAgain(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 2))
		c.Settle()
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "delete" {
				return errors.New("no")
			}
			return nil
		})
		scale(c, rs, 1)
		c.Settle()
		require.Len(t, c.Pods(), 2)
		assert.Contains(t, c.Events(), "Warning FailedDelete replicaset-controller: Error deleting: no")
		failure := kubetest.Get(c, rs).Status.Conditions[0]
		assert.Equal(t, "FailedDelete", failure.Reason)
		assert.Equal(t, "unable to delete pods: no", failure.Message)
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Len(t, c.Pods(), 1)
		assert.Empty(t, kubetest.Get(c, rs).Status.Conditions)
	})
}

// All deletions are tried. What failed is not expected, and the first failure
// is the one to report.
func TestDeletionsAreTriedSideBySideAndAllOfThem(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 4))
		c.Settle()
		var at []time.Duration
		var mu sync.Mutex
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "delete" {
				return nil
			}
			mu.Lock()
			at = append(at, c.Elapsed())
			n := len(at)
			mu.Unlock()
			time.Sleep(time.Duration(n) * time.Second)
			if n <= 2 {
				return fmt.Errorf("no, for the %dth time", n)
			}
			return nil
		})
		c.Run()
		began := c.Elapsed()
		scale(c, rs, 0)
		c.Advance(4 * time.Second)
		require.GreaterOrEqual(t, len(at), 4)
		assert.Equal(t, slices.Repeat([]time.Duration{began}, 4), at[:4])
		assert.Len(t, c.Pods(), 2, "two deletions have failed")
		assert.Contains(t, complaints(c, rs), "unable to delete pods: no, for the 1th time")
		c.Client.Fail(nil)
		c.Advance(10 * time.Second)
		assert.Empty(t, c.Pods(), "what was not deleted was not expected")
	})
}

// complaints returns the messages of all conditions that rs ever had. One may be gone
// in the instant in which it is written: the next reconcile still waits to hear of a
// deletion, tries none, and so has nothing to complain of.
func complaints(c *kubetest.Cluster, rs *appsv1.ReplicaSet) []string {
	var all []string
	for _, w := range c.WritesOf(rs) {
		for _, condition := range w.Object.(*appsv1.ReplicaSet).Status.Conditions {
			all = append(all, condition.Message)
		}
	}
	return all
}

// terminating returns the error of a create in a namespace that is being
// deleted.
func terminating() error {
	refused := forbidden().(*apierrors.StatusError)
	refused.ErrStatus.Details.Causes = []metav1.StatusCause{
		{Type: corev1.NamespaceTerminatingCause},
	}
	return refused
}

// The namespace is being deleted, and all that is in it will be. There is
// nothing to tell, and nothing to try again.
func TestInANamespaceThatIsBeingDeletedAReplicaSetStops(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		tries := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "create" {
				return nil
			}
			tries++
			return terminating()
		})
		rs := kubetest.Create(c, replicaSet("web", 1))
		c.Advance(time.Minute)
		assert.Equal(t, 1, tries)
		assert.Empty(t, c.Events())
		assert.Empty(t, kubetest.Get(c, rs).Status.Conditions)
	})
}
