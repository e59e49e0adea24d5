package columns

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

// StorageClass is what a table shows of StorageClasses.
var StorageClass = withMarks(of(classCells,
	name,
	text("Provisioner", storagev1.StorageClass{}.SwaggerDoc()["provisioner"]),
	text("ReclaimPolicy", storagev1.StorageClass{}.SwaggerDoc()["reclaimPolicy"]),
	text("VolumeBindingMode", storagev1.StorageClass{}.SwaggerDoc()["volumeBindingMode"]),
	text("AllowVolumeExpansion",
		storagev1.StorageClass{}.SwaggerDoc()["allowVolumeExpansion"]),
	created,
), markDefault)

func classCells(c *storagev1.StorageClass, now time.Time) []any {
	return []any{
		c.Name,
		c.Provisioner,
		string(ptr.Deref(c.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)),
		string(ptr.Deref(c.VolumeBindingMode, storagev1.VolumeBindingImmediate)),
		ptr.Deref(c.AllowVolumeExpansion, false),
		age(c.CreationTimestamp, now),
	}
}

func withMarks(s Set, marks func([]controlloop.Object) map[string]string) Set {
	s.Marks = marks
	return s
}

// markDefault marks the class that claims without one get: of several the
// newest.
func markDefault(objs []controlloop.Object) map[string]string {
	defaults := slices.DeleteFunc(slices.Clone(objs), func(obj controlloop.Object) bool {
		return obj.GetAnnotations()["storageclass.kubernetes.io/is-default-class"] != "true" &&
			obj.GetAnnotations()["storageclass.beta.kubernetes.io/is-default-class"] != "true"
	})
	if len(defaults) == 0 {
		return nil
	}
	newest := slices.MinFunc(defaults, func(a, b controlloop.Object) int {
		return cmp.Or(
			b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time),
			cmp.Compare(a.GetName(), b.GetName()))
	})
	return map[string]string{newest.GetName(): " (default)"}
}
