package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver/admission"
)

func TestAClaimGrowsOnlyWhereItsClassAllowsIt(t *testing.T) {
	const refused = "only dynamically provisioned pvc can be resized and " +
		"the storageclass that provisions the pvc must support resize"
	l := newLimited(t)
	for name, may := range map[string]bool{"growing": true, "fixed": false} {
		l.must(l.store.Create(t.Context(), &storagev1.StorageClass{
			ObjectMeta:  metav1.ObjectMeta{Name: name},
			Provisioner: "disks.example.com", AllowVolumeExpansion: &may,
		}))
	}
	for name, c := range map[string]struct {
		class *string
		phase corev1.PersistentVolumeClaimPhase
		size  string
		want  string
	}{
		"it allows it":            {new("growing"), corev1.ClaimBound, "2Gi", ""},
		"it does not":             {new("fixed"), corev1.ClaimBound, "2Gi", refused},
		"it is gone":              {new("gone"), corev1.ClaimBound, "2Gi", refused},
		"there is none":           {nil, corev1.ClaimBound, "2Gi", refused},
		"it is not bound":         {new("growing"), corev1.ClaimPending, "2Gi", "Only bound persistent volume claims can be expanded"},
		"it stays as it is":       {new("fixed"), corev1.ClaimBound, "1Gi", ""},
		"smaller is another's no": {new("fixed"), corev1.ClaimBound, "1Mi", ""},
	} {
		sized := func(size string) *corev1.PersistentVolumeClaim {
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default"}}
			claim.Spec.StorageClassName = c.class
			claim.Spec.Resources.Requests = amounts(map[string]string{"storage": size})
			claim.Status.Phase = c.phase
			return claim
		}
		err := admission.AdmitChange(t.Context(), l.store, sized(c.size), sized("1Gi"))
		if c.want == "" {
			assert.NoError(t, err, name)
			continue
		}
		require.True(t, apierrors.IsForbidden(err), "%s: %v", name, err)
		assert.EqualError(t, err, `persistentvolumeclaims "data" is forbidden: `+c.want, name)
	}
}

func TestAClaimThatNamesAClassDoesNotGetTheDefault(t *testing.T) {
	l := newLimited(t)
	l.must(l.store.Create(t.Context(), &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "standard", Annotations: map[string]string{
			"storageclass.kubernetes.io/is-default-class": "true"}},
		Provisioner: "disks.example.com",
	}))
	for name, c := range map[string]struct {
		annotations map[string]string
		class, want *string
	}{
		"it names none":               {nil, nil, new("standard")},
		"none is a name":              {nil, new(""), new("")},
		"the annotation of old times": {map[string]string{"volume.beta.kubernetes.io/storage-class": "fast"}, nil, nil},
	} {
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
			Name: "data", Namespace: "default", Annotations: c.annotations}}
		claim.Spec.StorageClassName = c.class
		admitted, err := admission.Admit(t.Context(), l.store, claim, false)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, admitted.(*corev1.PersistentVolumeClaim).Spec.StorageClassName, name)
	}
}
