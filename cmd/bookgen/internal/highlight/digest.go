package highlight

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// cacheFormat changes when Info does.
const cacheFormat = 2

// digester sums up all that an Info depends on: the files of the package, what
// is declared in those that it imports from the module, and the versions of
// everything else.
type digester struct {
	root, module string
	base         string            // of go.mod, go.sum and the Go version
	done         map[string]string // by folder
}

func newDigester(root string) (*digester, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	base := fmt.Sprintf("%d %s %s %s\n%s\n%s", cacheFormat, runtime.Version(), runtime.GOOS, runtime.GOARCH, mod, sum)
	return &digester{root: root, module: modfile.ModulePath(mod), base: base, done: map[string]string{}}, nil
}

// of returns the digest of a folder below root: of all of it with its tests, or
// of what others see of it.
func (d *digester) of(dir string, whole bool) (string, error) {
	key := fmt.Sprint(dir, whole)
	if digest, ok := d.done[key]; ok {
		return digest, nil
	}
	paths, err := filepath.Glob(filepath.Join(d.root, dir, "*.go"))
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	io.WriteString(hash, d.base+dir) // a hash takes every write
	var imports []string
	for _, path := range paths {
		if !whole && strings.HasSuffix(path, "_test.go") {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		imports = append(imports, d.ownImports(path, content)...)
		if !whole {
			content = declarations(path, content)
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(path), len(content), content)
	}
	slices.Sort(imports)
	for _, dir := range slices.Compact(imports) {
		digest, err := d.of(dir, false)
		if err != nil {
			return "", err
		}
		io.WriteString(hash, digest)
	}
	d.done[key] = hex.EncodeToString(hash.Sum(nil))
	return d.done[key], nil
}

// declarations are a file without comments, what is in its functions, and the
// form of its lines: of these nobody who imports it knows. A file that does not
// parse stays as it is.
func declarations(path string, content []byte) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return content
	}
	var hidden []ast.Node
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			hidden = append(hidden, f.Body)
		}
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if !strings.HasPrefix(comment.Text, "//go:") {
				hidden = append(hidden, comment)
			}
		}
	}
	slices.SortFunc(hidden, func(a, b ast.Node) int { return cmp.Compare(a.Pos(), b.Pos()) })
	var seen bytes.Buffer
	at := 0
	for _, node := range hidden {
		from, to := fset.Position(node.Pos()).Offset, fset.Position(node.End()).Offset
		if from >= at {
			seen.Write(content[at:from])
		}
		at = max(at, to) // a comment may be in a body
	}
	seen.Write(content[at:])
	return bytes.Join(bytes.Fields(seen.Bytes()), []byte(" "))
}

// ownImports returns the folders of the module that a file imports. A file
// that does not parse has none; its error shows where it matters.
func (d *digester) ownImports(path string, content []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if dir, ok := strings.CutPrefix(imported, d.module+"/"); ok && err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
