package engine

import (
	"bytes"
	"os"
	"os/exec"
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

func TestEachChangeOfALibraryIsNeeded(t *testing.T) {
	for _, l := range libraries {
		dir, err := directory(t.Context(), root, l.module)
		require.NoError(t, err)
		for _, e := range l.edits {
			if isOfTemplates(e) {
				continue // it is for the size
			}
			says := map[string]string{
				"term_unix.go":                    "undefined: unix.Termios",
				"termios_unix.go":                 "undefined: unix.Termios",
				"termios_nonbsd.go":               "undefined: unix.TCGETS",
				"pkg/util/umask.go":               "undefined: unix.Umask",
				"pkg/util/term/resizeevents.go":   "undefined: unix.SIGWINCH",
				"pkg/util/interrupt/interrupt.go": "undefined: syscall.SIGHUP",
				"pkg/cmd/plugin.go":               "undefined: syscall.Exec",
			}[e.file]
			require.NotEmpty(t, says, "what the compiler says of %s", e.file)
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

// isOfTemplates reports whether an edit is one of those by which a page calls fewer
// methods.
func isOfTemplates(e edit) bool {
	return e.old == `"text/template"` || strings.HasPrefix(e.file, "pkg/template/")
}

// What a page's server is asked for, and could be, is encoded and described in full.
func TestTypesOfTheServersKindsAreWhole(t *testing.T) {
	at := slices.IndexFunc(libraries, func(l library) bool { return l.module == "k8s.io/api" })
	for _, k := range kinds.All() {
		of := reflect.TypeOf(k.New()).Elem().PkgPath()
		folder, ok := strings.CutPrefix(of, libraries[at].module+"/")
		assert.True(t, ok && !libraries[at].isOmitted(folder+"/generated.pb.go"), "%s, of %s", k.GroupVersionKind, of)
	}
}

func TestWhatIsLeftOutOfALibraryIsInIt(t *testing.T) {
	for _, l := range libraries {
		dir, err := directory(t.Context(), root, l.module)
		require.NoError(t, err)
		for _, pattern := range l.omits {
			files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			require.NoError(t, err)
			assert.NotEmpty(t, files, "%s of %s", pattern, l.module)
		}
		for _, folder := range l.keeps {
			assert.DirExists(t, filepath.Join(dir, filepath.FromSlash(folder)))
		}
	}
}

func TestTemplatesAreChangedWhereALibraryHasThem(t *testing.T) {
	for _, l := range libraries {
		dir, err := directory(t.Context(), root, l.module)
		require.NoError(t, err)
		for _, e := range l.edits {
			if e.old != `"text/template"` {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(e.file)))
			require.NoError(t, err)
			assert.Contains(t, string(text), e.old, "%s has no templates: it needs no change any more", e.file)
		}
	}
	goroot, err := goEnv(t.Context(), "GOROOT")
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

func TestAModfileIsMadeOnceForTheSameLibraries(t *testing.T) {
	cache := t.TempDir()
	term := libraries[:1]
	file, err := makeModfile(t.Context(), root, cache, term)
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	copied := filepath.Join(filepath.Dir(file), "0")
	assert.Contains(t, string(text), "replace github.com/moby/term => "+copied)
	assert.FileExists(t, filepath.Join(copied, "term_js.go"))
	assert.NoFileExists(t, filepath.Join(copied, "term_test.go"))

	again, err := makeModfile(t.Context(), root, cache, term)
	require.NoError(t, err)
	assert.Equal(t, file, again)
	other, err := makeModfile(t.Context(), root, cache, nil)
	require.NoError(t, err)
	assert.NotEqual(t, file, other, "other libraries are another folder")
	entries, err := os.ReadDir(cache)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "nothing is left behind")
}

func TestAChangeThatDoesNotFitIsNamed(t *testing.T) {
	wrong := library{module: "github.com/moby/term", files: "term", edits: []edit{{"ascii.go", "no such text", ""}}}
	_, err := makeModfile(t.Context(), root, t.TempDir(), []library{wrong})
	assert.EqualError(t, err, `github.com/moby/term: ascii.go has "no such text" 0 times: it has to be there once`)
}
