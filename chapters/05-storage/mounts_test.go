package storage_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

func TestAnEmptyDirLivesAsLongAsItsPod(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		scratch := emptyDir("scratch")
		size := resource.MustParse("1Gi")
		scratch.EmptyDir.Medium, scratch.EmptyDir.SizeLimit = corev1.StorageMediumMemory, &size
		pod := mounter("web", scratch)
		pod.Spec.Containers[0].LivenessProbe = kubetest.Exec("fail")
		m.start(pod)
		m.write("web", "/scratch", "page", "hello")
		m.Advance(5 * time.Minute)
		assert.NotZero(t, m.Pod("web").Status.ContainerStatuses[0].RestartCount)
		assert.Equal(t, "hello", m.read("web", "/scratch", "page"), "a container that ends takes nothing with it")
		folder := m.mountAt("web", "/scratch").Source
		m.DeletePod("web")
		m.Advance(time.Minute)
		assert.NoDirExists(t, folder)
		m.start(mounter("web", scratch))
		assert.Contains(t, m.read("web", "/scratch", "page"), "no such file")
	})
}

func TestWhatIsWrittenToAClaimIsReadByTheNextPodOnAnyNode(t *testing.T) {
	mounts(t, 2, func(m *mounting) {
		m.bind("data", ours("pv-data"))
		first := mounter("web", claimVolume("data", "data"))
		first.Spec.NodeName = "node-1"
		m.start(first)
		m.write("web", "/data", "page", "hello web-0")
		m.DeletePod("web")
		m.Advance(time.Minute)
		next := mounter("web", claimVolume("data", "data"))
		next.Spec.NodeName = "node-2"
		m.start(next)
		assert.Equal(t, "hello web-0", m.read("web", "/data", "page"))
		assert.FileExists(t, filepath.Join(m.root, "volumes", "pv-data", "page"))
	})
}

func TestAVolumesFolderIsDeletedOnceAndForAll(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.bind("data", ours("pv-data"))
		m.start(mounter("web", claimVolume("data", "data")))
		m.write("web", "/data", "page", "hello")
		for range 2 {
			require.NoError(t, storage.Folders(m.root).Remove("pv-data"))
			assert.NoDirExists(t, filepath.Join(m.root, "volumes", "pv-data"))
		}
		for _, wrong := range []string{"", ".", "..", "../pods", "a/b", "/"} {
			assert.Error(t, storage.Folders(m.root).Remove(wrong), "%q", wrong)
		}
		assert.DirExists(t, filepath.Join(m.root, "volumes"))
	})
}

func TestAPodStartsTheInstantItsClaimIsBound(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		const unmounted = "Unable to attach or mount volumes: unmounted volumes=[data], " +
			"unattached volumes=[], failed to process volumes=[data]: error processing PVC default/data: "
		m.start(mounter("web", claimVolume("data", "data")))
		m.waits("web", unmounted+`failed to fetch PVC from API server: persistentvolumeclaims "data" not found`)
		claim := boundClaim("data")
		claim.Status.Phase, claim.Spec.VolumeName = corev1.ClaimPending, ""
		claim = kubetest.Create(m.Cluster, claim)
		m.Settle()
		m.waits("web", unmounted+"PVC is not bound")
		next := controlloop.Copy(claim)
		next.Status.Phase = corev1.ClaimBound
		_, err := m.Store.UpdateStatus(t.Context(), next)
		require.NoError(t, err)
		m.Settle()
		m.waits("web", unmounted+"PVC has empty pvc.Spec.VolumeName")
		kubetest.Edit(m.Cluster, claim, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv-data" })
		m.Settle()
		m.waits("web", unmounted+`failed to fetch PV pv-data from API server: persistentvolumes "pv-data" not found`)
		volume := volumeFor("data", "another's", ours("pv-data"))
		volume = m.make(volume)
		m.Settle()
		m.waits("web", unmounted+"found PV object pv-data but its pv.Spec.ClaimRef.UID another's "+
			"does not point to claim.UID "+string(claim.UID))
		kubetest.Edit(m.Cluster, volume, func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.UID = claim.UID })
		m.Settle()
		assert.True(t, m.runs("web"), "%q", m.Events())
	})
}

func TestAClaimThatIsBeingDeletedServesWhomItIsKeptFor(t *testing.T) {
	for name, kept := range map[string]bool{"kept": true, "not kept": false} {
		t.Run(name, func(t *testing.T) {
			mounts(t, 1, func(m *mounting) {
				claim := boundClaim("data")
				claim.Finalizers = []string{"example.com/other"}
				if kept {
					claim.Finalizers = []string{"kubernetes.io/pvc-protection"}
				}
				claim = kubetest.Create(m.Cluster, claim)
				m.make(volumeFor("data", claim.UID, ours("pv-data")))
				require.NoError(t, m.Store.Delete(t.Context(), claim.GroupVersionKind(),
					kubetest.Named("data"), metav1.DeleteOptions{}))
				m.start(mounter("web", claimVolume("data", "data")))
				assert.Equal(t, kept, m.runs("web"), "%q", m.Events())
				if !kept {
					m.waits("web", "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], "+
						"failed to process volumes=[data]: error processing PVC default/data: PVC is being deleted")
				}
			})
		})
	}
}

func TestFoldersOfPodsThatHaveGoneAreClearedUpTheNextTime(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.start(mounter("web", emptyDir("scratch")))
		m.write("web", "/scratch", "page", "hello")
		left := filepath.Join(m.root, "pods", "node-1", "gone", "scratch", "deep")
		others := filepath.Join(m.root, "pods", "node-2", "theirs")
		require.NoError(t, os.MkdirAll(left, 0o755))
		require.NoError(t, os.MkdirAll(others, 0o755))
		m.Restart()
		m.Advance(time.Second)
		assert.NoDirExists(t, filepath.Join(m.root, "pods", "node-1", "gone"))
		assert.DirExists(t, others)
		assert.Equal(t, "hello", m.read("web", "/scratch", "page"))
	})
}

func TestAVolumeThatNoContainerMountsIsLeftAlone(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		pod := mounter("web", emptyDir("scratch"))
		pod.Spec.Volumes = append(pod.Spec.Volumes, configMapVolume("unused", "missing"))
		m.start(pod)
		assert.True(t, m.runs("web"), "%q", m.Events())
	})
}
