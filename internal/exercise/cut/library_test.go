package cut_test

import (
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
)

// library is code that nobody wrote for us. Its functions are cut one at a
// time and all together.
var library = []string{"strings", "sort", "net/url", "container/heap", "container/list", "container/ring"}

func TestEveryFunctionOfTheLibraryCompilesWhenCutAndComesBackToTheByte(t *testing.T) {
	fset := token.NewFileSet()
	imported := importer.ForCompiler(fset, "source", nil)
	for _, path := range library {
		t.Run(path, func(t *testing.T) {
			lib := loadLibrary(t, path)
			for name, src := range lib.files {
				functions := lib.functions(t, name)
				for _, function := range functions {
					lib.check(t, imported, name, src, []string{function})
				}
				lib.check(t, imported, name, src, functions)
			}
		})
	}
}

type libraryPackage struct {
	dir   string
	path  string
	files map[string][]byte
}

func loadLibrary(t *testing.T, path string) *libraryPackage {
	found, err := build.Default.Import(path, "", 0)
	require.NoError(t, err)
	lib := &libraryPackage{dir: found.Dir, path: path, files: make(map[string][]byte)}
	for _, name := range found.GoFiles {
		src, err := os.ReadFile(filepath.Join(found.Dir, name))
		require.NoError(t, err)
		lib.files[name] = src
	}
	return lib
}

// functions are those with a body and a name of their own.
func (l *libraryPackage) functions(t *testing.T, name string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), name, l.files[name], 0)
	require.NoError(t, err)
	var functions []string
	for _, decl := range file.Decls {
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

func (l *libraryPackage) check(t *testing.T, imported types.Importer, name string, src []byte, functions []string) {
	t.Helper()
	stub, err := cut.Cut(src, functions, "Yours.", cut.NewOrigins(l.dir))
	require.NoError(t, err, "%s: %v", name, functions)
	l.compiles(t, imported, name, stub, functions)

	formatted, err := format.Source(stub)
	require.NoError(t, err)
	assert.Equal(t, string(formatted), string(stub), "gofmt changes %s without %v", name, functions)

	restored, err := cut.Restore(stub, src, functions)
	require.NoError(t, err)
	require.Equal(t, string(src), string(restored), "%s: %v", name, functions)
}

func (l *libraryPackage) compiles(t *testing.T, imported types.Importer, name string, stub []byte, functions []string) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for other, src := range l.files {
		if other == name {
			src = stub
		}
		file, err := parser.ParseFile(fset, other, src, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	_, err := (&types.Config{Importer: imported}).Check(l.path, fset, files, nil)
	require.NoError(t, err, "%s without %v:\n%s", name, functions, stub)
}
