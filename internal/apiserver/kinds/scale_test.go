package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

var web = metav1.ObjectMeta{
	Name: "web", Namespace: "default", UID: "u1", ResourceVersion: "7",
	Labels: map[string]string{"not": "shown"},
}

func scalable() map[string]controlloop.Object {
	selector := &metav1.LabelSelector{
		MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"b", "a"},
		}},
	}
	return map[string]controlloop.Object{
		"deployments": &appsv1.Deployment{
			ObjectMeta: web,
			Spec:       appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: selector},
			Status:     appsv1.DeploymentStatus{Replicas: 2},
		},
		"replicasets": &appsv1.ReplicaSet{
			ObjectMeta: web,
			Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(3)), Selector: selector},
			Status:     appsv1.ReplicaSetStatus{Replicas: 2},
		},
		"statefulsets": &appsv1.StatefulSet{
			ObjectMeta: web,
			Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(3)), Selector: selector},
			Status:     appsv1.StatefulSetStatus{Replicas: 2},
		},
	}
}

func TestAScaleSaysHowManyThereAreAndWhich(t *testing.T) {
	for resource, obj := range scalable() {
		assert.Equal(t, &autoscalingv1.Scale{
			TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
			ObjectMeta: metav1.ObjectMeta{
				Name: "web", Namespace: "default", UID: "u1", ResourceVersion: "7",
			},
			Spec: autoscalingv1.ScaleSpec{Replicas: 3},
			Status: autoscalingv1.ScaleStatus{
				Replicas: 2, Selector: "app=web,tier in (a,b)",
			},
		}, find(t, resource).Scale.Get(obj), resource)
	}
}

func TestSettingAScaleChangesTheReplicasAlone(t *testing.T) {
	for resource, obj := range scalable() {
		scale := find(t, resource).Scale
		before := scale.Get(obj)
		scale.Set(obj, 5)
		after := scale.Get(obj)
		assert.EqualValues(t, 5, after.Spec.Replicas, resource)
		after.Spec.Replicas = 3
		assert.Equal(t, before, after, resource)
	}
}

func TestAReplicationControllerSelectsByLabelsAlone(t *testing.T) {
	rc := &corev1.ReplicationController{Spec: corev1.ReplicationControllerSpec{
		Selector: map[string]string{"b": "2", "a": "1"},
	}}
	scale := find(t, "replicationcontrollers").Scale.Get(rc)
	require.NotNil(t, scale)
	assert.Equal(t, "a=1,b=2", scale.Status.Selector)
	assert.Zero(t, scale.Spec.Replicas, "nobody said how many")
}
