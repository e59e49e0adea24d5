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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab/mysqltest"
	"reconcile/internal/scene"
	"reconcile/internal/script"
	"reconcile/internal/slow"
)

// Each tutorial that docs/typed.md lists, as somebody types it from top to bottom, and what
// users expect of kubectl besides (testdata/kubectl); a reader's run, one in three.
func TestTutorials(t *testing.T) {
	root, err := filepath.Abs("testdata")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "*", "*.scene"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		t.Run(filepath.ToSlash(strings.TrimSuffix(file[len(root)+1:], ".scene")), func(t *testing.T) {
			if i%3 != 0 {
				slow.Test(t, "one tutorial in three is enough")
			}
			playAndCompare(t, file, filepath.Dir(file))
		})
	}
}

func TestTheListOfTutorialsIsThatOfTheScenes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "typed.md"))
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| \[.+\]\(https://.+\| (\S+\.scene) \|$`).FindAllStringSubmatch(string(text), -1) {
		listed[filepath.Join("testdata", filepath.FromSlash(row[1]))] = true
	}
	var scenes []string
	for _, pattern := range []string{"*.scene", "tutorials/*.scene"} {
		files, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		scenes = append(scenes, files...)
	}
	assert.ElementsMatch(t, scenes, slices.Collect(maps.Keys(listed)))
}

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
