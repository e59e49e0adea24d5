package deployment_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

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
