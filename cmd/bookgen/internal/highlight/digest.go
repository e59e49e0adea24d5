package highlight

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// digester sums up all that an Info depends on: the files of the package and
// of what it imports from the module, the versions of everything else.
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

// of returns the digest of a folder below root, with or without its tests.
func (d *digester) of(dir string, tests bool) (string, error) {
	key := fmt.Sprint(dir, tests)
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
		if !tests && strings.HasSuffix(path, "_test.go") {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(path), len(content), content)
		imports = append(imports, d.ownImports(path, content)...)
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
