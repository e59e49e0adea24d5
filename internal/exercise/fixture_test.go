package exercise_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

// A fixture is a small book in a folder of its own, whose only chapter needs
// nothing but the standard library.
type fixture struct {
	t       *testing.T
	chapter string
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS("testdata/book")))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module book\n\ngo 1.26\n"), 0o644))
	return fixture{t, filepath.Join(root, "chapters", "01-counting")}
}

// with adds the files of a folder of testdata to the chapter.
func (f fixture) with(folder string) fixture {
	f.t.Helper()
	require.NoError(f.t, os.CopyFS(f.chapter, os.DirFS(filepath.Join("testdata", folder))))
	return f
}

func (f fixture) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.chapter, name))
	require.NoError(f.t, err)
	return string(text)
}

func (f fixture) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(filepath.Join(f.chapter, name), []byte(text), 0o644))
}

func (f fixture) load() ([]*exercise.Exercise, error) {
	return exercise.Load(os.DirFS(f.chapter), f.chapter)
}

// replace changes the first place where a file says old.
func (f fixture) replace(name, old, with string) {
	f.t.Helper()
	text := f.read(name)
	require.Contains(f.t, text, old)
	f.write(name, strings.Replace(text, old, with, 1))
}

// problems returns the lines of an error, with paths inside the chapter.
func (f fixture) problems(err error) []string {
	f.t.Helper()
	require.Error(f.t, err)
	text := strings.ReplaceAll(err.Error(), f.chapter+string(filepath.Separator), "")
	return strings.Split(text, "\n")
}

// snapshot returns every file with its content and its time.
func (f fixture) snapshot() map[string]string {
	f.t.Helper()
	files := make(map[string]string)
	require.NoError(f.t, filepath.WalkDir(f.chapter, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		require.NoError(f.t, err)
		text, err := os.ReadFile(path)
		files[path] = info.ModTime().String() + string(text)
		return err
	}))
	return files
}
