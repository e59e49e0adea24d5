package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/exercise"
	"reconcile/internal/slow"
)

// copied writes a chapter's files to another folder, with other words.
func copied(t *testing.T, dir string, words ...string) string {
	t.Helper()
	const fixture = "../../../../internal/exercise/testdata/book/chapters/01-counting"
	r := strings.NewReplacer(words...)
	require.NoError(t, filepath.WalkDir(fixture, func(file string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() {
			return nil
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		to := filepath.Join(dir, r.Replace(file[len(fixture):]))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		return os.WriteFile(to, []byte(r.Replace(string(text))), 0o644)
	}))
	return dir
}

func TestAMistakeInWhatWasJustWrittenIsFoundBeforeAllElseIsProven(t *testing.T) {
	slow.Test(t, "it proves exercises")
	o := build.Options{Root: t.TempDir(), Cache: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(o.Root, "go.mod"), []byte("module book\n\ngo 1.26\n"), 0o644))
	second := []string{"1b", "2a", "1c", "2b", "01-counting", "02-again"}
	first, then := filepath.Join(o.Chapters(), "01-counting"), filepath.Join(o.Chapters(), "02-again")
	chapters := []string{copied(t, first), copied(t, then, second...)}
	proves := func() (string, error) { return prove(t.Context(), o, chapters, exercise.Options{}) }
	summary, err := proves()
	require.NoError(t, err)
	assert.Regexp(t, `^4 exercises: .* \(2 builds and \d+ runs of tests now\)$`, summary)

	require.NoError(t, os.WriteFile(filepath.Join(first, "all.go"), []byte("package counting\n\nfunc init() { panic(1) }\n"), 0o644))
	copied(t, then, append(second, "out of order`", "in order`")...)
	_, err = proves()
	assert.Equal(t, filepath.Join(then, "exercises", "2a.md")+`:24: TestPlanDeletesTheLastByName/in order passes on `+
		`"It deletes whoever is listed last" (2a) and should catch it`, text(err))
	copied(t, then, second...)
	_, err = proves()
	assert.Contains(t, text(err), "TestPlanCreatesWhatIsMissing panics on the reference")
	assert.NotContains(t, text(err), then)
}
