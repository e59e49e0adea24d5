package daemonset

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// burst is how many Pods of a set may be created, and how many deleted, in one
// reconcile. (Kubernetes: BurstReplicas in
// pkg/controller/daemon/daemon_controller.go.)
const burst = 250

// syncNodes creates and deletes what was planned, up to burst of each.
// (Kubernetes: the same name.)
func (d *DaemonSets) syncNodes(
	ctx context.Context, r *rollout, p plan,
) error {
	nodes := p.nodesNeedingPods[:min(burst, len(p.nodesNeedingPods))]
	pods := p.podsToDelete[:min(burst, len(p.podsToDelete))]
	d.expect(r, nodes, pods)
	return errors.Join(d.createPods(ctx, r, nodes),
		controlloop.SideBySide(ctx, len(pods), func(i int) error {
			return d.deletePod(ctx, r, pods[i])
		}))
}

// expect has the set wait until the cache has seen what is about to be written.
func (d *DaemonSets) expect(r *rollout, nodes []string, pods []*corev1.Pod) {
	var uids []types.UID
	for _, pod := range pods {
		uids = append(uids, pod.UID)
	}
	if len(nodes) > 0 {
		d.Creations.ExpectCreates(r.set.UID, len(nodes))
	}
	if len(uids) > 0 {
		d.Deletions.ExpectDeletes(r.set.UID, uids...)
	}
}

// createPods creates a Pod for each of these nodes, in batches of 1, 2, 4 …, those
// of a batch side by side. A batch in which a create failed is the last, and what
// was not tried is no longer expected. (deployment.SlowStart does not say which
// call is whose: here the node is to get the Pod that is meant for it, and the
// same name in the same run.)
func (d *DaemonSets) createPods(
	ctx context.Context, r *rollout, nodes []string,
) (err error) {
	for size := 1; len(nodes) > 0 && err == nil; size *= 2 {
		batch := nodes[:min(size, len(nodes))]
		nodes = nodes[len(batch):]
		err = controlloop.SideBySide(ctx, len(batch), func(i int) error {
			return d.createPod(ctx, r, batch[i])
		})
	}
	for range nodes {
		d.Creations.Created(r.set.UID)
	}
	return err
}

// createPod creates the Pod of a node. If it fails, the Pod is no longer expected.
func (d *DaemonSets) createPod(
	ctx context.Context, r *rollout, node string,
) error {
	pod, err := d.Client.Create(ctx, newDaemonPod(r.set, r.template, node))
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil // any other would be refused too, and the set will be deleted
	}
	if err != nil {
		d.Creations.Created(r.set.UID)
		d.Recorder.Eventf(r.set, corev1.EventTypeWarning, "FailedCreate",
			"Error creating: %v", err)
		return err
	}
	d.Recorder.Eventf(r.set, corev1.EventTypeNormal, "SuccessfulCreate",
		"Created pod: %s", pod.GetName())
	return nil
}

// deletePod deletes a Pod. If it fails, the deletion is no longer expected.
func (d *DaemonSets) deletePod(
	ctx context.Context, r *rollout, pod *corev1.Pod,
) error {
	err := d.Client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
		metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
	if err == nil {
		d.Recorder.Eventf(r.set, corev1.EventTypeNormal, "SuccessfulDelete",
			"Deleted pod: %s", pod.Name)
		return nil
	}
	d.Deletions.Deleted(r.set.UID, pod.UID)
	if apierrors.IsNotFound(err) {
		return nil
	}
	d.Recorder.Eventf(r.set, corev1.EventTypeWarning, "FailedDelete",
		"Error deleting: %v", err)
	return fmt.Errorf("unable to delete pods: %w", err)
}

// wait returns how long a set has to wait before it may act: 0 when the cache has
// seen all that was written for it.
func (d *DaemonSets) wait(ds *appsv1.DaemonSet) time.Duration {
	return max(d.Creations.Wait(ds.UID), d.Deletions.Wait(ds.UID))
}
