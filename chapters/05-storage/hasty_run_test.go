package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// hasty is a binder as one would write it first.
type hasty struct {
	client          controlloop.Client
	claims, volumes *controlloop.Indexer
}

// Reconcile implements controlloop.Reconciler.
func (h *hasty) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := h.claims.Get(key)
	if !ok || obj.(*corev1.PersistentVolumeClaim).Spec.VolumeName != "" {
		return controlloop.Result{}, nil
	}
	claim := obj.(*corev1.PersistentVolumeClaim)
	var all []*corev1.PersistentVolume
	for _, volume := range h.volumes.List() {
		all = append(all, volume.(*corev1.PersistentVolume))
	}
	isFree := func(v *corev1.PersistentVolume) bool { return v.Spec.ClaimRef == nil }
	if volume := walk(claim, all, isFree); volume != nil {
		return controlloop.Result{}, h.bind(ctx, volume, claim)
	}
	return controlloop.Result{}, nil
}

// walk looks at all volumes, and returns the smallest that fits a claim and may
// be had.
func walk(
	claim *corev1.PersistentVolumeClaim, all []*corev1.PersistentVolume,
	isFree func(*corev1.PersistentVolume) bool,
) (best *corev1.PersistentVolume) {
	for _, volume := range all {
		if !isFree(volume) || storage.Mismatch(volume, claim) != nil {
			continue
		}
		if best == nil || volume.Spec.Capacity.Storage().
			Cmp(*best.Spec.Capacity.Storage()) < 0 {
			best = volume
		}
	}
	return best
}

// bind has the claim name its volume, for which its user waits, and then the
// volume the claim.
func (h *hasty) bind(
	ctx context.Context,
	volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim,
) error {
	claim = controlloop.Copy(claim)
	claim.Spec.VolumeName = volume.Name
	stored, err := h.client.Update(ctx, claim)
	if err != nil {
		return err
	}
	claim = controlloop.Copy(stored.(*corev1.PersistentVolumeClaim))
	claim.Status.Phase = corev1.ClaimBound
	if _, err = h.client.UpdateStatus(ctx, claim); err != nil {
		return err
	}
	volume = controlloop.Copy(volume)
	volume.Spec.ClaimRef = &corev1.ObjectReference{
		Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
	}
	stored, err = h.client.Update(ctx, volume)
	if err != nil {
		return err
	}
	volume = controlloop.Copy(stored.(*corev1.PersistentVolume))
	volume.Status.Phase = corev1.VolumeBound
	_, err = h.client.UpdateStatus(ctx, volume)
	return err
}

// The hasty binder is killed when it has told the claim, and another claim comes
// before the next one begins.
func TestRunOfAHastyBinder(t *testing.T) {
	var log bytes.Buffer
	setup := kubetest.Setup{
		Kinds: allKinds, Controllers: []kubetest.Controller{
			func(s *controlloop.System) *controlloop.Controller {
				claims := s.Informer(storage.ClaimKind, controlloop.ListOptions{})
				c := controlloop.NewController("hasty", &hasty{
					client: s.Client, claims: claims.Cache,
					volumes: s.Informer(storage.VolumeKind, controlloop.ListOptions{}).Cache,
				})
				s.Add(c)
				c.Watch(claims, controlloop.Self)
				return c
			},
		},
	}
	in(t, setup, func(c *kubetest.Cluster) {
		nfs := controlloop.Copy(kubetest.Create(c, volume("nfs", "1Gi")))
		nfs.Status.Phase = corev1.VolumeAvailable
		_, err := c.Store.UpdateStatus(t.Context(), nfs)
		require.NoError(t, err)
		c.Settle()
		const promised = 2
		c.Client.CrashAtWrite(c.Client.Writes()+promised, kubetest.After)
		kubetest.Create(c, claim("shop", "1Gi"))
		c.Settle()
		require.True(t, c.Crashed())
		fmt.Fprintf(&log, "# killed after write %d; what is there:\n", promised)
		fmt.Fprintln(&log, says(controlloop.Write{Object: kubetest.Get(c, nfs)}))
		fmt.Fprintln(&log, says(controlloop.Write{Object: kubetest.Get(c, claim("shop", "1Gi"))}))
		kubetest.Create(c, claim("logs", "1Gi"))
		before := len(c.Writes())
		c.Restart()
		c.Settle()
		fmt.Fprintln(&log, "# another claim has come, logs; what the next one writes:")
		for _, w := range c.Writes()[before:] {
			fmt.Fprintln(&log, says(w.Write))
		}
		fmt.Fprintln(&log, "# and what is there:")
		fmt.Fprintln(&log, says(controlloop.Write{Object: kubetest.Get(c, claim("logs", "1Gi"))}))
		fmt.Fprintln(&log, says(controlloop.Write{Object: kubetest.Get(c, claim("shop", "1Gi"))}))
		kubetest.Recorded(t, "hasty.txt", log.Bytes())
	})
}
