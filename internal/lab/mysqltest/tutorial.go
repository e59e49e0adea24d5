package mysqltest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	testing_manifests "k8s.io/kubernetes/test/e2e/testing-manifests"
)

// TutorialManifests makes a folder of the manifests of Kubernetes' own tutorial, Run a
// Replicated Stateful Application, as Kubernetes' end-to-end tests have them. They
// name a class of disks, default, which is in class.yaml.
func TutorialManifests(t testing.TB, folder string) {
	t.Helper()
	own, err := fs.Sub(testing_manifests.GetE2ETestingManifestsFS().EmbeddedFS,
		"statefulset/mysql-upgrade")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(folder, own))
	require.NoError(t, os.WriteFile(
		filepath.Join(folder, "class.yaml"), []byte(defaultClass), 0o644))
}

const defaultClass = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: default
provisioner: folder.reconcile.example
`
