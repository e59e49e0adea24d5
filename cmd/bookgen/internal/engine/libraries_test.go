package engine

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/kubectl/pkg/util/templates"

	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/diskcache"
	"reconcile/internal/gowork"
	"reconcile/internal/slow"
)

const root = "../../../.."

// compiled returns what the compiler says of a file alone, when it is compiled for
// a page.
func compiled(t *testing.T, file string) string {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-e", "-o", os.DevNull, file)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	var out bytes.Buffer
	build.Stdout, build.Stderr = &out, &out
	_ = build.Run() // it fails, and says of what
	return out.String()
}

// found returns the folders of all libraries.
func found(t *testing.T) map[string]string {
	t.Helper()
	from, err := directories(t.Context(), root, libraries)
	require.NoError(t, err)
	return from
}

// nothingMade returns a memory of nothing.
func nothingMade(t *testing.T) *diskcache.Cache {
	t.Helper()
	made, err := open(t.TempDir())
	require.NoError(t, err)
	return made
}

// What is not for the size is needed as long as the compiler says so.
func TestEachChangeByWhichALibraryCompilesIsNeeded(t *testing.T) {
	slow.Test(t, "it compiles libraries for a page")
	from := found(t)
	checked := map[string]string{
		"term_unix.go":                    "undefined: unix.Termios",
		"termios_unix.go":                 "undefined: unix.Termios",
		"termios_nonbsd.go":               "undefined: unix.TCGETS",
		"pkg/util/umask.go":               "undefined: unix.Umask",
		"pkg/util/term/resizeevents.go":   "undefined: unix.SIGWINCH",
		"pkg/util/interrupt/interrupt.go": "undefined: syscall.SIGHUP",
		"pkg/cmd/plugin.go":               "undefined: syscall.Exec",
	}
	for _, l := range libraries {
		dir := from[l.module]
		for _, e := range l.edits {
			says, ok := checked[e.file]
			if !ok {
				continue
			}
			assert.Contains(t, compiled(t, filepath.Join(dir, filepath.FromSlash(e.file))), says,
				"%s compiles for a page as it is: it needs no change any more", e.file)
		}
		if l.module == "mvdan.cc/sh/v3" {
			text, err := os.ReadFile(filepath.Join(dir, "interp", "stdin_js.go"))
			require.NoError(t, err)
			assert.Contains(t, string(text), "io.Pipe()",
				"its pipes have changed: do they hold 64 KiB, and let one look?")
		}
	}
}

func TestEachChangeFits(t *testing.T) {
	from := found(t)
	goroot, err := gowork.Env(t.Context(), "GOROOT")
	require.NoError(t, err)
	words, err := ownOfGo(goroot)
	require.NoError(t, err)
	assert.Contains(t, words.edits[1].new, `"too many levels of symbolic links"`)
	from[words.module] = filepath.Join(goroot, "src")
	for _, l := range append(slices.Clone(libraries), words) {
		for _, e := range l.edits {
			file := filepath.Join(from[l.module], filepath.FromSlash(e.file))
			if which, copied := l.std[path.Dir(e.file)]; copied {
				file = filepath.Join(goroot, "src", which, path.Base(e.file))
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, err = e.of(text)
			assert.NoError(t, err, l.module)
		}
	}
}

// What is replaced as a whole has been there for what it is replaced for.
func TestEachFileThatIsReplacedIsNeeded(t *testing.T) {
	from := found(t)
	for file, says := range map[string]string{
		"k8s.io/kubectl/pkg/util/i18n/i18n.go":          "gettext-go",
		"k8s.io/kubectl/pkg/cmd/kustomize/kustomize.go": "sigs.k8s.io/kustomize",
	} {
		for module, dir := range from {
			if rel, ok := strings.CutPrefix(file, module+"/"); ok {
				text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(rel)))
				require.NoError(t, err)
				assert.Contains(t, string(text), says, file)
			}
		}
	}
}

func TestWhatTagsLeaveOutIsThere(t *testing.T) {
	for _, tag := range strings.Split(tags, ",") {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-f", "{{join .IgnoredGoFiles \" \"}}", "-tags="+tag, "net/http", "github.com/stretchr/testify/assert/yaml")
		list.Dir = root
		with, err := list.Output()
		require.NoError(t, err)
		list = exec.CommandContext(t.Context(), list.Args[0], slices.DeleteFunc(slices.Clone(list.Args[1:]), func(arg string) bool { return strings.HasPrefix(arg, "-tags") })...)
		list.Dir = root
		without, err := list.Output()
		require.NoError(t, err)
		assert.NotEqual(t, string(without), string(with), "no library knows the tag %s any more", tag)
	}
}

// What a page's server is asked for, and could be, is written and described in full.
func TestTypesOfTheServersKindsAreWhole(t *testing.T) {
	at := slices.IndexFunc(libraries, func(l library) bool { return l.module == "k8s.io/api" })
	for _, k := range kinds.All() {
		of := reflect.TypeOf(k.New()).Elem().PkgPath()
		folder, ok := strings.CutPrefix(of, libraries[at].module+"/")
		assert.True(t, ok && !libraries[at].isOmitted(folder+"/generated.pb.go"), "%s, of %s", k.GroupVersionKind, of)
	}
}

func TestWhatIsLeftOutOfALibraryIsInIt(t *testing.T) {
	from := found(t)
	for _, l := range libraries {
		dir := from[l.module]
		for _, pattern := range l.omits {
			files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			require.NoError(t, err)
			assert.NotEmpty(t, files, "%s of %s", pattern, l.module)
		}
		for _, folder := range l.keeps {
			assert.DirExists(t, filepath.Join(dir, filepath.FromSlash(folder)))
		}
		for _, folder := range l.strips {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(folder), "generated.pb.go"))
			require.NoError(t, err)
			assert.Contains(t, string(text), ") Unmarshal(", "%s of %s", folder, l.module)
			words, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(folder), "types_swagger_doc_generated.go"))
			assert.True(t, err != nil || wordsMap.Match(words), "the words of %s of %s", folder, l.module)
		}
	}
}

func TestAStrippedFileReadsNoProtobuf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "generated.pb.go")
	const before = `package v1

import (
	"fmt"
	io "io"
	"sort"
)

func (m *Pod) Marshal() ([]byte, error) { sort.Strings(nil); return nil, nil }

func (m *Pod) Unmarshal(data []byte) error { return io.EOF }

func skipGenerated() error { return fmt.Errorf("") }
`
	require.NoError(t, os.WriteFile(name, []byte(before), 0o644))
	require.NoError(t, strip(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, `package v1

import (
	_ "fmt"
	_ "io"
	"sort"
)

func (m *Pod) Marshal() ([]byte, error) { sort.Strings(nil); return nil, nil }
`, string(text))
	assert.Error(t, strip(filepath.Join(t.TempDir(), "gone.go")))
}

func TestATabulatedFileHasNoMaps(t *testing.T) {
	name := filepath.Join(t.TempDir(), "types_swagger_doc_generated.go")
	const before = `package v1

var map_Pod = map[string]string{
	"":     "Pod is a collection: of \"containers\".",
	"spec": "What is wanted.",
}

func (Pod) SwaggerDoc() map[string]string {
	return map_Pod
}
`
	require.NoError(t, os.WriteFile(name, []byte(before), 0o644))
	require.NoError(t, tabulate(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(text), `package v1

var map_Pod = [][2]string{
	{"", "Pod is a collection: of \"containers\"."},
	{"spec", "What is wanted."},
}

func (Pod) SwaggerDoc() map[string]string {
	return mapOf(map_Pod)
}
`)
	assert.NoError(t, tabulate(filepath.Join(t.TempDir(), "gone.go")))
}

func TestATemplateCallsAnyMethod(t *testing.T) {
	goroot, err := gowork.Env(t.Context(), "GOROOT")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(goroot, "src", "text", "template", "exec.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "ptr.MethodByName(fieldName)",
		"does a template still call any method by its name? If not, the copy is not needed")
}

func TestAPageKeepsTheMethodsThatKubectlsTemplatesCall(t *testing.T) {
	text, err := added.ReadFile("libraries/cli-runtime/pkg/template/methods.go.txt")
	require.NoError(t, err)
	kept := names(regexp.MustCompile(`case "(\w+)"`), string(text))
	called := names(regexp.MustCompile(`\.([A-Z]\w+)`),
		templates.MainHelpTemplate()+templates.MainUsageTemplate()+
			templates.OptionsHelpTemplate()+templates.OptionsUsageTemplate())
	called = slices.DeleteFunc(called, func(name string) bool {
		_, ofCommand := reflect.TypeFor[*cobra.Command]().MethodByName(name)
		_, ofFlags := reflect.TypeFor[*pflag.FlagSet]().MethodByName(name)
		return !ofCommand && !ofFlags
	})
	assert.NotEmpty(t, called)
	assert.Equal(t, called, kept, "help in a page calls a method that is not there, or keeps one for nothing")
}

// names returns what the pattern's group finds, sorted, each once.
func names(pattern *regexp.Regexp, text string) (found []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestCopiesAreMadeOnceForTheSameLibraries(t *testing.T) {
	made, term := nothingMade(t), libraries[:1]
	folder, err := copies(t.Context(), root, made, term)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	require.NoError(t, err)
	copied := filepath.Join(folder, "0")
	assert.Contains(t, string(text), "replace github.com/moby/term => "+copied)
	assert.FileExists(t, filepath.Join(copied, "term_js.go"))
	assert.NoFileExists(t, filepath.Join(copied, "term_test.go"))
	text, err = os.ReadFile(filepath.Join(folder, "overlay.json"))
	require.NoError(t, err)
	var overlay struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(text, &overlay))
	for from, to := range overlay.Replace {
		assert.FileExists(t, from)
		assert.FileExists(t, to)
	}
	assert.NotEmpty(t, overlay.Replace)

	again, err := copies(t.Context(), root, made, term)
	require.NoError(t, err)
	assert.Equal(t, folder, again)
	other, err := copies(t.Context(), root, made, nil)
	require.NoError(t, err)
	assert.NotEqual(t, folder, other, "other libraries are another folder")
	entries, err := os.ReadDir(filepath.Dir(folder))
	require.NoError(t, err)
	assert.Len(t, entries, 2, "nothing is left behind")
}

func TestAChangeThatDoesNotFitIsNamed(t *testing.T) {
	for says, e := range map[string]edit{
		`ascii.go has "no such text" 0 times: it has to be there once`: {file: "ascii.go", old: "no such text"},
		`ascii.go has no "nor this" behind "package term"`:             {file: "ascii.go", old: "package term", upTo: "nor this"},
	} {
		wrong := library{module: "github.com/moby/term", files: "term", edits: []edit{e}}
		_, err := copies(t.Context(), root, nothingMade(t), []library{wrong})
		assert.EqualError(t, err, "github.com/moby/term: "+says)
	}
}

func TestALibraryThatIsNotThereIsNamed(t *testing.T) {
	_, err := directories(t.Context(), root, []library{{module: "example.com/gone"}})
	assert.ErrorContains(t, err, "go mod download: ")
	assert.ErrorContains(t, err, "example.com/gone")
}
