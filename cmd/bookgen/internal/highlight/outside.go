package highlight

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"reconcile/internal/gowork"
)

// outside holds the packages of the standard library and of other modules. They
// are type-checked from their source, without function bodies, when they are
// first imported, and kept. Export data would be read faster, but has to be
// compiled first: for this book 300 seconds of a processor where nothing is in
// Go's build cache, and 100 after each edit of a declaration in chapter 1; the
// source takes ten.
type outside struct {
	root    string
	fset    *token.FileSet
	listed  map[string]*listed        // by import path
	checked map[string]*types.Package // of other modules, by import path
}

// standard holds those of the standard library, by their folders: for all the
// books of a process, of which a test has many. The lock is held by a Checker
// for a whole check, so that each package exists once.
var standard = struct {
	sync.Mutex
	checked map[string]*types.Package
}{checked: map[string]*types.Package{}}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir string
	Standard        bool // of the standard library
	GoFiles         []string
	ImportMap       map[string]string // where it imports another path than it writes
	Module          *struct{ GoVersion string }
	Error           *struct{ Err string }
}

func newOutside(root string) *outside {
	return &outside{
		root: root, fset: token.NewFileSet(),
		listed: map[string]*listed{}, checked: map[string]*types.Package{},
	}
}

// need finds out where packages are, and all that they import.
func (o *outside) need(ctx context.Context, paths []string) error {
	var unknown []string
	for _, path := range paths {
		if l := o.listed[path]; (l == nil || l.Error != nil) && path != "unsafe" && path != "C" {
			unknown = append(unknown, path)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	output, err := o.list(ctx, unknown)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		o.listed[l.ImportPath] = &l
	}
}

// list asks for the files that are compiled without cgo, which changes no
// declaration that another package sees.
func (o *outside) list(ctx context.Context, paths []string) ([]byte, error) {
	fields := "-json=ImportPath,Dir,Standard,GoFiles,ImportMap,Module,Error"
	command := gowork.Command(ctx, append([]string{"list", "-e", "-deps", fields, "--"}, paths...)...)
	command.Dir, command.Env = o.root, append(os.Environ(), "CGO_ENABLED=0")
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list does not find what the chapters import: %w\n%s", err, bytes.TrimSpace(problems.Bytes()))
	}
	return output, nil
}

// load returns a package that another imports by its path.
func (o *outside) load(ctx context.Context, path string) (*types.Package, error) {
	l := o.listed[path]
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case l == nil:
		return nil, fmt.Errorf("package %s is not listed", path)
	case l.Error != nil:
		return nil, errors.New(l.Error.Err)
	}
	checked, key := o.checked, path
	if l.Standard {
		checked, key = standard.checked, l.Dir
	}
	if pkg := checked[key]; pkg != nil {
		return pkg, nil
	}
	pkg, err := o.check(ctx, l)
	if err == nil {
		checked[key] = pkg
	}
	return pkg, err
}

// check checks the declarations of a package. Its first error counts.
func (o *outside) check(ctx context.Context, l *listed) (*types.Package, error) {
	files, err := o.parse(l)
	if err != nil {
		return nil, err
	}
	config := declarationsOnly(importer(func(path string) (*types.Package, error) {
		if mapped := l.ImportMap[path]; mapped != "" {
			path = mapped
		}
		return o.load(ctx, path)
	}), &err)
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	pkg, _ := config.Check(l.ImportPath, o.fset, files, nil) // its error is err
	if err != nil {
		return nil, err
	}
	return pkg, nil
}

// parse parses the files of a package, as many at a time as there are processors.
func (o *outside) parse(l *listed) ([]*ast.File, error) {
	files := make([]*ast.File, len(l.GoFiles))
	errs := make([]error, len(l.GoFiles))
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, name := range l.GoFiles {
		free <- struct{}{}
		all.Go(func() {
			files[i], errs[i] = parser.ParseFile(o.fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
			<-free
		})
	}
	all.Wait()
	return files, errors.Join(errs...)
}

// declarationsOnly configures a check that looks into no function, and notes the
// first error that leaves a declaration without its type.
func declarationsOnly(from types.Importer, first *error) *types.Config {
	return &types.Config{
		Importer: from, Sizes: types.SizesFor("gc", runtime.GOARCH), IgnoreFuncBodies: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); *first == nil && !(ok && e.Soft) {
				*first = placed(err)
			}
		},
	}
}

// importer is a function as a types.Importer.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
