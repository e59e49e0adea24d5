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

// due plans what is due on single nodes. Whatever comes of it, they are looked
// at again before anything else is done.
func (d *DaemonSets) due(s *survey, ds *appsv1.DaemonSet) (p plan) {
	for _, name := range s.tasks.take(burst) {
		s.tried = append(s.tried, name)
		at := s.nodes[name]
		if at.create {
			p.create = append(p.create, name)
		}
		p.remove = append(p.remove, at.remove...)
		d.tellEnded(s, ds, name)
	}
	return p
}

// tellEnded tells of the Pods that go because they have ended.
func (d *DaemonSets) tellEnded(
	s *survey, ds *appsv1.DaemonSet, node string,
) {
	at := s.nodes[node]
	if !at.stays {
		return // they would have had to go anyway
	}
	failed := false
	for _, pod := range at.remove {
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
		s.fail(node)
	}
}

// create makes a Pod for each of these nodes. They are made one at a time, in
// order, though those of a batch are asked for together: the store makes up
// their names, and in the same run the same node is to get the same.
func (d *DaemonSets) create(
	ctx context.Context, s *survey, ds *appsv1.DaemonSet, nodes []string,
) error {
	if len(nodes) == 0 {
		return nil
	}
	d.Coming.ExpectCreates(ds.UID, len(nodes))
	var turn sync.Mutex
	tried := 0
	made, err := deployment.SlowStart(len(nodes), func() error {
		turn.Lock()
		defer turn.Unlock()
		node := nodes[tried]
		tried++
		pod, err := d.Client.Create(ctx, newPod(ds, s.edition.template, node))
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
	for range len(nodes) - made {
		d.Coming.Created(ds.UID)
	}
	return err
}

// remove deletes these Pods, side by side.
func (d *DaemonSets) remove(
	ctx context.Context, ds *appsv1.DaemonSet, pods []*corev1.Pod,
) error {
	if len(pods) == 0 {
		return nil
	}
	var uids []types.UID
	for _, pod := range pods {
		uids = append(uids, pod.UID)
	}
	d.Going.ExpectDeletes(ds.UID, uids...)
	return controlloop.SideBySide(ctx, len(pods), func(i int) error {
		return d.removeOne(ctx, ds, pods[i])
	})
}

// removeOne deletes a Pod. A Pod that is not deleted is not to be expected.
func (d *DaemonSets) removeOne(
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
	d.Going.Deleted(ds.UID, pod.UID)
	if apierrors.IsNotFound(err) {
		return nil
	}
	d.Recorder.Eventf(ds, corev1.EventTypeWarning, "FailedDelete",
		"Error deleting: %v", err)
	return fmt.Errorf("unable to delete pods: %w", err)
}
