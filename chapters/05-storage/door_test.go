package storage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

func asks(size string) claimChange {
	return func(c *corev1.PersistentVolumeClaim) {
		c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	}
}

func asksNothing(c *corev1.PersistentVolumeClaim) { c.Spec.Resources.Requests = nil }

func holds(capacity corev1.ResourceList) volumeChange {
	return func(v *corev1.PersistentVolume) { v.Spec.Capacity = capacity }
}

// Claims that cannot be compared with volumes do not come in.
func TestWhatCannotBeComparedIsRefused(t *testing.T) {
	one := resource.MustParse("1")
	const modes = `supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`
	for _, c := range []struct {
		obj controlloop.Object
		why string
	}{
		{claim("c", "1Gi", by()), "spec.accessModes: Required value: at least 1 access mode is required"},
		{claim("c", "1Gi", by("Some")), `spec.accessModes: Unsupported value: "Some": ` + modes},
		{claim("c", "1Gi", by(rwop, rox)), "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"},
		{claim("c", "0"), `spec.resources[storage]: Invalid value: "0": must be greater than zero`},
		{claim("c", "1Gi", asksNothing), "spec.resources[storage]: Required value"},
		{claim("c", "1Gi", func(c *corev1.PersistentVolumeClaim) {
			c.Spec.VolumeMode = new(corev1.PersistentVolumeMode("Tape"))
		}), `spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"`},
		{volume("v", "1Gi", can()), "spec.accessModes: Required value"},
		{volume("v", "1Gi", can(rwop, rwx)), "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"},
		{volume("v", "-1"), `spec.capacity[storage]: Invalid value: "-1": must be greater than zero`},
		{volume("v", "1Gi", holds(nil)), `[spec.capacity: Required value, spec.capacity: Unsupported value: null: supported values: "storage"]`},
		{volume("v", "1Gi", holds(corev1.ResourceList{"cpu": one})),
			`spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"`},
		{volume("v", "1Gi", holds(corev1.ResourceList{"cpu": one, "storage": one})),
			`spec.capacity: Unsupported value: {"cpu":"1","storage":"1"}: supported values: "storage"`},
		{volume("v", "1Gi", func(v *corev1.PersistentVolume) {
			v.Spec.VolumeMode = new(corev1.PersistentVolumeMode("Tape"))
		}), `spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"`},
	} {
		_, err := controlloop.NewStore(allKinds).Create(t.Context(), c.obj)
		kind := map[bool]string{true: `PersistentVolume "v"`, false: `PersistentVolumeClaim "c"`}[c.obj.GetName() == "v"]
		assert.EqualError(t, err, kind+" is invalid: "+c.why)
	}
}

// An agreement stays; a claim that has its volume may ask for more.
func TestWhatWasAgreedOnStays(t *testing.T) {
	const immutable = "spec: Forbidden: spec is immutable after creation except resources.requests " +
		"and volumeAttributesClassName for bound claims"
	bound := func(c *corev1.PersistentVolumeClaim) {
		c.Status.Phase = corev1.ClaimBound
		c.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")}
	}
	annotated := func(c *corev1.PersistentVolumeClaim) {
		c.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: "old"}
	}
	for _, c := range []struct {
		name   string
		old    *corev1.PersistentVolumeClaim
		change claimChange
		why    string // "": it is allowed
	}{
		{"a volume is named", claim("c", "5Gi"), wants("a"), ""},
		{"another volume", claim("c", "5Gi", wants("a")), wants("b"), immutable},
		{"no volume any more", claim("c", "5Gi", wants("a")), wants(""), immutable},
		{"its modes", claim("c", "5Gi"), by(rwx), immutable},
		{"a class, where there was none", claim("c", "5Gi", ofAny), of("fast"), ""},
		{"another class", claim("c", "5Gi", of("slow")), of("fast"), immutable},
		{"no class any more", claim("c", "5Gi", of("slow")), ofAny, immutable},
		{"the class that it had in old words", claim("c", "5Gi", ofAny, annotated), of("old"), ""},
		{"another than in old words", claim("c", "5Gi", ofAny, annotated), of("fast"), immutable},
		{"more, before it has any", claim("c", "5Gi"), asks("6Gi"), immutable},
		{"more", claim("c", "5Gi", bound), asks("6Gi"), ""},
		{"more of another", claim("c", "5Gi", bound), func(c *corev1.PersistentVolumeClaim) {
			asks("6Gi")(c)
			c.Spec.Resources.Requests["cpu"] = resource.MustParse("1")
		}, immutable},
		{"less than it asked, and more than it has", claim("c", "7Gi", bound), asks("6Gi"), ""},
		{"as little as it has", claim("c", "7Gi", bound), asks("5Gi"),
			"spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"},
		{"less than it has", claim("c", "5Gi", bound), asks("4Gi"),
			"spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := controlloop.NewStore(allKinds)
			status := c.old.Status
			stored, err := store.Create(t.Context(), c.old)
			require.NoError(t, err)
			next := controlloop.Copy(stored.(*corev1.PersistentVolumeClaim))
			if status.Phase != "" {
				next.Status = status
				stored, err = store.UpdateStatus(t.Context(), next)
				require.NoError(t, err)
				next = controlloop.Copy(stored.(*corev1.PersistentVolumeClaim))
			}
			c.change(next)
			_, err = store.Update(t.Context(), next)
			if c.why == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, `PersistentVolumeClaim "c" is invalid: `+c.why)
			}
		})
	}
}

func TestWhatVolumesAreMadeOfStays(t *testing.T) {
	const fixed = ": field is immutable"
	immediate, retain := new(storagev1.VolumeBindingImmediate), new(corev1.PersistentVolumeReclaimRetain)
	for _, c := range []struct {
		before, after controlloop.Object
		why           string
	}{
		{class("x"), class("x", local), `provisioner: Invalid value: "kubernetes.io/no-provisioner"` + fixed},
		{class("x"), class("x", retains), `reclaimPolicy: Invalid value: "Retain"` + fixed},
		{class("x", func(c *storagev1.StorageClass) { c.ReclaimPolicy = retain }), class("x"), `reclaimPolicy: Invalid value: "Delete"` + fixed},
		{class("x", func(c *storagev1.StorageClass) { c.VolumeBindingMode = immediate }), class("x", delayed),
			`volumeBindingMode: Invalid value: "WaitForFirstConsumer"` + fixed},
		{class("x"), class("x", func(c *storagev1.StorageClass) { c.Parameters = map[string]string{"type": "ssd"} }),
			`parameters: Invalid value: {"type":"ssd"}` + fixed},
		{class("x"), class("x", growing, isDefault), ""},
		{volume("x", "1Gi"), volume("x", "1Gi", func(v *corev1.PersistentVolume) { v.Spec.NFS.Server = "10.0.0.2" }),
			"spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"},
		{volume("x", "1Gi"), volume("x", "1Gi", isBlock), `volumeMode: Invalid value: "Block"` + fixed},
		{volume("x", "1Gi"), volume("x", "2Gi", can(rwx), reservedFor("c")), ""},
	} {
		store := controlloop.NewStore(allKinds)
		stored, err := store.Create(t.Context(), c.before)
		require.NoError(t, err)
		c.after.SetUID(stored.GetUID())
		c.after.SetResourceVersion(stored.GetResourceVersion())
		_, err = store.Update(t.Context(), c.after)
		if c.why == "" {
			assert.NoError(t, err)
			continue
		}
		require.Error(t, err)
		assert.Contains(t, err.Error(), `"x" is invalid: `+c.why)
	}
}
