package storage_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// Six volumes lie in two rows of a rack. The recording has the rows, from the
// smallest volume on, and where a claim to five gigabytes begins in each, as
// figures/rack.svg has it.
func TestRunOfTheRowsOfARack(t *testing.T) {
	type lying struct {
		Name string `json:"name"`
		Size string `json:"size"`
	}
	type row struct {
		Modes  []corev1.PersistentVolumeAccessMode `json:"modes"`
		There  []lying                             `json:"there"`
		Begins string                              `json:"begins"` // the first that is looked at
	}
	rack, sizes := storage.NewRack(), map[string]string{}
	put := func(name, size string, modes ...corev1.PersistentVolumeAccessMode) {
		v := volume(name, size, can(modes...))
		v.Spec.VolumeMode = new(corev1.PersistentVolumeFilesystem)
		rack.Put(v)
		sizes[name] = size
	}
	put("elk", "20Gi", rwo)
	put("ant", "1Gi", rwo)
	put("dog", "5Gi", rwo)
	put("cat", "2Gi", rwo)
	put("fox", "50Gi", rwo, rwx)
	put("bee", "5Gi", rwo, rwx)
	const wanted = "5Gi"
	var rows []row
	for _, modes := range [][]corev1.PersistentVolumeAccessMode{{rwo}, {rwo, rwx}} {
		r := row{Modes: modes}
		walk := func(size string) (names []string) {
			mine := claim("data", size, by(modes...))
			mine.Spec.VolumeMode = new(corev1.PersistentVolumeFilesystem)
			for name := range rack.From(mine) {
				names = append(names, name)
			}
			return names
		}
		for _, name := range walk("1Gi") {
			r.There = append(r.There, lying{name, sizes[name]})
		}
		r.Begins = walk(wanted)[0]
		rows = append(rows, r)
	}
	kubetest.RecordedJSON(t, "rack.json", map[string]any{"wanted": wanted, "rows": rows})
}
