package pack_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/workshop/pack"
)

// here is the system that the tests run on.
var here = pack.System{OS: runtime.GOOS, Arch: runtime.GOARCH}

// aBook is a clone with one program, which prints what it has of the pages and
// what it was called with.
func aBook(t *testing.T) pack.Options {
	t.Helper()
	root := t.TempDir()
	git(t, root, "init", "-q")
	for name, text := range map[string]string{
		"go.mod":             "module book\n\ngo 1.26\n",
		".gitignore":         "/mine/\n",
		"mine/secret.txt":    "a reader's own",
		"chapters/README.md": "text",
		"LICENSE":            "Do what is right.",
		"fonts/LICENSE":      "Set what you like.",
		"cmd/lab/main.go": "package main\n\nimport (\n\t\"bytes\"\n\t_ \"embed\"\n\t\"fmt\"\n\t\"os\"\n)\n\n//go:embed pages.zip\nvar pages []byte\n\n" +
			"func main() { fmt.Println(has(\"index.html\") && has(\"THIRD-PARTY-NOTICES.txt\"), os.Getenv(\"GOFLAGS\"), os.Args[1:]) }\n\n" +
			"func has(name string) bool { return bytes.Contains(pages, []byte(name)) }\n",
		"cmd/lab/pages.zip": "empty",
	} {
		write(t, root, name, text)
	}
	git(t, root, "add", ".")
	return pack.Options{
		Root: root, Folder: filepath.Join(t.TempDir(), "usb"), Systems: []pack.System{here},
		Programs: []string{"cmd/lab"}, PagesFile: "cmd/lab/pages.zip",
		Pages: func(_ context.Context, copied string) (string, error) {
			write(t, copied, "public/index.html", strings.Repeat("<p>Compare, act, look again.", 20))
			return filepath.Join(copied, "public"), nil
		},
		Tell: io.Discard,
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

func git(t *testing.T, root string, arguments ...string) {
	t.Helper()
	command := exec.Command("git", arguments...)
	command.Dir = root
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestWhatIsPackedIsTheBookAndNotWhatAReaderLeft(t *testing.T) {
	o := aBook(t)
	report, err := pack.Pack(t.Context(), o)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(o.Folder, "chapters", "README.md"))
	assert.NoFileExists(t, filepath.Join(o.Folder, "mine", "secret.txt"))
	assert.FileExists(t, filepath.Join(o.Folder, "start.cmd"))
	assert.NoDirExists(t, o.Folder+".part")
	assert.FileExists(t, filepath.Join(o.Folder, "LICENSE"))
	notices, err := os.ReadFile(filepath.Join(o.Folder, "THIRD-PARTY-NOTICES.txt"))
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^Go +go1\S+ +BSD-3-Clause`, string(notices))
	assert.Contains(t, string(notices), "\nfonts\n\nSet what you like.\n")
	assert.Equal(t, 12, report.Files, "seven of the book, notices, a program, its seal, two scripts")
	assert.NoDirExists(t, filepath.Join(o.Folder, "public"), "the pages are in the program")
}

func TestTheScriptStartsTheProgramOfThisSystem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("start.sh is for the others")
	}
	o := aBook(t)
	_, err := pack.Pack(t.Context(), o)
	require.NoError(t, err)
	for arguments, want := range map[string]string{
		"test 1b":   "true -mod=vendor [exercise test 1b]\n",
		"read":      "true -mod=vendor [read]\n",
		"":          "true -mod=vendor [exercise]\n",
		"kubectl x": "true -mod=vendor [kubectl x]\n",
	} {
		command := exec.Command(filepath.Join(o.Folder, "start.sh"), strings.Fields(arguments)...)
		command.Dir = t.TempDir()
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, want, string(out), "start.sh %s", arguments)
	}
}

func TestFilesOfTheBookLieBesideTheScriptOnce(t *testing.T) {
	o, said := aBook(t), &strings.Builder{}
	o.Tell = said
	o.Books = func(_ context.Context, copied string) error {
		write(t, copied, "reconcile.pdf", "%PDF")
		return nil
	}
	report, err := pack.Pack(t.Context(), o)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(o.Folder, "reconcile.pdf"))
	assert.Equal(t, 13, report.Files, "one more than without")
	assert.Contains(t, said.String(), "making the book as a PDF and an EPUB, to lie beside start.sh\n")

	o.Folder += "-2"
	o.Books = func(context.Context, string) error { return errors.New("no paper today") }
	_, err = pack.Pack(t.Context(), o)
	assert.ErrorContains(t, err, "no paper today")
	assert.NoDirExists(t, o.Folder)
}

func TestAFolderInUseIsLeftAsItIs(t *testing.T) {
	o := aBook(t)
	require.NoError(t, os.MkdirAll(o.Folder, 0o755))
	photo := filepath.Join(o.Folder, "photo.jpg")
	require.NoError(t, os.WriteFile(photo, nil, 0o644))
	_, err := pack.Pack(t.Context(), o)
	assert.ErrorContains(t, err, "is not empty: remove what is in it, or name another folder with -o")
	assert.FileExists(t, photo)
}

func TestWhatFailsHalfwayLeavesNothing(t *testing.T) {
	o := aBook(t)
	o.Pages = func(context.Context, string) (string, error) { return "", errors.New("no pages today") }
	_, err := pack.Pack(t.Context(), o)
	assert.ErrorContains(t, err, "no pages today")
	assert.NoDirExists(t, o.Folder)
	assert.NoDirExists(t, o.Folder+".part")
}

func TestSystemsByTheNamesThatPeopleAskFor(t *testing.T) {
	systems, err := pack.Systems([]string{"linux-arm64", "darwin", "darwin-arm64"})
	require.NoError(t, err)
	assert.Equal(t, "[darwin-amd64 darwin-arm64 linux-arm64]", sprint(systems))
	_, err = pack.Systems([]string{"solaris"})
	assert.ErrorContains(t, err, `there is no system "solaris"`)
}

func sprint(systems []pack.System) string {
	var names []string
	for _, s := range systems {
		names = append(names, s.String())
	}
	return "[" + strings.Join(names, " ") + "]"
}
