package lab_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/lab"
)

func TestDisksAreMadeByWhatWasChosen(t *testing.T) {
	for disks, left := range map[string]int{"": 0, "folders": 0, "wastebasket": 1} {
		folder := t.TempDir()
		running(t, lab.Options{Nodes: 1, Folder: folder, Choices: lab.Choices{Disks: disks}}, func(f fixture) {
			f.create(&corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data"},
				Spec: corev1.PersistentVolumeClaimSpec{
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
						corev1.ResourceStorage: resource.MustParse("1Gi")}},
				},
			})
			time.Sleep(time.Minute)
			f.delete(storage.ClaimKind, "default", "data")
			time.Sleep(time.Minute)
		})
		thrown, err := filepath.Glob(filepath.Join(folder, "trash", "*-pvc-*"))
		require.NoError(t, err)
		assert.Len(t, thrown, left, disks)
	}
	_, err := lab.New(lab.Options{Choices: lab.Choices{Disks: "tape"}})
	assert.EqualError(t, err, `there are no disks of "tape"; there are folders and wastebasket`)
}
