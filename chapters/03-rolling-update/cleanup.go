package rollingupdate

import (
	"context"
	"fmt"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// cleanUp deletes the oldest revisions, all but as many as are to be kept.
func cleanUp(ctx context.Context, r *deployment.Rollout) error {
	limit := r.Deployment.Spec.RevisionHistoryLimit
	if limit == nil || *limit == math.MaxInt32 {
		return nil
	}
	for _, rs := range outdated(r.Old, int(*limit)) {
		key := controlloop.KeyOf(rs)
		err := r.Client().Delete(ctx, deployment.ReplicaSetKind, key,
			metav1.DeleteOptions{
				Preconditions: metav1.NewUIDPreconditions(string(rs.UID)),
			})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %s: %w", key, err)
		}
	}
	return nil
}

// outdated returns the old ReplicaSets that are beyond the limit, those of the
// lowest numbers. One of these that has Pods, or may have, stays until it has
// none: it is not deleted, and no other in its place.
//
//book:exercise 3i
func outdated(old []*appsv1.ReplicaSet, limit int) []*appsv1.ReplicaSet {
	there := slices.DeleteFunc(slices.Clone(old), func(rs *appsv1.ReplicaSet) bool {
		return rs.DeletionTimestamp != nil
	})
	slices.SortFunc(there, byRevision)
	beyond := there[:max(0, len(there)-limit)]
	return slices.DeleteFunc(beyond, func(rs *appsv1.ReplicaSet) bool {
		return *rs.Spec.Replicas != 0 || rs.Status.Replicas != 0 ||
			rs.Generation > rs.Status.ObservedGeneration
	})
}
