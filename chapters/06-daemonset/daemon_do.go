package daemonset

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
	deployment "reconcile/chapters/02-deployment"
)

// planNodes plans what single nodes need. Whatever becomes of the plan, these
// nodes are read again before the next one.
func (d *DaemonSets) planNodes(s *survey, ds *appsv1.DaemonSet) (p plan) {
	for _, name := range s.tasks.take(burst) {
		s.tried = append(s.tried, name)
		status := s.nodes[name]
		if status.needsPod {
			p.nodesNeedingPods = append(p.nodesNeedingPods, name)
		}
		p.podsToDelete = append(p.podsToDelete, status.podsToDelete...)
		d.recordEnded(s, ds, name)
	}
	return p
}

// recordEnded records an event for each Pod that is deleted because it has ended.
func (d *DaemonSets) recordEnded(
	s *survey, ds *appsv1.DaemonSet, node string,
) {
	status := s.nodes[node]
	if !status.shouldContinueRunning {
		return // all Pods of this node are deleted, ended or not
	}
	failed := false
	for _, pod := range status.podsToDelete {
		switch pod.Status.Phase {
		case corev1.PodFailed:
			failed = true
			d.Recorder.Eventf(ds, corev1.EventTypeWarning, "FailedDaemonPod",
				"Found failed daemon pod %s/%s on node %s, will try to kill it",
				pod.Namespace, pod.Name, node)
		case corev1.PodSucceeded:
			d.Recorder.Eventf(ds, corev1.EventTypeNormal, "SucceededDaemonPod",
				"Found succeeded daemon pod %s/%s on node %s, will try to delete it",
				pod.Namespace, pod.Name, node)
		}
	}
	if failed {
		s.backOff(node)
	}
}

// createPods creates a Pod for each of these nodes. Pods of a batch are created one
// after the other, in order: the store generates their names, and in the same run
// the same node is to get the same name.
func (d *DaemonSets) createPods(
	ctx context.Context, s *survey, ds *appsv1.DaemonSet, nodes []string,
) error {
	if len(nodes) == 0 {
		return nil
	}
	d.Creations.ExpectCreates(ds.UID, len(nodes))
	var mu sync.Mutex
	tried := 0
	created, err := deployment.SlowStart(len(nodes), func() error {
		mu.Lock()
		defer mu.Unlock()
		node := nodes[tried]
		tried++
		pod, err := d.Client.Create(ctx, newDaemonPod(ds, s.rollout.template, node))
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return nil // any other would be refused too, and ds will be deleted
		}
		if err != nil {
			d.Recorder.Eventf(ds, corev1.EventTypeWarning, "FailedCreate",
				"Error creating: %v", err)
			return err
		}
		d.Recorder.Eventf(ds, corev1.EventTypeNormal, "SuccessfulCreate",
			"Created pod: %s", pod.GetName())
		return nil
	})
	for range len(nodes) - created {
		d.Creations.Created(ds.UID)
	}
	return err
}

// deletePods deletes these Pods, side by side.
func (d *DaemonSets) deletePods(
	ctx context.Context, ds *appsv1.DaemonSet, pods []*corev1.Pod,
) error {
	if len(pods) == 0 {
		return nil
	}
	var uids []types.UID
	for _, pod := range pods {
		uids = append(uids, pod.UID)
	}
	d.Deletions.ExpectDeletes(ds.UID, uids...)
	return controlloop.SideBySide(ctx, len(pods), func(i int) error {
		return d.deletePod(ctx, ds, pods[i])
	})
}

// deletePod deletes a Pod. If it fails, the deletion is no longer expected.
func (d *DaemonSets) deletePod(
	ctx context.Context, ds *appsv1.DaemonSet, pod *corev1.Pod,
) error {
	err := d.Client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
		metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
	if err == nil {
		d.Recorder.Eventf(ds, corev1.EventTypeNormal, "SuccessfulDelete",
			"Deleted pod: %s", pod.Name)
		return nil
	}
	d.Deletions.Deleted(ds.UID, pod.UID)
	if apierrors.IsNotFound(err) {
		return nil
	}
	d.Recorder.Eventf(ds, corev1.EventTypeWarning, "FailedDelete",
		"Error deleting: %v", err)
	return fmt.Errorf("unable to delete pods: %w", err)
}
