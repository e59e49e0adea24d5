package engine

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed libraries
var added embed.FS

// A library is a module that does not compile for a page as it is, does not do
// there what it does elsewhere, or is larger than it has to be.
type library struct {
	module string
	why    string
	std    map[string]string // packages of Go's own that are copied into it: where, and which
	omits  []string          // files that are left out: patterns of path.Match
	keeps  []string          // folders of which none is
	files  string            // folder of those that are added, in libraries; "" if none
	edits  []edit
}

// An edit replaces text that stands in a file once.
type edit struct{ file, old, new string }

// libraries are compiled with changes. Each is a copy of the module in Go's cache,
// made when it is needed; none is kept in the book.
var libraries = []library{
	{
		module: "github.com/moby/term",
		why: "It asks a Unix for the modes of its terminal, and takes everything that " +
			"isn't Windows for a Unix. A page has no terminal: nothing is one, and " +
			"nothing can be made one.",
		files: "term",
		edits: []edit{
			{"term_unix.go", "//go:build !windows", "//go:build !windows && !js"},
			{"termios_unix.go", "//go:build !windows", "//go:build !windows && !js"},
			{"termios_nonbsd.go", "//go:build !darwin", "//go:build !js && !darwin"},
		},
	},
	{
		module: "k8s.io/kubectl",
		why: "It takes everything that isn't Windows for a Unix, in four places: the " +
			"mask of new files, the signal of a terminal that was closed, that of one " +
			"that has a new size, and the call that puts a plugin in kubectl's place. A " +
			"page has none of them, and a scene has no plugins. And its translations, " +
			"since a page speaks English.",
		omits: []string{
			"pkg/util/i18n/translations/kubectl/template.pot",
			"pkg/util/i18n/translations/kubectl/[^e]?_??/LC_MESSAGES/*",
		},
		files: "kubectl",
		edits: []edit{
			{"pkg/util/umask.go", "//go:build !windows", "//go:build !windows && !js"},
			{"pkg/util/term/resizeevents.go", "//go:build !windows", "//go:build !windows && !js"},
			{"pkg/util/interrupt/interrupt.go", "syscall.SIGHUP, ", ""},
			{"pkg/cmd/plugin.go", "\t\"syscall\"\n", ""},
			{
				"pkg/cmd/plugin.go",
				"syscall.Exec(executablePath, append([]string{executablePath}, cmdArgs...), environment)",
				"&exec.Error{Name: executablePath, Err: exec.ErrNotFound}",
			},
			{"pkg/util/templates/templater.go", `"text/template"`, `"k8s.io/cli-runtime/pkg/template"`},
			{"pkg/explain/v2/generator.go", `"text/template"`, `"k8s.io/cli-runtime/pkg/template"`},
			{"pkg/explain/v2/funcs.go", `"text/template"`, `"k8s.io/cli-runtime/pkg/template"`},
		},
	},
	{
		module: "k8s.io/cli-runtime",
		why: "A template of Go's calls any method by its name. So the linker keeps all " +
			"exported methods of all types, wherever templates are used: a quarter of " +
			"the module. The copy of text/template in here calls those that kubectl's " +
			"templates name, and no others. A reader's own go-template has data " +
			"without methods.",
		std:   map[string]string{"pkg/template": "text/template", "pkg/template/fmtsort": "internal/fmtsort"},
		files: "cli-runtime",
		edits: []edit{
			{"pkg/printers/template.go", `"text/template"`, `"k8s.io/cli-runtime/pkg/template"`},
			{"pkg/template/exec.go", `"internal/fmtsort"`, `"k8s.io/cli-runtime/pkg/template/fmtsort"`},
			{"pkg/template/exec.go", "ptr.MethodByName(fieldName)", "methodByName(ptr, fieldName)"},
		},
	},
	{
		module: "k8s.io/api",
		why: "A store and some of kubectl's requests have objects as protobuf, and the " +
			"schema of an API has the words of each field. A page's server knows a " +
			"quarter of the groups and versions; for the others, but a few that kubectl " +
			"sends, nobody asks in either form.",
		omits: []string{
			"*/*/generated.pb.go",
			"*/*/types_swagger_doc_generated.go",
		},
		keeps: []string{
			"apps/v1", "authentication/v1", "authorization/v1", "autoscaling/v1",
			"batch/v1", "coordination/v1", "core/v1", "discovery/v1", "events/v1",
			"networking/v1", "policy/v1", "resource/v1", "scheduling/v1", "storage/v1",

			"authentication/v1alpha1", "authentication/v1beta1", // kubectl auth whoami tries them
			"autoscaling/v2",      // kubectl autoscale sends it
			"rbac/v1",             // kubectl create role does, and sorts rules as text
			"scheduling/v1alpha3", // a Job has parts of it
		},
	},
	{
		module: "mvdan.cc/sh/v3",
		why: "It compiles, but its pipes in a page are io.Pipes: a writer waits for its " +
			"reader, and neither can look first. Those of a Unix hold 64 KiB. What ends " +
			"first, of two programs with a pipe between them, would differ from what " +
			"the pages print.",
		files: "sh",
	},
}

// copyOf copies the module from a folder into another, with its changes; goroot is
// where Go's own packages are.
func (l library) copyOf(from, goroot, to string) error {
	if err := copyGo(from, to, l.isOmitted); err != nil {
		return err
	}
	for where, which := range l.std {
		err := copyGo(filepath.Join(goroot, "src", which), filepath.Join(to, where), none)
		if err != nil {
			return err
		}
	}
	for _, e := range l.edits {
		if err := e.in(to); err != nil {
			return fmt.Errorf("%s: %w", l.module, err)
		}
	}
	if l.files == "" {
		return nil
	}
	root := path.Join("libraries", l.files)
	return fs.WalkDir(added, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := added.ReadFile(name)
		if err != nil {
			return err
		}
		rel := strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".txt")
		return os.WriteFile(filepath.Join(to, filepath.FromSlash(rel)), text, 0o644)
	})
}

// in makes the edit in a folder.
func (e edit) in(folder string) error {
	name := filepath.Join(folder, filepath.FromSlash(e.file))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if n := bytes.Count(text, []byte(e.old)); n != 1 {
		return fmt.Errorf("%s has %q %d times: it has to be there once", e.file, e.old, n)
	}
	return os.WriteFile(name, bytes.Replace(text, []byte(e.old), []byte(e.new), 1), 0o644)
}

// isOmitted reports whether a file of the module is left out.
func (l library) isOmitted(name string) bool {
	return !slices.Contains(l.keeps, path.Dir(name)) &&
		slices.ContainsFunc(l.omits, func(pattern string) bool {
			matches, _ := path.Match(pattern, name) // no pattern is wrong
			return matches
		})
}

func none(string) bool { return false }

// copyGo copies what is compiled of a module, but what is omitted: no tests, and
// nothing for them.
func copyGo(from, to string, omitted func(name string) bool) error {
	files := os.DirFS(from)
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, filepath.FromSlash(name)), 0o755)
		case strings.HasSuffix(name, "_test.go") || omitted(name):
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, filepath.FromSlash(name)), text, 0o644)
	})
}
