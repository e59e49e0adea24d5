// Package digest names packages of a module by their content and by that of the
// packages they import, so that a cache can keep what depends on both.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// A Module names its packages. It reads their imports once, and so
// is good for one moment.
type Module struct {
	root, path string
	base       string // everything that all packages depend on
	seen       func(name string, text []byte) []byte
	imported   map[string]string // digests, by folder
}

// New returns the module at root. environment names what its packages depend on
// beside its files, go.mod and go.sum: the version of Go, for one. seen returns
// the part of a file that counts for packages that import its package; with
// nil, the file does not.
func New(root, environment string, seen func(name string, text []byte) []byte) (*Module, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err := unlessGone(err); err != nil { // a module without dependencies has none
		return nil, err
	}
	return &Module{
		root: root, path: modfile.ModulePath(mod),
		base: fmt.Sprintf("%s\n%s\n%s\n", environment, mod, sum),
		seen: seen, imported: map[string]string{},
	}, nil
}

// Package returns the digest of the package in a folder, which is named from
// the root: of the files in the folder and below for which own holds, by
// their names from there, and of the packages that its Go files, tests too,
// import from the module.
func (m *Module) Package(dir string, own func(name string) bool) (string, error) {
	return m.sum(filepath.ToSlash(dir), own, func(_ string, text []byte) []byte { return text })
}

// ofImported returns the digest of a package as others see it. Its tests and the
// folders below are its own business.
func (m *Module) ofImported(dir string) (string, error) {
	if digest, known := m.imported[dir]; known {
		return digest, nil
	}
	m.imported[dir] = "" // for one that imports itself, which the compiler will say
	public := func(name string) bool {
		return !strings.Contains(name, "/") && !strings.HasSuffix(name, "_test.go")
	}
	digest, err := m.sum(dir, public, m.seen)
	m.imported[dir] = digest
	return digest, err
}

// sum sums up what is seen of those files of a folder that count. A
// file, or a folder, that is missing counts as empty: the compiler
// says where it is missed.
func (m *Module) sum(
	dir string, counts func(name string) bool, seen func(name string, text []byte) []byte,
) (string, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s%s\n", m.base, dir)
	folder := os.DirFS(filepath.Join(m.root, filepath.FromSlash(dir)))
	var imports []string
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !counts(name) {
			return unlessGone(err)
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return unlessGone(err)
		}
		if part := seen(name, text); part != nil {
			Add(hash, name, part)
			imports = append(imports, m.importsOf(name, text)...)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	slices.Sort(imports)
	for _, dir := range slices.Compact(imports) {
		digest, err := m.ofImported(dir)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, digest)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Add adds a file to a hash, which takes every write.
func Add(hash io.Writer, name string, text []byte) {
	fmt.Fprintf(hash, "%q %d\n%s", name, len(text), text)
}

// importsOf returns the folders of the module that a Go file of the package
// imports; where it does not parse, those that the parser came to.
func (m *Module) importsOf(name string, text []byte) []string {
	if path.Dir(name) != "." || path.Ext(name) != ".go" {
		return nil
	}
	file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if file == nil {
		return nil
	}
	var dirs []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if dir, isOwn := strings.CutPrefix(imported, m.path+"/"); isOwn && err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
