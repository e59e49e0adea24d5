package play_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/play"
	"reconcile/internal/openexercises"
	"reconcile/internal/scene"
	"reconcile/internal/script"
	"reconcile/internal/slow"
)

var update = flag.Bool("update", false, "write down what the scenes print")

var chapters = filepath.Join("..", "..", "..", "..", "chapters")

func TestMain(m *testing.M) { os.Exit(openexercises.Run(m)) }

func TestWhatIsOfferedToPlayPrintsWhatItSays(t *testing.T) {
	files, err := play.Manifests(chapters)
	require.NoError(t, err)
	folder := t.TempDir()
	for name, text := range files {
		file := filepath.Join(folder, "manifests", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	all, err := filepath.Glob("*/*.scene")
	require.NoError(t, err)
	require.Len(t, all, 6+18)
	here, err := os.Getwd()
	require.NoError(t, err)
	cache := t.TempDir()
	for i, file := range all {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".scene"), func(t *testing.T) {
			if i%3 != 0 {
				slow.Test(t, "one scene in three is enough")
			}
			file := filepath.Join(here, file)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			s, err := script.Parse("play", text)
			require.NoError(t, err)
			played, err := scene.Play(t, s, folder, cache)
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(file, played.Text, 0o644))
				return
			}
			assert.Equal(t, string(text), string(played.Text), "written down by: go test ./cmd/bookgen/internal/play -update")
		})
	}
}

func TestEachQuestionGoesOnFromABeginningAndHasAnAnswer(t *testing.T) {
	for _, b := range play.Beginnings() {
		assert.Empty(t, b.Answer, b.Name)
		assert.Regexp(t, `^[A-Z]`, b.Title)
	}
	all := play.Gallery()
	assert.Len(t, all, 18)
	for _, s := range all {
		assert.NotEmpty(t, s.Begins, "%s begins with no beginning's steps and output", s.Name)
		assert.Regexp(t, `\?$`, s.Title, s.Name)
		assert.LessOrEqual(t, strings.Count(s.Answer, ". ")+1, 3, s.Name)
		assert.Greater(t, len(s.Answer), 60, s.Name)
	}
}
