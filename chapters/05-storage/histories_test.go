package storage_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// Histories reach where no story does: volumes and claims of all sizes that come
// and go, a set that is scaled while its Pods and claims are deleted, disks that
// cannot be made for a while, a controller that is killed after any write,
// connections that break and a notification that gets lost. The invariants are
// checked at every write; when all of this has ceased, claims and volumes point
// to each other or to nothing, and then nothing moves any more.
func TestRandomHistoriesKeepEverybodysDisk(t *testing.T) {
	kubetest.Histories(t, live)
}

// life is one history.
type life struct {
	*kubetest.Cluster
	*rand.Rand
	disks   *backend
	written map[string]string // the name that an ordinal has written, by the disk it was on
	n       int
}

func live(t *testing.T, n uint64) {
	disks := newBackend()
	setup := bound(disks)
	setup.Seed, setup.DetectMutations = n, false
	l := &life{
		Cluster: kubetest.New(t, setup), Rand: rand.New(rand.NewPCG(n, 5)),
		disks: disks, written: map[string]string{},
	}
	policies := []appsv1.PersistentVolumeClaimRetentionPolicyType{retain, remove}
	kubetest.Create(l.Cluster, class("standard", isDefault))
	kubetest.Create(l.Cluster, class("kept", retains))
	kubetest.Create(l.Cluster, web(int32(l.IntN(4)),
		retention(policies[l.IntN(2)], policies[l.IntN(2)])))
	l.LoseNotification(1 + l.IntN(300))
	for range 10 + l.IntN(20) {
		if l.IntN(8) == 0 {
			l.Client.CrashAtWrite(1+l.IntN(6), kubetest.When(l.IntN(2)))
		}
		l.disturb()
		l.Advance(time.Duration(l.IntN(15)) * time.Second)
		if l.IntN(3) > 0 {
			serve(l.Cluster)
			l.write(t)
		}
		if l.Crashed() {
			l.Restart()
		}
	}
	disks.fails = nil
	l.LoseNotification(0)
	l.Restart()
	for range 30 {
		l.Advance(3 * time.Minute)
		serve(l.Cluster)
	}
	l.write(t)
	l.judge(t)
	l.AssertQuiet(time.Hour)
}

// disturb makes something happen.
func (l *life) disturb() {
	sizes := []string{"1Gi", "2Gi", "5Gi"}
	l.n++
	switch l.IntN(10) {
	case 0:
		scale(l.Cluster, int32(l.IntN(4)))
	case 1:
		changes := []volumeChange{}
		if l.IntN(4) == 0 {
			changes = append(changes, reservedFor(fmt.Sprintf("claim-%d", l.n+1)))
		}
		kubetest.Create(l.Cluster, volume(fmt.Sprintf("volume-%d", l.n), sizes[l.IntN(3)], changes...))
	case 2, 3:
		change := []claimChange{func(*corev1.PersistentVolumeClaim) {}, ofAny, of("kept"),
			wants(fmt.Sprintf("volume-%d", 1+l.IntN(l.n)))}[l.IntN(4)]
		kubetest.Create(l.Cluster, claim(fmt.Sprintf("claim-%d", l.n), sizes[l.IntN(3)], change))
	case 4:
		if all := kubetest.All[*corev1.PersistentVolumeClaim](l.Cluster, claimKind); len(all) > 0 {
			gone(l.Cluster, all[l.IntN(len(all))])
		}
	case 5:
		if pods := l.Pods(); len(pods) > 0 {
			l.DeletePod(pods[l.IntN(len(pods))].Name)
		}
	case 6:
		l.disks.fails = []error{nil, fmt.Errorf("no space left on device")}[l.IntN(2)]
	case 7:
		l.reuse()
	case 8:
		l.Client.BreakWatches(errors.New("connection reset by peer"))
	}
}

// reuse wipes and frees a released volume, as an administrator does.
func (l *life) reuse() {
	for _, v := range kubetest.All[*corev1.PersistentVolume](l.Cluster, storage.VolumeKind) {
		if v.Status.Phase == corev1.VolumeReleased && v.Spec.CSI == nil {
			kubetest.Edit(l.Cluster, v, func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil })
			delete(l.written, v.Name)
			return
		}
	}
}

// write makes every running Pod read its disk, and write its own name there:
// the name that it finds is its own, or none.
func (l *life) write(t *testing.T) {
	for _, pod := range l.Pods() {
		if pod.Status.Phase != corev1.PodRunning || len(pod.Spec.Volumes) == 0 {
			continue
		}
		key := kubetest.Named(pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName)
		obj, err := l.Store.Get(t.Context(), claimKind, key)
		if err != nil {
			continue
		}
		disk := obj.(*corev1.PersistentVolumeClaim).Spec.VolumeName
		if found, ok := l.written[disk]; ok {
			require.Equal(t, pod.Name, found, "on the disk of %s", pod.Name)
		}
		l.written[disk] = pod.Name
	}
}

// judge checks the end of every object.
func (l *life) judge(t *testing.T) {
	taken := map[string]*corev1.PersistentVolume{}
	for _, v := range kubetest.All[*corev1.PersistentVolume](l.Cluster, storage.VolumeKind) {
		if v.Spec.ClaimRef != nil && v.Status.Phase == corev1.VolumeBound {
			taken[v.Spec.ClaimRef.Name] = v
		}
		if v.Spec.CSI != nil {
			require.True(t, l.disks.disks[v.Spec.CSI.VolumeHandle], "%s has no disk", v.Name)
		}
	}
	for _, c := range kubetest.All[*corev1.PersistentVolumeClaim](l.Cluster, claimKind) {
		v := taken[c.Name]
		delete(taken, c.Name)
		switch c.Status.Phase {
		case corev1.ClaimBound:
			require.NotNil(t, v, "%s is bound to nobody", c.Name)
			require.Equal(t, c.UID, v.Spec.ClaimRef.UID)
			require.Equal(t, v.Name, c.Spec.VolumeName)
			if c.Annotations["pv.kubernetes.io/bound-by-controller"] != "" { // else a user has chosen
				require.False(t, v.Spec.Capacity.Storage().Cmp(*c.Spec.Resources.Requests.Storage()) < 0)
			}
		default:
			require.Nil(t, v, "%s has a volume and does not say so", c.Name)
		}
	}
	require.Empty(t, taken, "volumes are bound to claims that are gone")
	set := kubetest.Get(l.Cluster, web(0))
	require.Len(t, l.Pods(), int(*set.Spec.Replicas))
	for _, pod := range l.Pods() {
		require.Equal(t, corev1.PodRunning, pod.Status.Phase, "%s: %s", controlloop.KeyOf(pod), disksOf(l.Cluster))
	}
}
