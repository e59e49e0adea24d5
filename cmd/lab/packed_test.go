package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/workshop/pack"
)

// aLab is a cluster that is up as soon as it runs, and ends when it is told to.
const aLab = `package main

import (
	"fmt"
	"os"
	"os/signal"
)

func main() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt)
	os.WriteFile(os.Args[3], nil, 0o600)
	fmt.Println("The lab is up")
	<-told
	os.Remove(os.Args[3])
}
`

// inAPackedFolder makes a folder that was packed with a cluster the one in which lab is
// run, and takes Go away.
func inAPackedFolder(t *testing.T, cluster string) (root string) {
	t.Helper()
	book := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module book\n\ngo 1.26\n", "LICENSE": "Do what is right.", "cmd/lab/cluster/main.go": cluster,
	} {
		file := filepath.Join(book, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	for _, arguments := range [][]string{{"init", "-q"}, {"add", "."}} {
		git := exec.Command("git", arguments...)
		git.Dir = book
		require.NoError(t, git.Run())
	}
	folder := filepath.Join(t.TempDir(), "usb")
	_, err := pack.Pack(t.Context(), pack.Options{
		Root: book, Folder: folder, Tell: io.Discard,
		Systems: []pack.System{{OS: runtime.GOOS, Arch: runtime.GOARCH}}, Programs: []string{"cmd/lab/cluster"},
	})
	require.NoError(t, err)
	t.Chdir(folder)
	t.Setenv("PATH", t.TempDir())
	callByScript(t)
	return folder
}

func aCommand(t *testing.T) *cobra.Command {
	command := &cobra.Command{}
	command.SetContext(t.Context())
	command.SetErr(io.Discard)
	return command
}

func TestAPackedFolderStartsWhatIsPackedWithoutGo(t *testing.T) {
	root := inAPackedFolder(t, aLab)
	path, err := cluster.find(aCommand(t), root)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "bin"), filepath.Dir(filepath.Dir(path)))
	assert.NoError(t, startOnce(t.Context(), path), "it is up, and ends")
}

func TestChangedCodeWantsGoAndSaysSo(t *testing.T) {
	root := inAPackedFolder(t, aLab)
	require.NoError(t, os.WriteFile(filepath.Join(root, "cmd", "lab", "cluster", "more.go"), []byte("package main\n"), 0o644))
	assert.Equal(t, "lab: the code of this folder is not as it was packed, so it has to be compiled, and there is no go in the PATH: "+
		"install Go 1.26 or newer (https://go.dev/dl), and open a new terminal; or put the book's code back: ./start.sh reset --all\n", runLab(t, 1, "up"))
}

func TestALabThatEndsAtOnceSaysWhy(t *testing.T) {
	root := inAPackedFolder(t, "package main\n\nimport \"os\"\n\nfunc main() { os.Stderr.WriteString(\"no port is free\\n\"); os.Exit(1) }\n")
	path, err := cluster.find(aCommand(t), root)
	require.NoError(t, err)
	assert.EqualError(t, startOnce(t.Context(), path), "it ended before it was up: no port is free")
}

func TestWithoutGoABookSaysSo(t *testing.T) {
	newBook(t)
	t.Setenv("PATH", t.TempDir())
	const says = "there is no go in the PATH: install Go 1.26 or newer (https://go.dev/dl), and open a new terminal"
	assert.Equal(t, "lab: "+says+"\n", runLab(t, 1, "kubectl", "get", "nodes"))
	ex(t, 0, "start", "1b")
	assert.Contains(t, ex(t, 1, "test", "1b"), says)
}

func TestWithNamesWhatIsInTheBook(t *testing.T) {
	newBook(t)
	here, err := os.Getwd()
	require.NoError(t, err)
	root := filepath.Dir(filepath.Dir(here))
	from, err := fromRoot(root, []string{"notes", filepath.Join("..", "..", "reports")})
	require.NoError(t, err)
	assert.Equal(t, "chapters/01-counting/notes reports", filepath.ToSlash(strings.Join(from, " ")))
	_, err = fromRoot(root, []string{filepath.Join("..", "..", "..", "key")})
	assert.ErrorContains(t, err, "key: it is outside of the book's folder")
}
