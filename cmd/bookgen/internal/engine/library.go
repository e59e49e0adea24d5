package engine

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
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
	needs  []string          // folders, of which all else is left out; nil: all
	omits  []string          // files that are left out: patterns of path.Match
	keeps  []string          // folders of which none is
	strips []string          // folders of these that read no protobuf, and have words in tables
	files  string            // folder of those that are added, in libraries; "" if none
	edits  []edit
}

// An edit replaces old, which occurs once in the file, by new; with upTo, it
// replaces everything up to that text.
type edit struct{ file, old, upTo, new string }

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
	for _, folder := range l.strips {
		folder = filepath.Join(to, filepath.FromSlash(folder))
		err := strip(filepath.Join(folder, "generated.pb.go"))
		if err == nil {
			err = tabulate(filepath.Join(folder, "types_swagger_doc_generated.go"))
		}
		if err != nil {
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

// strip takes out of a file what reads protobuf, and the names of imports that nothing else
// in it uses.
func strip(name string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		f, isFunc := d.(*ast.FuncDecl)
		return isFunc && (f.Name.Name == "Unmarshal" || f.Name.Name == "skipGenerated")
	})
	used := map[string]bool{}
	for n := range ast.Preorder(file) {
		if s, ok := n.(*ast.SelectorExpr); ok {
			used[fmt.Sprint(s.X)] = true
		}
	}
	for _, i := range file.Imports {
		name := path.Base(strings.Trim(i.Path.Value, `"`))
		if i.Name != nil {
			name = i.Name.Name
		}
		if !used[name] {
			i.Name = ast.NewIdent("_")
		}
	}
	var text bytes.Buffer
	if err := format.Node(&text, set, file); err != nil {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o644)
}

var (
	wordsMap   = regexp.MustCompile(`(?m)^(var map_\w+ = )map\[string\]string\{$`)
	wordsEntry = regexp.MustCompile(`(?m)^\t("[^"]*"): +(".*"),$`)
	wordsAsked = regexp.MustCompile(`(?m)\breturn (map_\w+)$`)
)

// tabulate makes tables of the maps that have the words of a folder's fields, and a map
// when it is asked for one. A table is data; a map is code, which is run and compiled when
// a page begins. A folder without words has no file.
func tabulate(name string) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text = wordsMap.ReplaceAll(text, []byte("${1}[][2]string{"))
	text = wordsEntry.ReplaceAll(text, []byte("\t{$1, $2},"))
	text = wordsAsked.ReplaceAll(text, []byte("return mapOf($1)"))
	text = append(text, `
func mapOf(table [][2]string) map[string]string {
	words := make(map[string]string, len(table))
	for _, entry := range table {
		words[entry[0]] = entry[1]
	}
	return words
}
`...)
	return cmp.Or(err, os.WriteFile(name, text, 0o644))
}

// overlay puts changed copies of Go's own files into a folder that is to be moved
// to another, and returns the text for -overlay by which they are compiled from there.
func (l library) overlay(goroot, making, folder string) ([]byte, error) {
	replace := map[string]string{}
	for _, e := range l.edits {
		from, rel := filepath.Join(goroot, "src", filepath.FromSlash(e.file)), filepath.FromSlash(e.file)
		if replace[from] == "" {
			replace[from] = filepath.Join(folder, rel)
			text, err := os.ReadFile(from)
			if err == nil {
				err = os.MkdirAll(filepath.Dir(filepath.Join(making, rel)), 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(making, rel), text, 0o644)
			}
			if err != nil {
				return nil, err
			}
		}
		if err := e.in(making); err != nil {
			return nil, fmt.Errorf("Go's own: %w", err)
		}
	}
	return json.Marshal(map[string]any{"Replace": replace})
}

// ownOfGo returns the changes of Go's own packages. A page's errors of the system say
// what those of Linux do, whose numbers they have. And a function is found by its number,
// which a program counter has in it, and not by the table that withoutTable leaves out.
func ownOfGo(goroot string) (library, error) {
	const table, end, js = " = [...]string{\n", "\n}\n", "syscall/tables_js.go"
	file := filepath.Join("syscall", "zerrors_linux_amd64.go")
	text, err := os.ReadFile(filepath.Join(goroot, "src", file))
	if err != nil {
		return library{}, err
	}
	_, words, begins := bytes.Cut(text, []byte("\nvar errors"+table))
	words, _, ends := bytes.Cut(words, []byte(end))
	if !begins || !ends {
		return library{}, fmt.Errorf("Go's own: %s has no table of errors", file)
	}
	return library{module: "std", edits: []edit{
		{file: js, old: "import \"runtime\"\n"},
		{file: js, old: "\nvar errorstr" + table, upTo: end, new: "\nvar errorstr" + table + string(words)},
		{
			file: "runtime/symtab.go", old: "\tx := uintptr(pcOff) + datap.text - datap.minpc",
			upTo: "\n\tfuncoff := datap.ftab[idx].funcoff\n", new: "\tidx := uint32((uintptr(pcOff)<<16 + datap.text - datap.minpc) >> 16)\n",
		},
	}}, nil
}

// in makes the edit in a folder.
func (e edit) in(folder string) error {
	name := filepath.Join(folder, filepath.FromSlash(e.file))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err = e.of(text)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// of returns the edited text.
func (e edit) of(text []byte) ([]byte, error) {
	if n := bytes.Count(text, []byte(e.old)); n != 1 {
		return nil, fmt.Errorf("%s has %q %d times: it has to be there once", e.file, e.old, n)
	}
	before, after, _ := bytes.Cut(text, []byte(e.old))
	to := bytes.Index(after, []byte(e.upTo))
	if to < 0 {
		return nil, fmt.Errorf("%s has no %q behind %q", e.file, e.upTo, e.old)
	}
	return slices.Concat(before, []byte(e.new), after[to:]), nil
}

// isOmitted reports whether a file of the module is left out.
func (l library) isOmitted(name string) bool {
	return l.isElsewhere(name) || !slices.Contains(l.keeps, path.Dir(name)) &&
		slices.ContainsFunc(l.omits, func(pattern string) bool {
			matches, _ := path.Match(pattern, name) // no pattern is wrong
			return matches
		})
}

// isElsewhere reports whether a file is neither in a folder that is needed nor at
// the module's root, where its licence is.
func (l library) isElsewhere(name string) bool {
	return l.needs != nil && strings.Contains(name, "/") &&
		!slices.ContainsFunc(l.needs, func(folder string) bool {
			return strings.HasPrefix(name, folder+"/")
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
