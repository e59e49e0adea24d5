package storage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"reconcile/internal/kubetest"
)

// A user whose claim waits asks kubectl describe why.
func TestAClaimThatWaitsIsToldWhatFor(t *testing.T) {
	madeBy := func(name string) classChange {
		return func(c *storagev1.StorageClass) { c.Provisioner = name }
	}
	for _, c := range []struct {
		name  string
		class *storagev1.StorageClass
		claim *corev1.PersistentVolumeClaim
		event string
	}{
		{"a volume that somebody makes", class("x"), claim("c", "1Gi"), "Normal FailedBinding persistentvolume-controller: " +
			"no persistent volumes available for this claim and no storage class is set"},
		{"its class", class("x"), claim("c", "1Gi", of("y")),
			`Warning ProvisioningFailed persistentvolume-controller: storageclass.storage.k8s.io "y" not found`},
		{"somebody who puts a disk there", class("x", local), claim("c", "1Gi", of("x")),
			"Warning ProvisioningFailed persistentvolume-controller: no volume plugin matched name: kubernetes.io/no-provisioner"},
		{"a provisioner", class("x", madeBy("slow.example.com")), claim("c", "1Gi", of("x")),
			"Normal ExternalProvisioning persistentvolume-controller: Waiting for a volume to be created either by the " +
				"external provisioner 'slow.example.com' or manually by the system administrator. If volume creation is " +
				"delayed, please verify that the provisioner is running and correctly registered."},
		{"its Pod", class("x", delayed), claim("c", "1Gi", of("x")), "Normal WaitForFirstConsumer persistentvolume-controller: " +
			"waiting for first consumer to be created before binding"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, binderOnly, func(cl *kubetest.Cluster) {
				kubetest.Create(cl, c.class)
				kubetest.Create(cl, c.claim)
				cl.Settle()
				assert.Equal(t, c.event, first(t, cl.Events()))
				assert.Equal(t, "c Pending", claims(cl))
			})
		})
	}
}

// A class comes, and the claims that have waited for it, or for any, are
// served.
func TestAClassThatComesLaterServesWhoHasWaited(t *testing.T) {
	in(t, bound(newBackend()), func(c *kubetest.Cluster) {
		kubetest.Create(c, claim("any", "1Gi", ofAny))
		kubetest.Create(c, claim("mine", "1Gi", of("fast")))
		kubetest.Create(c, claim("other", "1Gi", of("slow")))
		c.Settle()
		kubetest.Create(c, class("fast", isDefault))
		c.Settle()
		assert.Equal(t, "any Bound, mine Bound, other Pending", disksOf(c))
		assert.Equal(t, "fast", *kubetest.Get(c, claim("any", "1Gi")).Spec.StorageClassName)
	})
}

// The annotation is older than the field, and manifests of that time still have
// it.
func TestAClassMayBeNamedInAnAnnotation(t *testing.T) {
	named := func(class string) claimChange {
		return func(c *corev1.PersistentVolumeClaim) {
			ofAny(c)
			c.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: class}
		}
	}
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard", isDefault))
		kubetest.Create(c, volume("of-standard", "1Gi", func(v *corev1.PersistentVolume) {
			v.Spec.StorageClassName = "standard"
		}))
		kubetest.Create(c, volume("of-old", "1Gi", func(v *corev1.PersistentVolume) {
			v.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: "old"}
		}))
		kubetest.Create(c, claim("a", "1Gi", named("old")))
		kubetest.Create(c, claim("b", "1Gi", named("nosuch")))
		c.Settle()
		assert.Equal(t, "a Bound of-old, b Pending", claims(c))
		assert.Nil(t, kubetest.Get(c, claim("b", "1Gi")).Spec.StorageClassName)
		assert.Contains(t, c.Events(), "Warning ProvisioningFailed persistentvolume-controller: "+
			`storageclass.storage.k8s.io "nosuch" not found`)
	})
}

// The newest that is marked so is the default.
func TestOfTwoDefaultsTheNewestCounts(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		for _, name := range []string{"b", "c", "a"} {
			kubetest.Create(c, class(name, isDefault))
			c.Advance(time.Minute)
		}
		kubetest.Create(c, class("z"))
		kubetest.Create(c, claim("c", "1Gi", ofAny))
		c.Settle()
		assert.Equal(t, "a", *kubetest.Get(c, claim("c", "1Gi")).Spec.StorageClassName)
	})
}

// A volume that was made and is not bound yet is not made again.
func TestAVolumeIsMadeOnce(t *testing.T) {
	disks := newBackend()
	setup := kubetest.Setup{Kinds: allKinds, Controllers: []kubetest.Controller{disks.provisioner}}
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard"))
		mine := kubetest.Create(c, claim("c", "1Gi", of("standard"), func(c *corev1.PersistentVolumeClaim) {
			c.Annotations = map[string]string{"volume.kubernetes.io/storage-provisioner": driver}
		}))
		c.Settle()
		kubetest.Edit(c, mine, func(c *corev1.PersistentVolumeClaim) { c.Labels = map[string]string{"a": "b"} })
		c.Settle()
		assert.Len(t, told(c, "Provisioning"), 1, "%q", c.Events())
		assert.Len(t, disks.disks, 1)
	})
}

// A provisioner names what it does not make, and makes nothing.
func TestAProvisionerSaysWhatItDoesNotMake(t *testing.T) {
	for why, change := range map[string]claimChange{
		"disks.example.com does not provide block volumes": blocks,
		"claim Selector is not supported":                  selecting("disk", "fast"),
	} {
		disks := newBackend()
		in(t, bound(disks), func(c *kubetest.Cluster) {
			kubetest.Create(c, class("standard"))
			kubetest.Create(c, claim("c", "1Gi", of("standard"), change))
			c.Settle()
			assert.Equal(t, `Warning ProvisioningFailed disks.example.com: failed to provision volume with StorageClass "standard": `+why,
				first(t, told(c, "ProvisioningFailed")))
			assert.Empty(t, disks.disks)
		})
	}
}

// A claim that names a volume that is about to go does not get it.
func TestAVolumeThatIsAboutToGoIsNotGivenByName(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		leaving := volume("a", "1Gi")
		leaving.Finalizers = []string{"test/kept"}
		kubetest.Create(c, leaving)
		gone(c, leaving)
		kubetest.Create(c, claim("c", "1Gi", wants("a")))
		c.Settle()
		assert.Equal(t, `Warning VolumeMismatch persistentvolume-controller: Cannot bind to requested volume "a": `+
			`the volume is marked for deletion "a"`, first(t, told(c, "VolumeMismatch")))
		assert.Equal(t, "c Pending a", claims(c))
	})
}

// A user gave a volume to a claim by hand, and it cannot be mounted as the
// claim says. Both are told; for one that can, neither is.
func TestAVolumeThatCannotBeMountedAsItsClaimSaysIsTold(t *testing.T) {
	const both = "Warning VolumeMismatch persistentvolume-controller: Cannot bind PersistentVolume "
	for _, c := range []struct {
		name   string
		change volumeChange
		told   []string
	}{
		{"block", isBlock, []string{
			both + `to requested PersistentVolumeClaim "c" due to incompatible volumeMode.`,
			both + `"a" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
		}},
		{"file system", func(*corev1.PersistentVolume) {}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, binderOnly, func(cl *kubetest.Cluster) {
				mine := kubetest.Create(cl, claim("c", "1Gi"))
				cl.Settle()
				kubetest.Create(cl, volume("a", "1Gi", c.change, reservedFor("c"), func(v *corev1.PersistentVolume) {
					v.Spec.ClaimRef.UID = mine.UID
				}))
				cl.Settle()
				assert.Equal(t, c.told, told(cl, "VolumeMismatch"))
			})
		})
	}
}

// A loss, or a failure, is written down before it is reported: else it is
// reported twice.
func TestWhatCouldNotBeWrittenIsNotToldYet(t *testing.T) {
	for event, policy := range map[string]corev1.PersistentVolumeReclaimPolicy{
		"VolumeFailedRecycle": corev1.PersistentVolumeReclaimRecycle,
		"ClaimLost":           corev1.PersistentVolumeReclaimRetain,
	} {
		in(t, binderOnly, func(c *kubetest.Cluster) {
			kubetest.Create(c, volume("a", "1Gi", reclaims(policy)))
			kubetest.Create(c, claim("c", "1Gi"))
			c.Settle()
			if event == "ClaimLost" {
				c.Client.FailNth("update status", 1)
				gone(c, volume("a", "1Gi"))
			} else {
				c.Client.FailNth("update status", 2) // the first marks it Released
				gone(c, claim("c", "1Gi"))
			}
			c.Advance(time.Minute)
			assert.True(t, c.Told(kubetest.ErrFailedOnce))
			assert.Len(t, told(c, event), 1, "%q", c.Events())
		})
	}
}

// A user has taken from a claim what it was bound to, or has given it another's
// volume.
func TestAClaimThatAHandHasSpoiledSaysWhatItLost(t *testing.T) {
	for name, event := range map[string]string{
		"": "Warning ClaimLost persistentvolume-controller: Bound claim has lost reference to PersistentVolume. " +
			"Data on the volume is lost!",
		"a": "Warning ClaimMisbound persistentvolume-controller: Two claims are bound to the same volume, " +
			"this one is bound incorrectly",
	} {
		setup := binderOnly
		setup.Invariants = nil // the user breaks them
		in(t, setup, func(c *kubetest.Cluster) {
			kubetest.Create(c, volume("a", "1Gi"))
			kubetest.Create(c, claim("first", "1Gi"))
			c.Settle()
			kubetest.Create(c, claim("second", "1Gi", wants(name), func(c *corev1.PersistentVolumeClaim) {
				c.Annotations = map[string]string{completed: "yes"}
			}))
			c.Settle()
			assert.Contains(t, c.Events(), event)
			assert.Equal(t, corev1.ClaimLost, kubetest.Get(c, claim("second", "1Gi")).Status.Phase)
			assert.Contains(t, claims(c), "first Bound a")
		})
	}
}

// The volume has grown, and the controller stopped before the claim said so.
func TestAGrowthThatIsHalfDoneIsFinished(t *testing.T) {
	in(t, bound(newBackend()), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("growing", growing))
		mine := kubetest.Create(c, claim("c", "1Gi", of("growing")))
		c.Settle()
		c.Client.FailNth("update status", 1)
		kubetest.Edit(c, mine, func(claim *corev1.PersistentVolumeClaim) {
			claim.Spec.Resources.Requests[corev1.ResourceStorage] = *volume("", "2Gi").Spec.Capacity.Storage()
		})
		c.Advance(time.Minute)
		assert.True(t, c.Told(kubetest.ErrFailedOnce))
		assert.Equal(t, "2Gi", kubetest.Get(c, mine).Status.Capacity.Storage().String())
		assert.Equal(t, []string{"Normal Resizing disks.example.com: External resizer is resizing volume pvc-" + string(mine.UID)},
			told(c, "Resizing"))
		assert.Equal(t, []string{"Normal VolumeResizeSuccessful disks.example.com: Resize volume succeeded"},
			told(c, "VolumeResizeSuccessful"))
	})
}
