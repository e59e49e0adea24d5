package columns_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/columns"
)

var gibibyte = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}

func TestAVolumeSaysWhoHasIt(t *testing.T) {
	v := &corev1.PersistentVolume{
		ObjectMeta: web,
		Spec: corev1.PersistentVolumeSpec{
			Capacity: gibibyte,
			AccessModes: []corev1.PersistentVolumeAccessMode{
				corev1.ReadWriteMany, corev1.ReadWriteOnce, corev1.ReadWriteOnce,
			},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef:                      &corev1.ObjectReference{Namespace: "default", Name: "data"},
			StorageClassName:              "fast",
			VolumeMode:                    new(corev1.PersistentVolumeFilesystem),
			VolumeAttributesClassName:     new("gold"),
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound, Reason: "why"},
	}
	assert.Equal(t, []any{"web", "1Gi", "RWO,RWX", "Retain", "Bound", "default/data",
		"fast", "gold", "why", "5m", "Filesystem"}, cells(columns.PersistentVolume, v))

	v.DeletionTimestamp = new(ago(0))
	v.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: "old"}
	v.Spec.ClaimRef, v.Spec.VolumeMode, v.Spec.VolumeAttributesClassName = nil, nil, nil
	assert.Equal(t, []any{"web", "1Gi", "RWO,RWX", "Retain", "Terminating", "",
		"old", "<unset>", "why", "5m", "<unset>"}, cells(columns.PersistentVolume, v))
}

func TestAClaimHasNoSizeUntilItHasAVolume(t *testing.T) {
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: web,
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod},
			Resources:   corev1.VolumeResourceRequirements{Requests: gibibyte},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	assert.Equal(t, []any{"web", "Pending", "", "", "", "", "<unset>", "5m", "<unset>"},
		cells(columns.PersistentVolumeClaim, c))

	c.Spec.VolumeName, c.Spec.StorageClassName = "pv-1", new("fast")
	c.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
	c.Status = corev1.PersistentVolumeClaimStatus{
		Phase: corev1.ClaimBound, Capacity: gibibyte, AccessModes: c.Spec.AccessModes,
	}
	assert.Equal(t, []any{"web", "Bound", "pv-1", "1Gi", "RWOP", "fast", "<unset>",
		"5m", "Block"}, cells(columns.PersistentVolumeClaim, c))

	c.DeletionTimestamp = new(ago(0))
	assert.Equal(t, "Terminating", cells(columns.PersistentVolumeClaim, c)[1])
}

func storageClass(name string, age time.Duration, annotation string) *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, CreationTimestamp: ago(age),
			Annotations: map[string]string{annotation: "true"},
		},
		Provisioner: "example.com/" + name,
	}
}

func TestAClassSaysHowItMakesVolumes(t *testing.T) {
	c := storageClass("fast", time.Minute, "")
	assert.Equal(t, []any{"fast", "example.com/fast", "Delete", "Immediate", false, "60s"},
		cells(columns.StorageClass, c))
	c.ReclaimPolicy = new(corev1.PersistentVolumeReclaimRetain)
	c.VolumeBindingMode = new(storagev1.VolumeBindingWaitForFirstConsumer)
	c.AllowVolumeExpansion = new(true)
	assert.Equal(t, []any{"fast", "example.com/fast", "Retain", "WaitForFirstConsumer",
		true, "60s"}, cells(columns.StorageClass, c))
}

func TestOfSeveralDefaultClassesTheNewestIsMarked(t *testing.T) {
	const isDefault = "storageclass.kubernetes.io/is-default-class"
	older := storageClass("older", time.Hour, isDefault)
	newest := storageClass("newest", time.Minute, "storageclass.beta.kubernetes.io/is-default-class")
	twin := storageClass("twin", time.Minute, isDefault)
	plain := storageClass("plain", time.Second, "")
	marks := columns.StorageClass.Marks
	assert.Equal(t, map[string]string{"newest": " (default)"},
		marks([]controlloop.Object{older, twin, plain, newest}))
	assert.Equal(t, map[string]string{"older": " (default)"},
		marks([]controlloop.Object{plain, older}))
	assert.Empty(t, marks([]controlloop.Object{plain}))
}
