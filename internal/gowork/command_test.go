package gowork_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/gowork"
)

func TestAMissingGoIsASentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := gowork.Command(t.Context(), "version").Run()
	assert.ErrorIs(t, err, gowork.ErrNoGo)
	_, err = gowork.Command(t.Context(), "version").CombinedOutput()
	assert.ErrorContains(t, err, "install Go 1.26 or newer (https://go.dev/dl), and open a new terminal")
}

func TestAGoThatIsThereIsRun(t *testing.T) {
	out, err := gowork.Command(t.Context(), "env", "GOVERSION").Output()
	require.NoError(t, err)
	assert.Regexp(t, `^go1\.`, string(out))
}

func TestADownloadedGoIsReachedByALink(t *testing.T) {
	goroot, err := gowork.Env(t.Context(), "GOROOT")
	require.NoError(t, err)
	modules, folder := t.TempDir(), filepath.Join(t.TempDir(), "links")
	downloaded := filepath.Join(modules, "toolchain")
	if err := os.Symlink(goroot, downloaded); err != nil {
		t.Skipf("no links here: %v", err)
	}
	for _, name := range []string{"GOROOT", "GOTOOLCHAIN", "PATH", "GOMODCACHE"} {
		t.Setenv(name, os.Getenv(name))
	}
	require.NoError(t, os.Setenv("GOMODCACHE", t.TempDir()))
	require.NoError(t, gowork.LinkDownloaded(t.Context(), folder))
	assert.NoDirExists(t, folder, "this Go is where it was installed")

	require.NoError(t, os.Setenv("GOMODCACHE", modules))
	require.NoError(t, os.Setenv("GOROOT", downloaded))
	require.NoError(t, gowork.LinkDownloaded(t.Context(), folder))
	reached, err := gowork.Env(t.Context(), "GOROOT")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(folder, "toolchain"), reached)
	path, err := exec.LookPath("go")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(reached, "bin"), filepath.Dir(path))
	require.NoError(t, gowork.LinkDownloaded(t.Context(), folder), "a second time it's there")
}

// byName finds the go tool started by its name.
var byName = regexp.MustCompile(`exec\.Command(Context)?\([^"\n]*"go"`)

func TestGoIsStartedInOnePlace(t *testing.T) {
	// A chapter imports nothing of the house, and lab doctor has looked for Go before.
	// judges is a module without the book, which lab has Go build.
	except := []string{"chapters/07-mysql-cluster/oci/runtime.go", "internal/gowork/command.go"}
	root := filepath.Join("..", "..")
	for _, folder := range []string{"chapters", "cmd", "internal"} {
		err := fs.WalkDir(os.DirFS(root), folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(except, name) {
				return err
			}
			text, err := fs.ReadFile(os.DirFS(root), name)
			assert.Empty(t, byName.FindString(string(text)), "%s: gowork.Command has a sentence for a missing go", name)
			return err
		})
		require.NoError(t, err)
	}
}
