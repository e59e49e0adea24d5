package deployment

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
)

// NewReplicationControllers returns the controller that reconciles the
// ReplicationControllers of a system, each as if it were a ReplicaSet.
// (Kubernetes: pkg/controller/replication/conversion.go.)
func NewReplicationControllers(s *controlloop.System) *controlloop.Controller {
	informer := s.Informer(controlloop.RCKind, controlloop.ListOptions{})
	sets := controlloop.NewIndexer()
	put := func(rc controlloop.Object) {
		sets.Put(asSet(rc.(*corev1.ReplicationController)))
	}
	informer.Handle(controlloop.Handler{
		OnAdd:    put,
		OnUpdate: func(_, rc controlloop.Object) { put(rc) },
		OnDelete: func(rc controlloop.Object) {
			sets.Remove(controlloop.KeyOf(rc))
		},
	})
	recorder := s.RecorderFor("replication-controller", "")
	return (&ReplicaSets{
		Kind: controlloop.RCKind, Sets: sets,
		Client: statusOfRC{s.Client}, Recorder: eventsOfRC{recorder},
	}).addTo(s, "replication", informer)
}

// asSet returns a ReplicationController in the words of a ReplicaSet.
func asSet(rc *corev1.ReplicationController) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{
		ObjectMeta: rc.ObjectMeta,
		Spec: appsv1.ReplicaSetSpec{
			Replicas:        rc.Spec.Replicas,
			MinReadySeconds: rc.Spec.MinReadySeconds,
			Selector:        metav1.SetAsLabelSelector(rc.Spec.Selector),
			Template:        *rc.Spec.Template,
		},
		Status: appsv1.ReplicaSetStatus{
			Replicas:             rc.Status.Replicas,
			FullyLabeledReplicas: rc.Status.FullyLabeledReplicas,
			ReadyReplicas:        rc.Status.ReadyReplicas,
			AvailableReplicas:    rc.Status.AvailableReplicas,
			ObservedGeneration:   rc.Status.ObservedGeneration,
		},
	}
	for _, c := range rc.Status.Conditions {
		rs.Status.Conditions = append(rs.Status.Conditions,
			appsv1.ReplicaSetCondition{
				Type:   appsv1.ReplicaSetConditionType(c.Type),
				Status: c.Status, LastTransitionTime: c.LastTransitionTime,
				Reason: c.Reason, Message: c.Message,
			})
	}
	return rs
}

// asController returns to a ReplicationController, as far as it is needed: a
// name and a status.
func asController(rs *appsv1.ReplicaSet) *corev1.ReplicationController {
	rc := &corev1.ReplicationController{
		ObjectMeta: rs.ObjectMeta,
		Status: corev1.ReplicationControllerStatus{
			Replicas:             rs.Status.Replicas,
			FullyLabeledReplicas: rs.Status.FullyLabeledReplicas,
			ReadyReplicas:        rs.Status.ReadyReplicas,
			AvailableReplicas:    rs.Status.AvailableReplicas,
			ObservedGeneration:   rs.Status.ObservedGeneration,
		},
	}
	for _, c := range rs.Status.Conditions {
		rc.Status.Conditions = append(rc.Status.Conditions,
			corev1.ReplicationControllerCondition{
				Type:   corev1.ReplicationControllerConditionType(c.Type),
				Status: c.Status, LastTransitionTime: c.LastTransitionTime,
				Reason: c.Reason, Message: c.Message,
			})
	}
	return rc
}

// statusOfRC is a Client that writes the status of a ReplicaSet to the
// ReplicationController that it stands for.
type statusOfRC struct{ controlloop.Client }

// UpdateStatus implements controlloop.Client.
func (c statusOfRC) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	return c.Client.UpdateStatus(ctx, asController(obj.(*appsv1.ReplicaSet)))
}

// eventsOfRC is a Recorder that notes a ReplicaSet's events about the
// ReplicationController that it stands for.
type eventsOfRC struct{ controlloop.Recorder }

// Eventf implements controlloop.Recorder.
func (r eventsOfRC) Eventf(
	about runtime.Object, eventtype, reason, format string, args ...any,
) {
	r.Recorder.Eventf(asController(about.(*appsv1.ReplicaSet)),
		eventtype, reason, format, args...)
}
