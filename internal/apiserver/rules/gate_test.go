package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

const plain = "containers: [{name: c, image: c}], "

func TestAPodAtAGateSaysSo(t *testing.T) {
	_, obj := newStore(t, decode(t, pod(plain+"schedulingGates: [{name: a}]")))
	conditions := obj.(*corev1.Pod).Status.Conditions
	require.Len(t, conditions, 1)
	assert.NotZero(t, conditions[0].LastTransitionTime)
	conditions[0].LastTransitionTime.Reset()
	assert.Equal(t, corev1.PodCondition{
		Type: "PodScheduled", Status: "False", Reason: "SchedulingGated",
		Message: "Scheduling is blocked due to non-empty scheduling gates",
	}, conditions[0])
}

func TestGatesOpenOneByOneAndDoNotClose(t *testing.T) {
	both := pod(plain + "schedulingGates: [{name: a}, {name: b}]")
	require.NoError(t, change(t, both, pod(plain+"schedulingGates: [{name: b}]")))
	require.NoError(t, change(t, both, pod(plain)))
	assert.Equal(t, []string{"spec.schedulingGates[1].name: Forbidden: only deletion is " +
		"allowed, but found new scheduling gate 'd'"},
		causes(t, change(t, both, pod(plain+"schedulingGates: [{name: a}, {name: d}]"))))
}

func TestGatesHaveNamesAndNoNodeBehindThem(t *testing.T) {
	assert.Equal(t, []string{
		`spec.schedulingGates[1]: Duplicate value: "a"`,
		"spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
	}, causes(t, create(t, pod(plain+
		"nodeName: node-1, schedulingGates: [{name: a}, {name: a}]"))))
}
