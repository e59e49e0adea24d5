package trace

import (
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

func TestASummarySaysWhatAWordDoesNot(t *testing.T) {
	for _, c := range []struct {
		obj  controlloop.Object
		want facts
	}{
		{&corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}}, facts{"Ready"}},
		{&corev1.Pod{}, nil},
		{&corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "a/b", Effect: corev1.TaintEffectNoExecute}}}}, facts{"taint a/b:NoExecute"}},
		{&appsv1.ReplicaSet{Status: appsv1.ReplicaSetStatus{AvailableReplicas: 2, ObservedGeneration: 3}}, facts{"2 available", "observedGeneration 3"}},
		{&appsv1.Deployment{Status: appsv1.DeploymentStatus{UpdatedReplicas: 1, Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}, {Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse},
		}}}, facts{"1 updated", "Available"}},
		{&discoveryv1.EndpointSlice{Endpoints: []discoveryv1.Endpoint{{}, {Conditions: discoveryv1.EndpointConditions{Ready: new(false)}}}}, facts{"1 ready", "1 not ready"}},
	} {
		assert.Equal(t, c.want, summary(c.obj).Has, "%T", c.obj)
	}
}
