package source_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/source"
)

func TestFoldersAreThoseOfPackages(t *testing.T) {
	chapter := fstest.MapFS{}
	for _, name := range []string{
		"chapter.md", "node/z.go", "node/budget/a.go", "node/budget/deep/deep.go", "tests/only_test.go", "manifests/web.yaml",
		"exercises/3k/a.go", "node/exercises/a.go", "testdata/a.go", "node/testdata/a.go", "_old/a.go", ".git/a.go", "ignored/_a.go",
	} {
		chapter[name] = &fstest.MapFile{}
	}
	folders, err := source.Folders(chapter)
	require.NoError(t, err)
	assert.Equal(t, []string{".", "node", "node/budget", "node/budget/deep", "node/exercises"}, folders)
}

func TestAFileKnowsItsWayAndWhatItEmbeds(t *testing.T) {
	dir := t.TempDir()
	const text = "package a\n\nimport \"embed\"\n\n// Files are two.\n//\n//go:embed one.sh all:two\nvar Files embed.FS\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o644))
	pkg, err := loadFolder(dir)
	require.NoError(t, err)
	assert.Equal(t, filepath.Base(dir)+"/a.go", pkg.Files[0].Below(filepath.Dir(dir)))
	assert.Equal(t, []string{"one.sh", "all:two"}, pkg.Files[0].Embeds())
}
