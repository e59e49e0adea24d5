package mysqltest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// delay is that of the question whether a server is ready, with the pause between two.
var delay = regexp.MustCompile(`initialDelaySeconds: 5\n( +)(periodSeconds: \d+\n +)?`)

// again is the sidecar's pause before it asks its server once more.
var again = regexp.MustCompile(`do sleep 1; done`)

// Hasten makes a folder of the manifests in another, or in the same, whose servers are
// asked early whether they are ready, and soon again: with real ones, a user waits
// for that more than for anything else. The sidecar has to be as quick: a Pod clones
// from the one before as soon as that is ready.
func Hasten(t testing.TB, from, to string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(from, "*.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(to, 0o755))
	hastened := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		hastened += len(delay.FindAll(text, -1)) * len(again.FindAll(text, -1))
		text = delay.ReplaceAll(text, []byte("initialDelaySeconds: 2\n${1}periodSeconds: 2\n$1"))
		text = again.ReplaceAll(text, []byte("do sleep 0.1; done"))
		require.NoError(t, os.WriteFile(filepath.Join(to, filepath.Base(name)), text, 0o644))
	}
	require.Positive(t, hastened, "no manifest of %s has such delays", from)
}

const defaultClass = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: default
provisioner: folder.reconcile.example
`
