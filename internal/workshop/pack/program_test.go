package pack_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/workshop/pack"
)

// given adds a package that embeds a file.
func given(t *testing.T, o pack.Options) {
	t.Helper()
	write(t, o.Root, "chapters/first/first.go", "package first\n\nimport _ \"embed\"\n\n//go:embed given\nvar given embed.FS\n")
	write(t, o.Root, "chapters/first/given/start.conf", "pace: 1")
	git(t, o.Root, "add", ".")
}

func TestAPackedProgramIsWhatABuildWouldGive(t *testing.T) {
	o := aBook(t)
	_, err := pack.Program(o.Root, "lab")
	assert.ErrorIs(t, err, fs.ErrNotExist, "it was not packed")
	_, err = pack.Pack(t.Context(), o)
	require.NoError(t, err)

	program, err := pack.Program(o.Folder, "lab")
	require.NoError(t, err)
	out, err := exec.Command(program).Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "true")
	_, err = pack.Program(o.Folder, "cluster")
	assert.ErrorIs(t, err, fs.ErrNotExist, "there is no such program")

}

func TestAChangeOfCodeAndNothingElseWantsABuild(t *testing.T) {
	o := aBook(t)
	given(t, o)
	_, err := pack.Pack(t.Context(), o)
	require.NoError(t, err)
	for name, changes := range map[string]bool{
		"chapters/README.md":              false,
		"chapters/first/web.yaml":         false,
		"chapters/first/first_test.go":    false,
		"chapters/first/testdata/x.go":    false,
		"mine/x.go":                       false,
		"chapters/first/first.go":         true,
		"chapters/first/more.go":          true,
		"chapters/first/given/start.conf": true,
		"go.mod":                          true,
	} {
		file := filepath.Join(o.Folder, filepath.FromSlash(name))
		before, missing := os.ReadFile(file)
		write(t, o.Folder, name, string(before)+"\n")
		_, err := pack.Program(o.Folder, "lab")
		if changes {
			assert.ErrorIs(t, err, pack.ErrChanged, name)
		} else {
			assert.NoError(t, err, name)
		}
		if missing != nil {
			require.NoError(t, os.Remove(file))
		} else {
			write(t, o.Folder, name, string(before))
		}
	}
	_, err = pack.Program(o.Folder, "lab")
	assert.NoError(t, err, "all is as it was")
}
