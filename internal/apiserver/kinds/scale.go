package kinds

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// Scale reads and writes the replicas of an object as a Scale of
// autoscaling/v1, without knowledge of its kind.
type Scale struct {
	// Get returns how many replicas there shall be, how many there are, and
	// which Pods they are.
	Get func(obj controlloop.Object) *autoscalingv1.Scale
	// Set says how many there shall be; obj is changed.
	Set func(obj controlloop.Object, replicas int32)
}

var deploymentScale = scaleOf(func(d *appsv1.Deployment) scaled {
	return scaled{&d.Spec.Replicas, d.Status.Replicas, deployment.SelectorOf(d.Spec.Selector)}
})

var replicaSetScale = scaleOf(func(rs *appsv1.ReplicaSet) scaled {
	return scaled{&rs.Spec.Replicas, rs.Status.Replicas, deployment.SelectorOf(rs.Spec.Selector)}
})

var statefulSetScale = scaleOf(func(s *appsv1.StatefulSet) scaled {
	return scaled{&s.Spec.Replicas, s.Status.Replicas, deployment.SelectorOf(s.Spec.Selector)}
})

var replicationControllerScale = scaleOf(func(rc *corev1.ReplicationController) scaled {
	return scaled{&rc.Spec.Replicas, rc.Status.Replicas,
		labels.SelectorFromSet(rc.Spec.Selector)}
})

// scaled says where an object keeps the fields of a Scale.
type scaled struct {
	desired **int32
	actual  int32
	pods    labels.Selector
}

func scaleOf[T controlloop.Object](in func(obj T) scaled) *Scale {
	return &Scale{
		Get: func(obj controlloop.Object) *autoscalingv1.Scale {
			return in(obj.(T)).scale(obj)
		},
		Set: func(obj controlloop.Object, replicas int32) {
			*in(obj.(T)).desired = &replicas
		},
	}
}

func (s scaled) scale(obj controlloop.Object) *autoscalingv1.Scale {
	scale := &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              obj.GetName(),
			Namespace:         obj.GetNamespace(),
			UID:               obj.GetUID(),
			ResourceVersion:   obj.GetResourceVersion(),
			CreationTimestamp: obj.GetCreationTimestamp(),
		},
		Status: autoscalingv1.ScaleStatus{
			Replicas: s.actual, Selector: s.pods.String(),
		},
	}
	if *s.desired != nil {
		scale.Spec.Replicas = **s.desired
	}
	return scale
}
