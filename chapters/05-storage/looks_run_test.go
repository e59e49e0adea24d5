package storage_test

import (
	"bytes"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

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

// How many volumes are looked at so that as many claims get one each: by a walk
// through all of them for each claim, and by a rack.
func TestRunOfLooks(t *testing.T) {
	var log bytes.Buffer
	fmt.Fprintln(&log, "volumes and claims   walking   with a rack")
	for _, n := range []int{10, 100, 1000} {
		all := make([]*corev1.PersistentVolume, n)
		rack := storage.NewRack()
		for i := range all {
			size := fmt.Sprintf("%dGi", 1+i*7919%100)
			all[i] = volume(fmt.Sprint(i), size)
			all[i].Spec.VolumeMode = new(corev1.PersistentVolumeFilesystem)
			rack.Put(all[i])
		}
		walked, racked := 0, 0
		taken := map[string]bool{}
		isFree := func(v *corev1.PersistentVolume) bool {
			walked++
			return !taken[v.Name]
		}
		for i := range n {
			mine := claim(fmt.Sprint(i), fmt.Sprintf("%dGi", 1+i*7919%100))
			mine.Spec.VolumeMode = new(corev1.PersistentVolumeFilesystem)
			taken[walk(mine, all, isFree).Name] = true
			for name := range rack.From(mine) {
				racked++
				rack.Drop(name)
				break
			}
		}
		fmt.Fprintf(&log, "%18d %9d %13d\n", n, walked, racked)
	}
	kubetest.Recorded(t, "looks.txt", log.Bytes())
}
