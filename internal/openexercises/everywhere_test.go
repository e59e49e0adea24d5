package openexercises_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A package of tests without it panics in the face of a reader who works on an
// exercise.
func TestEveryPackageOnAChapterIsTestedByRun(t *testing.T) {
	out, err := exec.Command("go", "list", "-test", "-f", `{{with .ForTest}}{{$.Dir}} {{join $.Deps " "}}{{end}}`, "reconcile/...").Output()
	require.NoError(t, err)
	var dirs []string
	for line := range strings.Lines(string(out)) {
		dir, deps, _ := strings.Cut(line, " ")
		if strings.Contains(dir+" "+deps, "reconcile/chapters/") || strings.Contains(filepath.ToSlash(dir), "/chapters/") {
			dirs = append(dirs, dir)
		}
	}
	dirs = slices.Compact(dirs)
	require.Greater(t, len(dirs), 10)
	for _, dir := range dirs {
		assert.True(t, hasRun(t, dir), "the tests of %s need a TestMain that hands over to open.Run", dir)
	}
}

// hasRun reports whether a folder's tests have a TestMain that calls Run.
func hasRun(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	found := false
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "TestMain" {
				found = found || runs(file, fn)
			}
		}
	}
	return found
}

// runs reports whether a TestMain calls Run of this package, or the fixture's
// Main, which does.
func runs(file *ast.File, main *ast.FuncDecl) bool {
	names := map[string]string{} // of functions, by package
	for _, spec := range file.Imports {
		for path, function := range map[string]string{"internal/openexercises": "Run", "internal/kubetest": "Main"} {
			if strings.HasSuffix(spec.Path.Value, path+`"`) {
				name := path[strings.LastIndex(path, "/")+1:]
				if spec.Name != nil {
					name = spec.Name.Name
				}
				names[name] = function
			}
		}
	}
	found := false
	ast.Inspect(main, func(n ast.Node) bool {
		if call, ok := n.(*ast.SelectorExpr); ok {
			pkg, ok := call.X.(*ast.Ident)
			found = found || ok && names[pkg.Name] == call.Sel.Name
		}
		return true
	})
	return found
}
