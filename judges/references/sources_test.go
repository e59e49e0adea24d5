package references

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sources are the folders of the modules k8s.io/…, by their names after that. Files
// are named in the same way: kubernetes/pkg/…, client-go/….
type sources map[string]string

func modules(t *testing.T) sources {
	t.Helper()
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Dir}}", "k8s.io/...").Output()
	require.NoError(t, err)
	s := sources{}
	for line := range strings.Lines(string(text)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		s[strings.TrimPrefix(name, "k8s.io/")] = folder
	}
	require.NotEmpty(t, s["kubernetes"], "go mod download k8s.io/kubernetes")
	return s
}

// version returns the version of a file's module, by the name of its folder.
func (s sources) version(file string) string {
	module, _, _ := strings.Cut(file, "/")
	_, version, _ := strings.Cut(filepath.Base(s[module]), "@")
	return version
}

func (s sources) onDisk(file string) string {
	module, rest, _ := strings.Cut(file, "/")
	return filepath.Join(s[module], filepath.FromSlash(rest))
}

// find returns the one file that a reference on a page means.
func (s sources) find(p *page, r reference) (string, error) {
	for _, folders := range p.levels(r) {
		var found []string
		for _, folder := range folders {
			name := path.Join(folder, r.file)
			for _, file := range []string{path.Join("kubernetes", name), name} {
				if _, err := os.Stat(s.onDisk(file)); err == nil && s.version(file) != "" && !slices.Contains(found, file) {
					found = append(found, file)
				}
			}
		}
		if len(found) > 1 {
			return "", fmt.Errorf("may be any of %s", strings.Join(found, ", "))
		} else if len(found) == 1 {
			return found[0], nil
		}
	}
	return "", errors.New("is in none of the folders that the page names")
}

// A source is a file of Go, line by line: what stands there, and the declaration
// that it belongs to, comment and all.
type source struct{ lines, within []string }

var word = regexp.MustCompile(`\w+`)

// read reads a file; one that isn't there has no lines.
func (s sources) read(file string) source {
	text, _ := os.ReadFile(s.onDisk(file))
	lines := strings.Split(string(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	code := source{lines, make([]string, len(lines))}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return source{}
	}
	fill := func(name string, node ast.Node) {
		code.fill(name, set.Position(node.Pos()).Line, set.Position(node.End()).Line)
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch d := node.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = word.FindString(types.ExprString(d.Recv.List[0].Type)) + "." + name
			}
			fill(name, d)
		case *ast.TypeSpec:
			fill(d.Name.Name, d)
		case *ast.ValueSpec:
			fill(d.Names[0].Name, d)
		case *ast.File, *ast.GenDecl:
			return true
		}
		return false
	})
	return code
}

// fill notes a declaration from its comment to its last line.
func (c source) fill(name string, from, to int) {
	for from > 1 && strings.HasPrefix(c.lines[from-2], "//") {
		from--
	}
	for line := from; line <= to; line++ {
		c.within[line-1] = name
	}
}

// search returns the lines of a file for which a condition holds, or else those of
// another file in its folder.
func (s sources) search(file string, holds func(within, text string) bool) (places []string) {
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(s.onDisk(file)), "*.go"))
	for _, name := range append([]string{path.Base(file)}, others...) {
		name = filepath.Base(name)
		code := s.read(path.Join(path.Dir(file), name))
		for i, text := range code.lines {
			if holds(code.within[i], text) {
				places = append(places, fmt.Sprintf("%s:%d", name, i+1))
			}
		}
		if len(places) > 0 {
			break
		}
	}
	return places
}
