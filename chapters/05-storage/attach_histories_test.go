package storage_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// Disks wander between two machines that fall silent and come back, or are said to
// be off; Pods, claims and volumes are deleted, also by force, and made again, a
// volume for the same disk among them; policies change; news of one kind come late;
// controllers are killed after any write. At every write: no disk is attached to two
// nodes, taken from one that uses it against the rule, or thrown away while a
// machine has it mounted. When all of this has ceased, every Pod runs and every disk
// is where its Pod is.
func TestRandomHistoriesOfDisksThatMove(t *testing.T) {
	root := t.TempDir()
	kubetest.Histories(t, func(t *testing.T, n uint64) {
		(&travels{machines: newMachines(fmt.Sprintf("%s/%d", root, n))}).live(t, n)
	})
}

// moved are the kinds that tell where a disk is.
var moved = []schema.GroupVersionKind{
	storage.AttachmentKind, storage.VolumeKind, claimKind, controlloop.PodKind,
}

// travels is one history.
type travels struct {
	*kubetest.Cluster
	*rand.Rand
	*machines
	n int
}

func (l *travels) live(t *testing.T, n uint64) {
	l.Rand = rand.New(rand.NewPCG(n, 5))
	l.neverForce = l.IntN(3) == 0
	setup := l.setup()
	setup.Seed, setup.DetectMutations = n, n%8 == 0
	l.Cluster = kubetest.New(t, setup)
	for _, c := range []struct {
		name   string
		change []classChange
	}{{"disks", nil}, {"kept", []classChange{retains}}} {
		disks := class(c.name, c.change...)
		disks.Provisioner = storage.Driver
		kubetest.Create(l.Cluster, disks)
	}
	for range 15 + l.IntN(25) {
		if l.IntN(10) == 0 {
			l.Client.CrashAtWrite(1+l.IntN(6), kubetest.When(l.IntN(2)))
		}
		l.disturb(t)
		l.Advance(time.Duration(l.IntN(1+l.IntN(20))) * time.Second)
		if l.IntN(6) == 0 {
			l.Advance(time.Duration(l.IntN(10)) * time.Minute)
		}
		if l.Crashed() {
			l.Restart()
		}
		if n%3 > 0 { // two of three have a kind that is late from the first to the last
			l.Client.Late(time.Duration(1+n%5)*time.Second, moved[n%uint64(len(moved))])
		}
	}
	l.Client.Late(0)
	for _, node := range []string{"node-1", "node-2"} {
		l.silence(t, node, false)
		l.taint(t, node, false)
	}
	l.Restart()
	l.Advance(time.Hour)
	l.judge(t)
	l.AssertQuiet(time.Hour)
}

// disturb makes something happen.
func (l *travels) disturb(t *testing.T) {
	ctx := context.Background()
	node := []string{"node-1", "node-2"}[l.IntN(2)]
	name := []string{"a", "b"}[l.IntN(2)]
	pods, claimed := l.Pods(), kubetest.All[*corev1.PersistentVolumeClaim](l.Cluster, claimKind)
	made := kubetest.All[*corev1.PersistentVolume](l.Cluster, storage.VolumeKind)
	l.n++
	switch l.IntN(12) {
	case 0, 1:
		class := []string{"disks", "kept"}[l.IntN(2)]
		if _, err := l.Store.Get(ctx, claimKind, kubetest.Named(name)); err != nil {
			kubetest.Create(l.Cluster, claim(name, "1Gi", of(class)))
		}
	case 2, 3, 4:
		kubetest.Create(l.Cluster, on(node, fmt.Sprintf("pod-%d", l.n), name))
	case 5, 6:
		if len(pods) > 0 {
			l.DeletePod(pods[l.IntN(len(pods))].Name)
		}
	case 7:
		if len(pods) > 0 {
			l.DeletePod(pods[l.IntN(len(pods))].Name, kubetest.Grace(0))
		}
	case 8:
		if len(claimed) > 0 {
			gone(l.Cluster, claimed[l.IntN(len(claimed))])
		}
	case 9:
		if len(made) > 0 {
			l.meddle(made[l.IntN(len(made))])
		}
	case 10:
		l.silence(t, node, l.IntN(2) == 0)
	case 11:
		l.taint(t, node, l.isSilent(node) && l.IntN(2) == 0)
	}
	if l.IntN(30) == 0 {
		l.Client.BreakWatches(errors.New("connection reset by peer"))
	}
}

// meddle does to a volume what administrators do: delete it, change its policy, or,
// if it is gone for all that it knows, make another for its disk.
func (l *travels) meddle(v *corev1.PersistentVolume) {
	switch l.IntN(4) {
	case 3:
		l.byForce(v)
	case 0:
		if len(v.Finalizers) == 0 {
			return // Kubernetes' API server gives a volume its first at once
		}
		kubetest.Edit(l.Cluster, v, func(v *corev1.PersistentVolume) {
			metav1.SetMetaDataAnnotation(&v.ObjectMeta, "test/by-hand", "yes")
		})
		gone(l.Cluster, v)
	case 1:
		if v.DeletionTimestamp != nil {
			return // too late: the disk may be gone
		}
		policy := []corev1.PersistentVolumeReclaimPolicy{
			corev1.PersistentVolumeReclaimRetain, corev1.PersistentVolumeReclaimDelete}[l.IntN(2)]
		kubetest.Edit(l.Cluster, v, reclaims(policy))
	case 2:
		other := volume(fmt.Sprintf("again-%d", l.n), "1Gi", reservedFor([]string{"a", "b"}[l.IntN(2)]),
			inClass(v.Spec.StorageClassName))
		other.Spec.PersistentVolumeSource = v.Spec.PersistentVolumeSource
		kubetest.Create(l.Cluster, other)
	}
}

// byForce takes away a volume whatever keeps it, or an attachment of its disk.
func (l *travels) byForce(v *corev1.PersistentVolume) {
	if l.IntN(2) == 0 {
		if v.Status.Phase == corev1.VolumeBound {
			return
		}
		next := controlloop.Copy(v)
		next.Finalizers = []string{"test/nobody"}
		metav1.SetMetaDataAnnotation(&next.ObjectMeta, "test/by-hand", "yes")
		if v.DeletionTimestamp == nil {
			stored, err := l.Store.Update(context.Background(), next)
			if err != nil {
				panic(err)
			}
			gone(l.Cluster, stored)
			next = controlloop.Copy(kubetest.Get(l.Cluster, v))
		}
		next.Finalizers = nil
		if _, err := l.Store.Update(context.Background(), next); err != nil {
			panic(err)
		}
		return
	}
	for _, at := range kubetest.All[*storagev1.VolumeAttachment](l.Cluster, storage.AttachmentKind) {
		if *at.Spec.Source.PersistentVolumeName == v.Name {
			l.mu.Lock()
			if where := at.Spec.NodeName + " " + v.Spec.CSI.VolumeHandle; l.mounted[where] > 0 {
				l.givenUp[where] = true
			}
			l.mu.Unlock()
			gone(l.Cluster, at)
		}
	}
}

func (l *travels) isSilent(node string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.silent[node]
}

// silence pulls a node's cable, or plugs it in; its condition follows, as the node
// controller has it.
func (l *travels) silence(t *testing.T, node string, silent bool) {
	l.mu.Lock()
	l.silent[node] = silent
	l.mu.Unlock()
	obj, err := l.Store.Get(t.Context(), controlloop.NodeKind, controlloop.Key{Name: node})
	require.NoError(t, err)
	next := controlloop.Copy(obj.(*corev1.Node))
	next.Status.Conditions[0].Status = corev1.ConditionTrue
	if silent {
		next.Status.Conditions[0].Status = corev1.ConditionUnknown
	}
	_, err = l.Store.UpdateStatus(t.Context(), next)
	require.NoError(t, err)
}

func (l *travels) taint(t *testing.T, node string, out bool) {
	obj, err := l.Store.Get(t.Context(), controlloop.NodeKind, controlloop.Key{Name: node})
	require.NoError(t, err)
	kubetest.Edit(l.Cluster, obj.(*corev1.Node), func(n *corev1.Node) {
		n.Spec.Taints = nil
		if out {
			n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeOutOfService,
				Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}}
		}
	})
}

// judge checks the end: what is attached is needed, and who doesn't run has a reason.
func (l *travels) judge(t *testing.T) {
	require.NoError(t, l.wrong)
	needed := map[string][]string{} // Pods, by node and disk
	for _, pod := range l.Pods() {
		if v := l.volumeOf(pod); v != nil {
			where := pod.Spec.NodeName + " " + v.Spec.CSI.VolumeHandle
			needed[where] = append(needed[where], pod.Name)
		}
	}
	has := map[string]string{} // the node of each disk
	for _, node := range kubetest.All[*corev1.Node](l.Cluster, controlloop.NodeKind) {
		for _, v := range node.Status.VolumesAttached {
			has[handleOf(v.Name)] = node.Name
		}
	}
	dying := map[string]bool{} // disks of which a volume is marked for deletion
	for _, v := range kubetest.All[*corev1.PersistentVolume](l.Cluster, storage.VolumeKind) {
		dying[v.Spec.CSI.VolumeHandle] = dying[v.Spec.CSI.VolumeHandle] || v.DeletionTimestamp != nil
	}
	for _, pod := range l.Pods() {
		v := l.volumeOf(pod)
		if pod.Status.Phase == corev1.PodRunning || v == nil || dying[v.Spec.CSI.VolumeHandle] {
			continue
		}
		handle := v.Spec.CSI.VolumeHandle
		if _, err := os.Stat(filepath.Join(l.root, "volumes", handle)); err != nil {
			continue
		}
		elsewhere := has[handle]
		require.True(t, elsewhere != pod.Spec.NodeName && len(needed[elsewhere+" "+handle]) > 0,
			"%s is %s on %s; its disk %s is at %q, with %v", pod.Name, pod.Status.Phase,
			pod.Spec.NodeName, handle, elsewhere, needed)
	}
	for handle, node := range has {
		require.NotEmpty(t, needed[node+" "+handle], "%s is attached to %s, and nobody needs it", handle, node)
	}
}

// volumeOf returns the volume of a Pod's claim, or nil: there is none that both
// sides agree on.
func (l *travels) volumeOf(pod *corev1.Pod) *corev1.PersistentVolume {
	name := pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName
	for _, v := range kubetest.All[*corev1.PersistentVolume](l.Cluster, storage.VolumeKind) {
		ref := v.Spec.ClaimRef
		if v.Status.Phase != corev1.VolumeBound || ref == nil || ref.Name != name {
			continue
		}
		obj, err := l.Store.Get(context.Background(), claimKind, kubetest.Named(name))
		if err == nil && obj.GetUID() == ref.UID &&
			obj.(*corev1.PersistentVolumeClaim).Spec.VolumeName == v.Name {
			return v
		}
	}
	return nil
}
