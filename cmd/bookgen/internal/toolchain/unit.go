package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"reconcile/internal/exercise/unit"
	"reconcile/internal/gowork"
)

// A listed package is one as go list describes it. Name is "p [q.test]" for a
// package that was compiled for the tests of another.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports, Deps  []string
	Incomplete              bool
	Error                   *struct{ Err string }

	folder string // from the book's root
}

// list compiles test packages of the book at root for a page, with all that they
// link, and returns the packages by their names. The flags are those by which libraries
// are for a page.
func (c *compiler) list(ctx context.Context, root string, flags, folders []string) (map[string]*listed, error) {
	arguments := slices.Concat([]string{"list"}, flags, []string{"-export", "-deps", "-test", "-trimpath", "-buildvcs=false",
		"-gcflags=reconcile/...=-l", "-toolexec", c.file("toolexec.sh"), "-json=ImportPath,Dir,Export,GoFiles,Imports,Deps,Incomplete,Error"})
	for _, folder := range folders {
		arguments = append(arguments, "./"+folder)
	}
	command := gowork.Command(ctx, arguments...)
	command.Dir = root
	command.Env = append(os.Environ(), system...)
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("compile the tests that judge for a page: %w\n%s", err, said.String())
	}
	all := map[string]*listed{}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		switch err := decoder.Decode(p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all[p.ImportPath] = p
		if strings.HasPrefix(p.ImportPath, "reconcile/") {
			p.folder = filepath.ToSlash(strings.TrimPrefix(p.Dir, root+string(filepath.Separator)))
		}
	}
}

var system = []string{"GOOS=js", "GOARCH=wasm"}

// unit returns what a page needs to compile a folder's package anew, with those that
// import it, and to link its tests. The archives of these are added to all, and the
// texts of those that import it to files.
func (all archives) unit(packages map[string]*listed, folder string, files map[string]string) (*unit.Unit, error) {
	u := &unit.Unit{Go: runtime.Version(), Archives: map[string]string{}, Texts: map[string]string{}}
	own := packages["reconcile/"+folder]
	main := packages["reconcile/"+folder+".test"]
	if main == nil {
		return nil, fmt.Errorf("%s has no tests", folder)
	}
	var above []*listed
	for _, name := range main.Deps {
		p := packages[name]
		if name == "unsafe" {
			continue
		}
		if p == nil || p.Export == "" {
			return nil, fmt.Errorf("%s was not compiled", name)
		}
		sum, err := all.add(p)
		if err != nil {
			return nil, err
		}
		u.Archives[p.path()] = sum
		switch {
		case p.path() == own.path():
			own = p
		case p.importsAny(own.path()):
			above = append(above, p)
		}
	}
	var err error
	if u.Main, err = all.add(main); err != nil {
		return nil, err
	}
	if u.Package, err = own.compiled(); err != nil {
		return nil, err
	}
	u.Above, err = inOrder(above, files)
	return u, errors.Join(err, own.read(u.Texts, ""))
}

// inOrder returns packages in the order in which they are compiled, and puts their texts
// into files.
func inOrder(packages []*listed, files map[string]string) (all []unit.Package, err error) {
	// Whatever imports a package depends on more than that does.
	slices.SortStableFunc(packages, func(a, b *listed) int { return cmp.Compare(len(a.Deps), len(b.Deps)) })
	for _, p := range packages {
		compiled, err := p.compiled()
		if err := errors.Join(err, p.read(files, p.folder)); err != nil {
			return nil, err
		}
		all = append(all, compiled)
	}
	return all, nil
}

// path is a package's, whatever tests it was compiled for.
func (p *listed) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}

// importsAny reports whether a package needs another one of some, at any remove.
func (p *listed) importsAny(paths ...string) bool {
	return slices.ContainsFunc(p.Deps, func(name string) bool {
		path, _, _ := strings.Cut(name, " ")
		return slices.Contains(paths, path)
	})
}

// compiled returns what of a package a page has to know to compile it again.
func (p *listed) compiled() (unit.Package, error) {
	text, err := os.ReadFile(p.Export)
	if err != nil {
		return unit.Package{}, err
	}
	mark, err := unit.Fingerprint(text)
	if err != nil {
		return unit.Package{}, fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	return unit.Package{Path: p.path(), Folder: p.folder, Files: p.GoFiles, Known: hex.EncodeToString(mark)}, nil
}

// read puts the files of a package into texts, by their paths in a folder.
func (p *listed) read(texts map[string]string, in string) error {
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		texts[path.Join(in, name)] = string(text)
	}
	return nil
}
