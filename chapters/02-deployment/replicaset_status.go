package deployment

import (
	"context"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
)

// report writes into rs's status how many Pods there are, if that is news, and
// returns when the next Pod becomes available by the mere passing of time.
func (r *ReplicaSets) report(
	ctx context.Context, rs *appsv1.ReplicaSet, pods []*corev1.Pod,
	terminating int32, failure error,
) (time.Duration, error) {
	status, next := replicaSetStatus(rs, pods, failure)
	if r.Kind == ReplicaSetKind { // no other has a place for it
		status.TerminatingReplicas = &terminating
	}
	if equality.Semantic.DeepEqual(status, rs.Status) {
		return next, nil
	}
	updated := controlloop.Copy(rs)
	updated.Status = status
	_, err := r.Client.UpdateStatus(ctx, updated)
	return next, err
}

// replicaSetStatus counts the Pods: all, those that have all of the template's
// labels, and, whatever their labels, those that are ready, and the ones among
// these that have been ready for long enough.
func replicaSetStatus(
	rs *appsv1.ReplicaSet, pods []*corev1.Pod, failure error,
) (status appsv1.ReplicaSetStatus, next time.Duration) {
	status = appsv1.ReplicaSetStatus{
		Replicas:           int32(len(pods)),
		ObservedGeneration: rs.Generation,
		Conditions:         failed(rs, len(pods), failure),
	}
	more := maps.Clone(rs.Spec.Template.Labels) // than were selected
	for name := range rs.Spec.Selector.MatchLabels {
		delete(more, name)
	}
	template := labels.SelectorFromSet(more)
	for _, pod := range pods {
		if template.Matches(labels.Set(pod.Labels)) {
			status.FullyLabeledReplicas++
		}
		wait, ready := UntilAvailable(pod, rs.Spec.MinReadySeconds)
		if !ready {
			continue
		}
		status.ReadyReplicas++
		if wait == 0 {
			status.AvailableReplicas++
		}
		next = controlloop.Sooner(next, wait)
	}
	return status, next
}

// failed returns rs's conditions: one while Pods cannot be made or deleted, and
// otherwise none.
func failed(
	rs *appsv1.ReplicaSet, have int, failure error,
) []appsv1.ReplicaSetCondition {
	others := slices.DeleteFunc(slices.Clone(rs.Status.Conditions),
		func(c appsv1.ReplicaSetCondition) bool {
			return c.Type == appsv1.ReplicaSetReplicaFailure
		})
	if failure == nil {
		return others
	}
	if len(others) < len(rs.Status.Conditions) {
		return rs.Status.Conditions // said already
	}
	reason := "FailedCreate"
	if have > int(*rs.Spec.Replicas) {
		reason = "FailedDelete"
	}
	return append(others, appsv1.ReplicaSetCondition{
		Type:   appsv1.ReplicaSetReplicaFailure,
		Status: corev1.ConditionTrue, LastTransitionTime: controlloop.Now(),
		Reason: reason, Message: failure.Error(),
	})
}

// leaving counts the Pods that were told to end and have not yet.
func leaving(
	rs *appsv1.ReplicaSet, owned []controlloop.Object,
) (n int32) {
	selector := SelectorOf(rs.Spec.Selector)
	for _, pod := range OfType[*corev1.Pod](owned) {
		if pod.DeletionTimestamp != nil && !controlloop.HasEnded(pod) &&
			selector.Matches(labels.Set(pod.Labels)) {
			n++
		}
	}
	return n
}
