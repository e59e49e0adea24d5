package kubetest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A body of fewer characters than these says too little to be worth an import;
// a predicate is worth one sooner.
const worthAnImport, worthAsPredicate = 60, 40

// saying returns a function's body as it would read with other names: those
// that it gives are replaced by numbers, and those of a chapter unqualified.
func saying(t *testing.T, fn *ast.FuncDecl) string {
	t.Helper()
	local := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				local[name.Name] = true
			}
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if name, ok := to.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[name.Name] = true
				}
			}
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if name, ok := to.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[name.Name] = true
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				local[name.Name] = true
			}
		}
		return true
	})
	numbers := map[string]string{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && slices.Contains([]string{"controlloop", "deployment"}, x.Name) {
				x.Name = "chapter"
			}
		case *ast.Ident:
			if local[n.Name] {
				if numbers[n.Name] == "" {
					numbers[n.Name] = "_" + strconv.Itoa(len(numbers))
				}
				n.Name = numbers[n.Name]
			}
		}
		return true
	})
	var text bytes.Buffer
	require.NoError(t, printer.Fprint(&text, token.NewFileSet(), fn.Body))
	words := strings.Join(strings.Fields(text.String()), " ")
	return strings.ReplaceAll(words, "chapter.", "")
}

// isPredicate reports whether a function does nothing but return true or false.
func isPredicate(fn *ast.FuncDecl) bool {
	results := fn.Type.Results
	if results == nil || len(results.List) != 1 || len(fn.Body.List) != 1 {
		return false
	}
	result, ok := results.List[0].Type.(*ast.Ident)
	return ok && result.Name == "bool"
}

// copies returns the functions of several packages that say the
// same, by file and name.
func copies(t *testing.T, folders ...string) (found [][]string) {
	t.Helper()
	type place struct{ folder, name string }
	said := map[string][]place{}
	look := func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			text := saying(t, fn)
			if len(text) >= worthAnImport || isPredicate(fn) && len(text) >= worthAsPredicate {
				said[text] = append(said[text], place{filepath.Dir(file), file + ": " + fn.Name.Name})
			}
		}
		return nil
	}
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(folder, look))
	}
	require.NotEmpty(t, said)
	for _, text := range slices.Sorted(maps.Keys(said)) {
		var names []string
		several := false
		for _, p := range said[text] {
			names = append(names, p.name)
			several = several || p.folder != said[text][0].folder
		}
		if several {
			found = append(found, names)
		}
	}
	return found
}

// A function that two packages need is exported by the first: a mend that
// reaches one copy of three is how they come to differ.
func TestNoTwoPackagesSayTheSame(t *testing.T) {
	for _, names := range copies(t, chapters, "..") {
		assert.Fail(t, "the same is said in several packages", strings.Join(names, "\n"))
	}
}
