// Nothing here runs at the same time as anything else, and the race detector
// would take a minute to say so.

//go:build !race

package cut_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/slow"
)

// library is code that was not written for us. Its functions are cut one at a
// time and all together.
var library = []string{"strings", "sort", "net/url", "container/heap", "container/list", "container/ring"}

func TestEveryFunctionOfTheLibraryCompilesWhenCutAndComesBackToTheByte(t *testing.T) {
	fset := token.NewFileSet()
	imported := importer.ForCompiler(fset, "gc", nil)
	for _, path := range library {
		t.Run(path, func(t *testing.T) {
			if !strings.HasPrefix(path, "container/") {
				slow.Test(t, "it compiles a package once for each of its functions")
			}
			lib := loadLibrary(t, fset, path, imported)
			for name, src := range lib.files {
				functions := lib.functions(name)
				for _, function := range functions {
					lib.check(t, name, src, []string{function})
				}
				lib.check(t, name, src, functions)
			}
		})
	}
}

type libraryPackage struct {
	path    string
	fset    *token.FileSet
	files   map[string][]byte
	syntax  map[string]*ast.File
	config  types.Config
	origins *cut.Origins
}

func loadLibrary(t *testing.T, fset *token.FileSet, path string, imported types.Importer) *libraryPackage {
	found, err := build.Default.Import(path, "", 0)
	require.NoError(t, err)
	lib := &libraryPackage{
		path: path, fset: fset, config: types.Config{Importer: imported}, origins: cut.NewOrigins(found.Dir),
		files: make(map[string][]byte), syntax: make(map[string]*ast.File),
	}
	for _, name := range found.GoFiles {
		src, err := os.ReadFile(filepath.Join(found.Dir, name))
		require.NoError(t, err)
		lib.files[name] = src
		lib.syntax[name] = lib.parse(t, name, src)
	}
	return lib
}

// functions returns those with a body and a name of their own.
func (l *libraryPackage) functions(name string) []string {
	var functions []string
	for _, decl := range l.syntax[name].Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "init" {
			continue
		}
		function := fn.Name.Name
		if fn.Recv != nil {
			function = strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*") + "." + function
		}
		functions = append(functions, function)
	}
	return functions
}

func (l *libraryPackage) parse(t *testing.T, name string, src []byte) *ast.File {
	file, err := parser.ParseFile(l.fset, name, src, parser.SkipObjectResolution)
	require.NoError(t, err)
	return file
}

func (l *libraryPackage) check(t *testing.T, name string, src []byte, functions []string) {
	t.Helper()
	stub, err := cut.Cut(src, functions, "Yours.", l.origins)
	require.NoError(t, err, "%s: %v", name, functions)
	l.compiles(t, name, stub, functions)

	formatted, err := format.Source(stub)
	require.NoError(t, err)
	assert.Equal(t, string(formatted), string(stub), "gofmt changes %s without %v", name, functions)

	restored, err := cut.Restore(stub, src, functions)
	require.NoError(t, err)
	require.Equal(t, string(src), string(restored), "%s: %v", name, functions)
}

// Every function jumps to a copy of itself, in a file beside its own.
func TestEveryFunctionOfTheLibraryCanJumpToANamesake(t *testing.T) {
	fset := token.NewFileSet()
	imported := importer.ForCompiler(fset, "gc", nil)
	for _, path := range library {
		t.Run(path, func(t *testing.T) {
			lib := loadLibrary(t, fset, path, imported)
			for name, src := range lib.files {
				functions := lib.functions(name)
				if len(functions) == 0 {
					continue
				}
				require.True(t, cut.Interchangeable(src, src, functions), name)
				suffixes := make(map[string][]string)
				for _, function := range functions {
					suffixes[function] = []string{"__1"}
				}
				jumps, err := cut.Jump(src, suffixes, "variant__")
				require.NoError(t, err)
				aside, err := cut.Aside(src, functions, "__1")
				require.NoError(t, err)
				chooser := fmt.Sprintf("package %s\n\nvar variant__ string\n", lib.syntax[name].Name)
				lib.compiles(t, name, jumps, functions,
					lib.parse(t, "aside.go", aside), lib.parse(t, "chooser.go", []byte(chooser)))
			}
		})
	}
}

// compiles type-checks the package with another text of one file, and more.
func (l *libraryPackage) compiles(t *testing.T, name string, stub []byte, functions []string, files ...*ast.File) {
	t.Helper()
	files = append(files, l.parse(t, name, stub))
	for other, file := range l.syntax {
		if other != name {
			files = append(files, file)
		}
	}
	_, err := l.config.Check(l.path, l.fset, files, nil)
	require.NoError(t, err, "%s without %v:\n%s", name, functions, stub)
}
