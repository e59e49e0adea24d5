//go:build !js

package scene_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/lab/mysqltest"
	"reconcile/internal/scene"
	"reconcile/internal/script"
)

// Kubernetes' own tutorial, Run a Replicated Stateful Application, as somebody
// types it from top to bottom: its commands, in its order. What a page has of
// Kubernetes lacks its manifests. With real servers it's played by cmd/lab/cluster.
func TestKubernetesOwnTutorial(t *testing.T) {
	chapter := t.TempDir()
	mysqltest.TutorialManifests(t, filepath.Join(chapter, "manifests"))
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
