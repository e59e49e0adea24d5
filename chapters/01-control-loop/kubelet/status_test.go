package kubelet_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func TestAPodIsReadyWhenItsReadinessGatesAreOpen(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web")
		pod.Spec.ReadinessGates = []corev1.PodReadinessGate{
			{ConditionType: "example.com/lb"}, {ConditionType: "example.com/dns"}}
		kubetest.Create(c, pod)
		c.Settle()
		for _, step := range []struct {
			gate         corev1.PodConditionType
			status       corev1.ConditionStatus
			ready        corev1.ConditionStatus
			why, message string
		}{
			{"", "", "False", "ReadinessGatesNotReady",
				`corresponding condition of pod readiness gate "example.com/lb" does not exist., ` +
					`corresponding condition of pod readiness gate "example.com/dns" does not exist.`},
			{"example.com/lb", "True", "False", "ReadinessGatesNotReady",
				`corresponding condition of pod readiness gate "example.com/dns" does not exist.`},
			{"example.com/dns", "Unknown", "False", "ReadinessGatesNotReady",
				`the status of pod readiness gate "example.com/dns" is not "True", but Unknown`},
			{"example.com/dns", "True", "True", "", ""},
			{"example.com/lb", "False", "False", "ReadinessGatesNotReady",
				`the status of pod readiness gate "example.com/lb" is not "True", but False`},
		} {
			if step.gate != "" {
				pod := controlloop.Copy(c.Pod("web"))
				pod.Status.Conditions = append(slices.DeleteFunc(pod.Status.Conditions,
					func(c corev1.PodCondition) bool { return c.Type == step.gate }),
					corev1.PodCondition{Type: step.gate, Status: step.status})
				_, err := c.Store.UpdateStatus(t.Context(), pod)
				require.NoError(t, err)
				c.Settle()
			}
			of := func(kind corev1.PodConditionType) *corev1.PodCondition {
				return controlloop.Find(c.Pod("web").Status.Conditions,
					func(c corev1.PodCondition) bool { return c.Type == kind })
			}
			assert.Equal(t, corev1.ConditionTrue, of(corev1.ContainersReady).Status)
			ready := of(corev1.PodReady)
			assert.Equal(t, step.ready, ready.Status, step)
			assert.Equal(t, step.why, ready.Reason, step)
			assert.Equal(t, step.message, ready.Message, step)
		}
	})
}
