package highlight

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"reconcile/internal/source"
)

// Checker type-checks packages of the module, and what they import. It keeps the
// packages of other modules until go.mod changes.
type Checker struct {
	root    string
	mod     string // go.mod, as it was when outside was made
	outside *outside
}

// NewChecker returns a Checker for the module at root.
func NewChecker(root string) *Checker {
	return &Checker{root: root, outside: newOutside(root)}
}

// checked is a package that was checked.
type checked struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	types *types.Package
}

// load checks the package in a folder below the root, with its tests. With an
// error it returns the known part nevertheless.
func (c *Checker) load(ctx context.Context, dir string) (*Info, error) {
	standard.Lock()
	defer standard.Unlock()
	check, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	dir = filepath.ToSlash(dir)
	files, tests, err := check.parse(dir)
	if err != nil {
		return nil, err
	}
	if err := c.outside.need(ctx, check.imports(dir, files, tests)); err != nil {
		return nil, err
	}
	info := &Info{Path: check.module + "/" + dir, Refs: map[string][]Ref{}}
	pkg, err := check.whole(info.Path, files)
	errs := []error{err}
	info.add(pkg)
	if len(tests) > 0 {
		check.own[info.Path] = pkg.types // with the declarations of its tests
		external, err := check.whole(info.Path+"_test", tests)
		errs = append(errs, err)
		info.add(external)
	}
	return info, source.Join(errs...)
}

// check is one check, in which every package exists once: a package that tests
// import sees their package as the tests do.
type check struct {
	*Checker
	ctx             context.Context // of this check, because Import takes none
	module, version string
	fset            *token.FileSet
	own             map[string]*types.Package // the module's, without function bodies
}

func (c *Checker) begin(ctx context.Context) (*check, error) {
	file := filepath.Join(c.root, "go.mod")
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(file, content, nil)
	if err != nil {
		return nil, err
	}
	if c.mod != string(content) {
		c.mod, c.outside = string(content), newOutside(c.root)
	}
	version := ""
	if mod.Go != nil {
		version = "go" + mod.Go.Version
	}
	return &check{
		Checker: c, ctx: ctx, module: mod.Module.Mod.Path, version: version,
		fset: token.NewFileSet(), own: map[string]*types.Package{},
	}, nil
}

// parse returns the files of a package with its tests, and its external tests.
func (c *check) parse(dir string) (files, tests []*ast.File, err error) {
	folder := filepath.Join(c.root, filepath.FromSlash(dir))
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		if fits, err := build.Default.MatchFile(folder, filepath.Base(path)); err != nil || !fits {
			continue
		}
		file, err := parser.ParseFile(c.fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		if strings.HasSuffix(file.Name.Name, "_test") && strings.HasSuffix(path, "_test.go") {
			tests = append(tests, file)
		} else {
			files = append(files, file)
		}
	}
	return files, tests, nil
}

// whole checks files with their function bodies.
func (c *check) whole(path string, files []*ast.File) (*checked, error) {
	pkg := &checked{fset: c.fset, files: files, info: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	var errs []error
	config := &types.Config{
		GoVersion: c.version, Importer: c, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) { errs = append(errs, placed(err)) },
	}
	pkg.types, _ = config.Check(path, pkg.fset, files, pkg.info) // its error is the first of errs
	return pkg, source.Join(errs...)
}

// placed adds to an error its file and line.
func placed(err error) error {
	e, ok := err.(types.Error)
	if !ok {
		return err
	}
	at := e.Fset.Position(e.Pos)
	return source.At(at.Filename, at.Line, "%s", strings.Join(strings.Fields(e.Msg), " "))
}

// Import returns a package that another imports.
func (c *check) Import(path string) (*types.Package, error) {
	dir, isOwn := c.folder(path)
	if !isOwn {
		return c.outside.load(c.ctx, path)
	}
	if pkg := c.own[path]; pkg != nil {
		return pkg, nil
	}
	files, err := c.declarations(dir)
	if err != nil {
		return nil, err
	}
	config := declarationsOnly(c, &err)
	config.GoVersion = c.version
	pkg, _ := config.Check(path, c.fset, files, nil) // its error is err
	if err != nil {
		return nil, err
	}
	c.own[path] = pkg
	return pkg, nil
}

// folder returns the folder of a package of the module.
func (c *check) folder(path string) (dir string, isOwn bool) {
	return strings.CutPrefix(path, c.module+"/")
}

// declarations returns the files of a package without its tests.
func (c *check) declarations(dir string) ([]*ast.File, error) {
	files, _, err := c.parse(dir)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no Go files in %s", dir)
	}
	return slices.DeleteFunc(files, func(f *ast.File) bool {
		return strings.HasSuffix(c.fset.Position(f.Package).Filename, "_test.go")
	}), err
}

// imports lists the packages outside of the module that files import,
// themselves or by way of packages of the module.
func (c *check) imports(dir string, files ...[]*ast.File) []string {
	found := map[string]bool{}
	seen := map[string]bool{dir: true}
	var follow func(files []*ast.File)
	follow = func(files []*ast.File) {
		for _, file := range files {
			for _, spec := range file.Imports {
				path := strings.Trim(spec.Path.Value, "`\"")
				folder, isOwn := c.folder(path)
				if !isOwn {
					found[path] = true
				} else if !seen[folder] {
					seen[folder] = true
					further, _ := c.declarations(folder) // its error shows where it is imported
					follow(further)
				}
			}
		}
	}
	for _, some := range files {
		follow(some)
	}
	return slices.Sorted(maps.Keys(found))
}
