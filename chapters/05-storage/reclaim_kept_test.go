package storage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// A node has the disk, and does not answer.
func TestADiskIsKeptWhileANodeHasIt(t *testing.T) {
	disks := newBackend()
	in(t, bound(disks), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard"))
		kubetest.Create(c, claim("c", "1Gi", of("standard")))
		c.Settle()
		v := kubetest.All[*corev1.PersistentVolume](c, storage.VolumeKind)[0]
		at := kubetest.Create(c, &storagev1.VolumeAttachment{
			ObjectMeta: metav1.ObjectMeta{Name: storage.AttachmentName(v, "node-1")},
			Spec: storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: "node-1",
				Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &v.Name}},
		})
		gone(c, claim("c", "1Gi"))
		c.Advance(time.Hour)
		assert.Equal(t, v.Name+" Released c", volumes(c))
		assert.True(t, disks.disks[v.Name])
		assert.Equal(t, "Warning VolumeFailedDelete disks.example.com: persistentvolume "+v.Name+
			" is still attached to node node-1", first(t, told(c, "VolumeFailedDelete")))

		gone(c, at)
		c.Settle()
		assert.Empty(t, volumes(c))
		assert.Empty(t, disks.disks)
	})
}

// What keeps a volume for its provisioner goes with the policy that it's for.
func TestAVolumeThatIsToBeKeptAfterAllMayBeDeleted(t *testing.T) {
	disks := newBackend()
	in(t, bound(disks), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard"))
		kubetest.Create(c, claim("c", "1Gi", of("standard")))
		c.Settle()
		const finalizer = "external-provisioner.volume.kubernetes.io/finalizer"
		v := kubetest.All[*corev1.PersistentVolume](c, storage.VolumeKind)[0]
		assert.Contains(t, v.Finalizers, finalizer)
		kubetest.Edit(c, v, reclaims(corev1.PersistentVolumeReclaimRetain))
		c.Settle()
		assert.NotContains(t, kubetest.Get(c, v).Finalizers, finalizer)
		kubetest.Edit(c, v, reclaims(corev1.PersistentVolumeReclaimDelete))
		c.Settle()
		assert.Contains(t, kubetest.Get(c, v).Finalizers, finalizer)
		kubetest.Edit(c, v, reclaims(corev1.PersistentVolumeReclaimRetain))
		gone(c, claim("c", "1Gi"))
		c.Settle()
		assert.Equal(t, v.Name+" Released c", volumes(c))
		kubetest.Edit(c, v, func(v *corev1.PersistentVolume) { v.Annotations["test/by-hand"] = "yes" })
		gone(c, v)
		c.Settle()
		assert.Empty(t, volumes(c))
		assert.True(t, disks.disks[v.Name], "the disk is kept")
	})
}

// A person changes the policy while the provisioner's cache is late.
func TestADiskIsKeptForAPolicyThatACacheHasNotHeardOf(t *testing.T) {
	disks := newBackend()
	in(t, bound(disks), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard"))
		kubetest.Create(c, claim("c", "1Gi", of("standard")))
		c.Settle()
		c.Client.Late(2*time.Second, storage.VolumeKind)
		v := kubetest.All[*corev1.PersistentVolume](c, storage.VolumeKind)[0]
		gone(c, claim("c", "1Gi"))
		c.Advance(time.Second)
		require.Equal(t, v.Name+" Released c", volumes(c))
		kubetest.Edit(c, v, reclaims(corev1.PersistentVolumeReclaimRetain))
		c.Advance(time.Minute)
		assert.True(t, disks.disks[v.Name])
		assert.Equal(t, v.Name+" Released c", volumes(c))
	})
}
