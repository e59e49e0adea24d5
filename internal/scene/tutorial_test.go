//go:build !js

package scene_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	testing_manifests "k8s.io/kubernetes/test/e2e/testing-manifests"

	"reconcile/internal/scene"
	"reconcile/internal/script"
)

// Kubernetes' own tutorial, Run a Replicated Stateful Application, as somebody
// types it from top to bottom: its commands, in its order. Its manifests are those
// that Kubernetes' end-to-end tests have of it; what a page has of Kubernetes lacks
// them. They name a class of disks, default.
func TestKubernetesOwnTutorial(t *testing.T) {
	chapter := t.TempDir()
	manifests := filepath.Join(chapter, "manifests")
	own, err := fs.Sub(testing_manifests.GetE2ETestingManifestsFS().EmbeddedFS,
		"statefulset/mysql-upgrade")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(manifests, own))
	require.NoError(t, os.WriteFile(filepath.Join(manifests, "class.yaml"), []byte(defaultClass), 0o644))
	file, err := filepath.Abs(filepath.Join("testdata", "tutorial.scene"))
	require.NoError(t, err)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := script.Parse("tutorial.scene", content)
	require.NoError(t, err)
	played, err := scene.Play(t, s, chapter, cache)
	require.NoError(t, err)
	compare(t, file, []byte(answered(string(played.Text))))
}

const defaultClass = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: default
provisioner: folder.reconcile.example
`

var row = regexp.MustCompile(`^2\| \| +(\d+) \|`)

// answered returns what was printed, with the names of the servers that answered
// in place of all their answers: a table a second, for eight minutes.
func answered(text string) string {
	var out strings.Builder
	servers := map[string]bool{}
	for line := range strings.Lines(text) {
		if of := row.FindStringSubmatch(line); of != nil {
			servers[of[1]] = true
		}
		if strings.HasPrefix(line, "2| |") || strings.HasPrefix(line, "2| +") {
			continue
		}
		if line == "\n" && len(servers) > 0 {
			fmt.Fprintf(&out, "2| %s\n", strings.Join(slices.Sorted(maps.Keys(servers)), " "))
			clear(servers)
		}
		out.WriteString(line)
	}
	return out.String()
}
