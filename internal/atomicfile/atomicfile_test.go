package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/atomicfile"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestAFileIsReplacedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	temporary := path + ".tmp"
	require.NoError(t, atomicfile.Write(path, temporary, []byte("old"), 0o644))
	open, err := os.Open(path)
	require.NoError(t, err)
	defer open.Close()
	require.NoError(t, os.WriteFile(temporary, []byte("left by one that was killed"), 0o644))

	require.NoError(t, atomicfile.Write(path, temporary, []byte("new"), 0o600))
	assert.Equal(t, "new", read(t, path))
	text := make([]byte, 3)
	_, err = open.Read(text)
	require.NoError(t, err)
	assert.Equal(t, "old", string(text), "who reads the old one reads all of it")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm(), "also where something was left behind")
	assert.NoFileExists(t, temporary)
}

func TestWhatCannotBeWrittenLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "full"), 0o755))
	assert.Error(t, atomicfile.Write(path, path+".tmp", []byte("new"), 0o644))
	assert.NoFileExists(t, path+".tmp")
	assert.DirExists(t, path)
	assert.Error(t, atomicfile.Write(filepath.Join(folder, "nowhere", "file"), path+".tmp", nil, 0o644))
	assert.NoFileExists(t, path+".tmp")
}
