package columns

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// PersistentVolume is what a table shows of PersistentVolumes.
var PersistentVolume = of(volumeCells,
	name,
	text("Capacity", corev1.PersistentVolumeSpec{}.SwaggerDoc()["capacity"]),
	text("Access Modes", corev1.PersistentVolumeSpec{}.SwaggerDoc()["accessModes"]),
	text("Reclaim Policy",
		corev1.PersistentVolumeSpec{}.SwaggerDoc()["persistentVolumeReclaimPolicy"]),
	text("Status", corev1.PersistentVolumeStatus{}.SwaggerDoc()["phase"]),
	text("Claim", corev1.PersistentVolumeSpec{}.SwaggerDoc()["claimRef"]),
	text("StorageClass", "StorageClass of the pv"),
	text("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
	text("Reason", corev1.PersistentVolumeStatus{}.SwaggerDoc()["reason"]),
	created,
	wide(text("VolumeMode", corev1.PersistentVolumeSpec{}.SwaggerDoc()["volumeMode"])),
)

func volumeCells(v *corev1.PersistentVolume, now time.Time) []any {
	claim := ""
	if ref := v.Spec.ClaimRef; ref != nil {
		claim = ref.Namespace + "/" + ref.Name
	}
	return []any{
		v.Name,
		size(v.Spec.Capacity),
		modes(v.Spec.AccessModes),
		string(v.Spec.PersistentVolumeReclaimPolicy),
		phase(v, string(v.Status.Phase)),
		claim,
		class(v, v.Spec.StorageClassName),
		ptr.Deref(v.Spec.VolumeAttributesClassName, "<unset>"),
		v.Status.Reason,
		age(v.CreationTimestamp, now),
		string(ptr.Deref(v.Spec.VolumeMode, "<unset>")),
	}
}

// PersistentVolumeClaim is what a table shows of PersistentVolumeClaims.
var PersistentVolumeClaim = of(claimCells,
	name,
	text("Status", corev1.PersistentVolumeClaimStatus{}.SwaggerDoc()["phase"]),
	text("Volume", corev1.PersistentVolumeClaimSpec{}.SwaggerDoc()["volumeName"]),
	text("Capacity", corev1.PersistentVolumeClaimStatus{}.SwaggerDoc()["capacity"]),
	text("Access Modes", corev1.PersistentVolumeClaimStatus{}.SwaggerDoc()["accessModes"]),
	text("StorageClass", "StorageClass of the pvc"),
	text("VolumeAttributesClass", "VolumeAttributesClass of the pvc"),
	created,
	wide(text("VolumeMode", corev1.PersistentVolumeClaimSpec{}.SwaggerDoc()["volumeMode"])),
)

// claimCells returns the cells of a claim, which has neither size nor modes
// until it has a volume.
func claimCells(c *corev1.PersistentVolumeClaim, now time.Time) []any {
	var capacity, access string
	if c.Spec.VolumeName != "" {
		capacity, access = size(c.Status.Capacity), modes(c.Status.AccessModes)
	}
	return []any{
		c.Name,
		phase(c, string(c.Status.Phase)),
		c.Spec.VolumeName,
		capacity,
		access,
		class(c, ptr.Deref(c.Spec.StorageClassName, "")),
		ptr.Deref(c.Spec.VolumeAttributesClassName, "<unset>"),
		age(c.CreationTimestamp, now),
		string(ptr.Deref(c.Spec.VolumeMode, "<unset>")),
	}
}

func size(resources corev1.ResourceList) string {
	size := resources[corev1.ResourceStorage]
	return size.String()
}

func phase(obj metav1.Object, phase string) string {
	if obj.GetDeletionTimestamp() != nil {
		return "Terminating"
	}
	return phase
}

// class returns the storage class, which once was an annotation.
func class(obj metav1.Object, class string) string {
	if old, ok := obj.GetAnnotations()[corev1.BetaStorageClassAnnotation]; ok {
		return old
	}
	return class
}

// modes returns how a volume may be mounted, always in this order.
func modes(all []corev1.PersistentVolumeAccessMode) string {
	var short []string
	for _, mode := range []struct {
		mode  corev1.PersistentVolumeAccessMode
		short string
	}{
		{corev1.ReadWriteOnce, "RWO"},
		{corev1.ReadOnlyMany, "ROX"},
		{corev1.ReadWriteMany, "RWX"},
		{corev1.ReadWriteOncePod, "RWOP"},
	} {
		if slices.Contains(all, mode.mode) {
			short = append(short, mode.short)
		}
	}
	return strings.Join(short, ",")
}
