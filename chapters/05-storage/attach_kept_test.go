package storage_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// A person deletes the claim and the volume of a disk that a silent node has, and
// makes both again: the disk is the same.
func TestADiskIsOneWhateverVolumesStandForIt(t *testing.T) {
	attaches(t, true, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		a.falls("node-1")
		gone(a.Cluster, first)
		gone(a.Cluster, boundClaim("data"))
		gone(a.Cluster, volumeFor("data", "", ours("disk-1")))
		a.Advance(time.Hour)
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		assert.NotNil(t, kubetest.Get(a.Cluster, volumeFor("data", "", ours("disk-1"))).DeletionTimestamp,
			"its volume is kept as long")

		a.again()
		a.Advance(time.Hour)
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		assert.Len(t, told(a.Cluster, "FailedAttachVolume"), 1)

		a.inUse("node-1")
		assert.Equal(t, "node-2 true, on node-2", a.attached())
		assert.Equal(t, "pv-again", kubetest.All[*corev1.PersistentVolume](a.Cluster, storage.VolumeKind)[0].Name,
			"the other has gone")
	})
}

// News of attachments come two seconds late, and a Pod moves meanwhile.
func TestAttachOneNodeAtATimeThoughACacheIsLate(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.Client.Late(2*time.Second, storage.AttachmentKind)
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		gone(a.Cluster, first)
		a.use("other", "node-2")
		for range 60 {
			all := kubetest.All[*storagev1.VolumeAttachment](a.Cluster, storage.AttachmentKind)
			assert.LessOrEqual(t, len(all), 1)
			a.Advance(100 * time.Millisecond)
		}
		a.inUse("node-1")
		a.Advance(20 * time.Second)
		assert.Equal(t, "node-2 true, on node-2", a.attached())
	})
}

func TestAttachNoVolumeThatIsAboutToGo(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		gone(a.Cluster, volumeFor("data", "", ours("disk-1")))
		a.Settle()
		assert.Equal(t, "node-1 true, on node-1", a.attached(), "kept while it is attached")
		other := a.use("other", "node-1")
		gone(a.Cluster, first)
		a.Settle()
		assert.Equal(t, "node-1 true, on node-1", a.attached(), "another Pod needs it there")
		gone(a.Cluster, other)
		a.inUse("node-1")
		assert.Empty(t, a.attached())
		assert.Empty(t, kubetest.All[*corev1.PersistentVolume](a.Cluster, storage.VolumeKind))
	})
}

// The Pod needs a volume that was deleted, and is kept for its claim.
func TestAPodIsToldWhyItsDiskIsNotAttached(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		kubetest.Edit(a.Cluster, volumeFor("data", "", ours("disk-1")), func(v *corev1.PersistentVolume) {
			v.Finalizers = []string{"kubernetes.io/pv-protection"}
		})
		gone(a.Cluster, volumeFor("data", "", ours("disk-1")))
		pod := mounter("web", claimVolume("data", "data"))
		pod.Spec.NodeName = "node-1"
		kubetest.Create(a.Cluster, pod)
		a.Advance(time.Hour)
		assert.Equal(t, "node-1 false", a.attached())
		assert.Equal(t, []string{`Warning FailedAttachVolume attachdetach-controller: ` +
			`AttachVolume.Attach failed for volume "pv-data" : PersistentVolume "pv-data" is marked for deletion`},
			told(a.Cluster, "FailedAttachVolume"), "told once")
	})
}

// Somebody deletes an attachment: the driver has detached the disk.
func TestANodeListsNoDiskThatIsAttachedThereNoMore(t *testing.T) {
	attaches(t, true, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		a.falls("node-1")
		gone(a.Cluster, first)
		a.use("next", "node-2")
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		gone(a.Cluster, kubetest.All[*storagev1.VolumeAttachment](a.Cluster, storage.AttachmentKind)[0])
		a.Settle()
		assert.Equal(t, "node-2 true, on node-2", a.attached())
	})
}

// Somebody takes away a volume with all that keeps it, and makes another for its disk.
func TestADiskIsWhereItIsThoughItsVolumeWasTakenAwayByForce(t *testing.T) {
	attaches(t, true, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		gone(a.Cluster, first)
		gone(a.Cluster, boundClaim("data"))
		a.takenByForce("data")

		a.disk(corev1.ReadWriteOnce)
		a.use("next", "node-2")
		a.Advance(time.Hour)
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		a.inUse("node-1")
		assert.Equal(t, "node-2 true, on node-2", a.attached())
	})
}

// takenByForce deletes a volume, with all that keeps it.
func (a attaching) takenByForce(name string) {
	volume := volumeFor(name, "", ours("any"))
	gone(a.Cluster, volume)
	dying := controlloop.Copy(kubetest.Get(a.Cluster, volume))
	dying.Finalizers = nil
	if _, err := a.Store.Update(context.Background(), dying); err != nil {
		panic(err)
	}
	a.Settle()
}

// again makes another volume for the disk of data, and a Pod elsewhere that needs it.
func (a attaching) again() {
	claim := kubetest.Create(a.Cluster, boundClaim("again"))
	again := volumeFor("again", claim.UID, ours("disk-1"))
	again.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	kubetest.Create(a.Cluster, again)
	kubetest.Create(a.Cluster, on("node-2", "next", "again"))
}

// A volume is made again under its old name, for another disk, while a silent node
// has the first; and that one gets a volume of another name.
func TestAnAttachmentIsOfTheDiskThatItWasMadeFor(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		a.falls("node-1")
		gone(a.Cluster, first)
		gone(a.Cluster, boundClaim("data"))
		a.takenByForce("data")
		kubetest.Create(a.Cluster, volumeFor("data", "", ours("disk-2")))

		a.again()
		a.Advance(6*time.Minute - time.Second)
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		assert.Len(t, told(a.Cluster, "FailedAttachVolume"), 1)
		a.Advance(2 * time.Second)
		assert.Equal(t, "node-2 true, on node-2", a.attached())
	})
}

// The node is gone as well: nothing lists the disk but the name of its attachment.
func TestADiskIsWhereItIsThoughItsNodeIsGone(t *testing.T) {
	attaches(t, false, func(a attaching) {
		a.disk(corev1.ReadWriteOnce)
		first := a.use("web", "node-1")
		gone(a.Cluster, first)
		gone(a.Cluster, boundClaim("data"))
		a.takenByForce("data")
		gone(a.Cluster, readyNode("node-1"))

		a.again()
		a.Advance(5 * time.Minute)
		assert.Equal(t, "node-1 true", a.attached())
		assert.Len(t, told(a.Cluster, "FailedAttachVolume"), 1)
		a.Advance(2 * time.Minute)
		assert.Equal(t, "node-2 true, on node-2", a.attached())
	})
}
