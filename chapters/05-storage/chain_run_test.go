package storage_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"reconcile/internal/kubetest"
)

// A Pod mounts a claim. The recording has what leads from a path in its container
// to a folder, as figures/chain.svg has it.
func TestRunOfWhatLeadsToAFolder(t *testing.T) {
	mounts(t, 1, func(m *mounting) {
		m.bind("data", ours("disk-1"))
		pod := m.start(mounter("writer", claimVolume("rows", "data")))
		name := pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName
		mine := kubetest.Get(m.Cluster, claim(name, "1Gi"))
		pv := kubetest.Get(m.Cluster, volumeFor(name, mine.UID, ours("")))
		folder, err := filepath.Rel(m.root, m.mountAt("writer", "/rows").Source)
		require.NoError(t, err)
		kubetest.RecordedJSON(t, "chain.json", map[string]any{
			"mountPath": pod.Spec.Containers[0].VolumeMounts[0].MountPath,
			"claimName": name, "volumeName": mine.Spec.VolumeName,
			"volumeHandle": pv.Spec.CSI.VolumeHandle, "folder": folder,
		})
	})
}
