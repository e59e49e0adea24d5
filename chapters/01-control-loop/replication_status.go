package controlloop

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podsOf returns those of objs that are Pods of rc.
func podsOf(rc *corev1.ReplicationController, objs []Object) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, obj := range objs {
		if pod, ok := obj.(*corev1.Pod); ok && metav1.IsControlledBy(pod, rc) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// report writes into rc's status how many Pods it has, if that is news.
func (r *Replication) report(
	ctx context.Context, rc *corev1.ReplicationController, pods []*corev1.Pod,
) error {
	status := corev1.ReplicationControllerStatus{
		ObservedGeneration: rc.Generation,
		Conditions:         rc.Status.Conditions,
	}
	for _, pod := range pods {
		if HasEnded(pod) || pod.DeletionTimestamp != nil {
			continue
		}
		status.Replicas++
		status.FullyLabeledReplicas++
		if IsReady(pod) {
			status.ReadyReplicas++
			status.AvailableReplicas++
		}
	}
	if equality.Semantic.DeepEqual(status, rc.Status) {
		return nil
	}
	next := Copy(rc)
	next.Status = status
	_, err := r.Client.UpdateStatus(ctx, next)
	return err
}

// ownerKey returns the key of the ReplicationController that controls obj, if
// any.
func ownerKey(obj Object) []Key {
	if key, ok := ControllerKey(obj, RCKind); ok {
		return []Key{key}
	}
	return nil
}
