package statefulset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// report writes the set's status, if it is news.
func (s *StatefulSets) report(
	ctx context.Context, set *appsv1.StatefulSet, status appsv1.StatefulSetStatus,
) error {
	if equality.Semantic.DeepEqual(status, set.Status) {
		return nil
	}
	next := controlloop.Copy(set)
	next.Status = status
	_, err := s.Client.UpdateStatus(ctx, next)
	return err
}

// statusOf counts the Pods: all, ready, ready for long enough, and of either
// version. (Kubernetes: computeReplicaStatus.)
func statusOf(
	set *appsv1.StatefulSet, v Versions, pods []*corev1.Pod,
) appsv1.StatefulSetStatus {
	status := appsv1.StatefulSetStatus{
		ObservedGeneration: set.Generation,
		CurrentRevision:    v.Current.Revision,
		UpdateRevision:     v.Update.Revision,
		CollisionCount:     set.Status.CollisionCount,
		Conditions:         set.Status.Conditions,
	}
	if status.CollisionCount == nil {
		status.CollisionCount = new(int32)
	}
	for _, pod := range pods {
		status.Replicas++
		if isRunningAndReady(pod) {
			status.ReadyReplicas++
			if wait, _ := deployment.UntilAvailable(
				pod, set.Spec.MinReadySeconds); wait == 0 {
				status.AvailableReplicas++
			}
		}
		if pod.DeletionTimestamp != nil {
			continue
		}
		revision := pod.Labels[appsv1.ControllerRevisionHashLabelKey]
		if revision == v.Current.Revision {
			status.CurrentReplicas++
		}
		if revision == v.Update.Revision {
			status.UpdatedReplicas++
		}
	}
	return status
}
