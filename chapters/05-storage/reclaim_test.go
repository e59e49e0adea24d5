package storage_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"reconcile/internal/kubetest"
)

// The fate of a volume whose claim is gone.
func TestAVolumeIsReclaimedAsItsPolicySays(t *testing.T) {
	csi := func(v *corev1.PersistentVolume) {
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
			CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: "vol-1"},
		}
	}
	released := []corev1.PersistentVolumePhase{corev1.VolumeReleased}
	failed := []corev1.PersistentVolumePhase{corev1.VolumeReleased, corev1.VolumeFailed}
	for _, c := range []struct {
		name   string
		volume *corev1.PersistentVolume
		is     string
		event  string
		phases []corev1.PersistentVolumePhase // that are written
	}{
		{"Retain", volume("a", "1Gi"), "a Released c", "", released},
		{"Delete, and somebody will", volume("a", "1Gi", csi, reclaims(corev1.PersistentVolumeReclaimDelete)),
			"a Released c", "", released},
		{"Delete, and nobody can", volume("a", "1Gi", reclaims(corev1.PersistentVolumeReclaimDelete)), "a Failed c",
			`Warning VolumeFailedDelete persistentvolume-controller: error getting deleter volume plugin for volume "a": no deletable volume plugin matched`, failed},
		{"Recycle", volume("a", "1Gi", reclaims(corev1.PersistentVolumeReclaimRecycle)), "a Failed c",
			"Warning VolumeFailedRecycle persistentvolume-controller: No recycler plugin found for the volume!", failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, binderOnly, func(cl *kubetest.Cluster) {
				kubetest.Create(cl, c.volume)
				cl.Settle()
				kubetest.Create(cl, claim("c", "1Gi"))
				cl.Settle()
				updates := func() int {
					calls := cl.Client.Calls()
					return calls["update"] + calls["update status"]
				}
				writes, tries := len(cl.WritesOf(c.volume)), updates()
				gone(cl, claim("c", "1Gi"))
				cl.Settle()
				assert.Equal(t, c.is, volumes(cl))
				var phases []corev1.PersistentVolumePhase
				for _, w := range cl.WritesOf(c.volume)[writes:] {
					phases = append(phases, w.Object.(*corev1.PersistentVolume).Status.Phase)
				}
				assert.Equal(t, c.phases, phases, "what it says of itself, one after the other")
				assert.Equal(t, len(phases), updates()-tries, "a write was refused: was it of an old version?")
				if c.event == "" {
					assert.Empty(t, cl.Events())
					assert.Empty(t, kubetest.Get(cl, c.volume).Status.Message, "nothing has gone wrong")
				} else {
					assert.Equal(t, []string{c.event}, cl.Events())
				}
				cl.AssertQuiet(long)
			})
		})
	}
}

// The data on a volume belong to its claim. A claim of the same
// name is another claim.
func TestAReleasedVolumeIsNobodyElses(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		v := kubetest.Create(c, volume("a", "1Gi"))
		kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		gone(c, claim("c", "1Gi"))
		c.Settle()
		kubetest.Create(c, claim("c", "1Gi"))
		kubetest.Create(c, claim("d", "1Gi"))
		c.Settle()
		assert.Equal(t, "c Pending, d Pending", claims(c))
		assert.Equal(t, "a Released c", volumes(c))

		// An administrator has looked at it, and takes the pointer away.
		kubetest.Edit(c, v, func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil })
		c.Settle()
		assert.Equal(t, "c Bound a, d Pending", claims(c))
	})
}

// A failure is not forgotten by the next look.
func TestAVolumeThatCouldNotBeReclaimedStaysFailed(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		v := kubetest.Create(c, volume("a", "1Gi", reclaims(corev1.PersistentVolumeReclaimDelete)))
		c.Settle()
		kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		gone(c, claim("c", "1Gi"))
		c.Settle()
		kubetest.Edit(c, v, func(v *corev1.PersistentVolume) { v.Labels = map[string]string{"seen": "yes"} })
		c.Settle()
		assert.Equal(t, "a Failed c", volumes(c))
		assert.Len(t, c.Events(), 1)
		v = kubetest.Get(c, v)
		assert.Contains(t, v.Status.Message, "no deletable volume plugin matched")

		kubetest.Edit(c, v, reclaims(corev1.PersistentVolumeReclaimRetain))
		c.Settle()
		assert.Equal(t, "a Failed c", volumes(c), "another policy does not undo what has failed")
	})
}

// The release is written first. If that is refused it is reported, and tried
// again before anything else is done.
func TestAReleaseThatIsRefusedIsTriedAgain(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, volume("a", "1Gi", reclaims(corev1.PersistentVolumeReclaimRecycle)))
		c.Settle()
		kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		c.Client.FailNth("update status", 1)
		gone(c, claim("c", "1Gi"))
		c.Settle()
		assert.Equal(t, "a Bound c", volumes(c))
		assert.Empty(t, c.Events())
		assert.True(t, c.Told(kubetest.ErrFailedOnce), "it was refused, and nobody was told")
		c.Advance(time.Minute)
		assert.Equal(t, "a Failed c", volumes(c))
		assert.Len(t, c.Events(), 1)
	})
}

// The controller that looks first may have heard of the volume and not yet of
// its claim: then it asks.
func TestAVolumeIsNotReleasedBecauseACacheIsLate(t *testing.T) {
	in(t, binderOnly, func(c *kubetest.Cluster) {
		kubetest.Create(c, volume("a", "1Gi", reclaims(corev1.PersistentVolumeReclaimDelete)))
		c.Settle()
		mine := kubetest.Create(c, claim("c", "1Gi"))
		kubetest.Edit(c, volume("a", "1Gi"), func(v *corev1.PersistentVolume) {
			v.Spec.ClaimRef = &corev1.ObjectReference{
				Namespace: mine.Namespace, Name: mine.Name, UID: mine.UID,
			}
		})
		c.Settle()
		assert.Equal(t, "a Bound c", volumes(c))
		for _, w := range c.Writes() {
			if v, ok := w.Object.(*corev1.PersistentVolume); ok {
				assert.NotEqual(t, corev1.VolumeReleased, v.Status.Phase)
			}
		}
	})
}

func TestAVolumeIsMadeOnDemandAndThrownAway(t *testing.T) {
	disks := newBackend()
	in(t, bound(disks), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("standard", isDefault, func(c *storagev1.StorageClass) {
			c.MountOptions = []string{"noatime"}
		}))
		mine := kubetest.Create(c, claim("c", "3Gi", ofAny, withAttributes("gold")))
		c.Settle()
		name := "pvc-" + string(mine.UID)
		assert.Equal(t, "c Bound "+name, claims(c))
		assert.Equal(t, map[string]bool{name: true}, disks.disks)
		v := kubetest.Get(c, volume(name, "1Gi"))
		assert.Equal(t, "3Gi", v.Spec.Capacity.Storage().String())
		assert.Equal(t, "standard", v.Spec.StorageClassName)
		assert.Equal(t, "gold", *v.Spec.VolumeAttributesClassName)
		assert.Equal(t, []string{"noatime"}, v.Spec.MountOptions)
		assert.Equal(t, []corev1.PersistentVolumeAccessMode{rwo}, v.Spec.AccessModes)
		assert.Equal(t, corev1.PersistentVolumeReclaimDelete, v.Spec.PersistentVolumeReclaimPolicy)
		assert.Equal(t, &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}, v.Spec.CSI)
		assert.Equal(t, driver, v.Annotations["pv.kubernetes.io/provisioned-by"])
		assert.Equal(t, []string{"Normal ExternalProvisioning persistentvolume-controller: Waiting for a volume to be created either by " +
			"the external provisioner 'disks.example.com' or manually by the system administrator. If volume " +
			"creation is delayed, please verify that the provisioner is running and correctly registered.",
			`Normal Provisioning disks.example.com: External provisioner is provisioning volume for claim "default/c"`,
			"Normal ProvisioningSucceeded disks.example.com: Successfully provisioned volume " + name}, slices.Compact(c.Events()))

		gone(c, mine)
		c.Settle()
		assert.Empty(t, claims(c)+volumes(c))
		assert.Empty(t, disks.disks)
		c.AssertQuiet(long)
	})
}

func TestAClassMayKeepWhatItsClaimsLeaveBehind(t *testing.T) {
	disks := newBackend()
	in(t, bound(disks), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("kept", retains))
		mine := kubetest.Create(c, claim("c", "3Gi", of("kept")))
		c.Settle()
		gone(c, mine)
		c.Settle()
		assert.Equal(t, "pvc-"+string(mine.UID)+" Released c", volumes(c))
		assert.Len(t, disks.disks, 1)
	})
}

// A failure to make or remove a disk is reported, and the attempt is repeated.
func TestABackendThatFailsIsTriedAgain(t *testing.T) {
	disks := newBackend()
	in(t, bound(disks), func(c *kubetest.Cluster) {
		disks.fails = errors.New("no space left on device")
		kubetest.Create(c, class("standard"))
		mine := kubetest.Create(c, claim("c", "3Gi", of("standard")))
		c.Advance(time.Second)
		assert.Equal(t, "c Pending", claims(c))
		assert.Equal(t, first(t, told(c, "ProvisioningFailed")),
			`Warning ProvisioningFailed disks.example.com: failed to provision volume with StorageClass "standard": no space left on device`)
		disks.fails = nil
		c.Advance(time.Minute)
		assert.Contains(t, claims(c), "c Bound")

		disks.fails = errors.New("device is busy")
		gone(c, mine)
		c.Advance(time.Second)
		assert.Contains(t, volumes(c), "Released")
		assert.Equal(t, "Warning VolumeFailedDelete disks.example.com: device is busy", first(t, told(c, "VolumeFailedDelete")))
		disks.fails = nil
		c.Advance(10 * time.Minute)
		assert.Empty(t, volumes(c))
	})
}

func TestAClaimMayGrow(t *testing.T) {
	in(t, bound(newBackend()), func(c *kubetest.Cluster) {
		kubetest.Create(c, class("growing", growing))
		mine := kubetest.Create(c, claim("c", "1Gi", of("growing")))
		c.Settle()
		kubetest.Edit(c, mine, func(claim *corev1.PersistentVolumeClaim) {
			claim.Spec.Resources.Requests[corev1.ResourceStorage] = *volume("", "2Gi").Spec.Capacity.Storage()
		})
		c.Settle()
		mine = kubetest.Get(c, mine)
		assert.Equal(t, "2Gi", mine.Status.Capacity.Storage().String())
		assert.Equal(t, "2Gi", kubetest.Get(c, volume(mine.Spec.VolumeName, "1Gi")).Spec.Capacity.Storage().String())
		assert.Len(t, told(c, "VolumeResizeSuccessful"), 1)
		c.AssertQuiet(long)
	})
}
