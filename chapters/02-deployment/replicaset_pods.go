package deployment

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// create creates n Pods, and no longer expects those that it could not create.
func (r *ReplicaSets) create(
	ctx context.Context, rs *appsv1.ReplicaSet, n int,
) error {
	r.Expected.ExpectCreates(rs.UID, n)
	var mu sync.Mutex
	var created, refused []string
	succeeded, err := SlowStart(n, func() error {
		pod, err := r.Client.Create(ctx,
			controlloop.PodFrom(&rs.Spec.Template, rs, r.Kind))
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return nil // any other would be refused too, and rs will be deleted
		}
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			refused = append(refused, err.Error())
			return err
		}
		created = append(created, pod.GetName())
		return nil
	})
	for range n - succeeded {
		r.Expected.Created(rs.UID)
	}
	r.tell(rs, created, refused)
	return err
}

// remove deletes these Pods, side by side. All are tried, and the first error
// is returned.
func (r *ReplicaSets) remove(
	ctx context.Context, rs *appsv1.ReplicaSet, pods []*corev1.Pod,
) error {
	var uids []types.UID
	for _, pod := range pods {
		uids = append(uids, pod.UID)
	}
	r.Expected.ExpectDeletes(rs.UID, uids...)
	return controlloop.SideBySide(ctx, len(pods), func(i int) error {
		return r.removeOne(ctx, rs, pods[i])
	})
}

// removeOne deletes a Pod, and no longer expects that if it could not.
func (r *ReplicaSets) removeOne(
	ctx context.Context, rs *appsv1.ReplicaSet, pod *corev1.Pod,
) error {
	err := r.Client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
		metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
	if err == nil {
		r.Recorder.Eventf(rs, corev1.EventTypeNormal, "SuccessfulDelete",
			"Deleted pod: %s", pod.Name)
		return nil
	}
	r.Expected.Deleted(rs.UID, pod.UID)
	if apierrors.IsNotFound(err) {
		return nil
	}
	r.Recorder.Eventf(rs, corev1.EventTypeWarning, "FailedDelete",
		"Error deleting: %v", err)
	return fmt.Errorf("unable to delete pods: %w", err)
}
