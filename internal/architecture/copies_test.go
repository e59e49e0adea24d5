package architecture

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// worthAnImport is the least number of characters in a body that would be worth
// an import.
const worthAnImport = 40

// ofChapters are the names by which chapters are imported. A function says the
// same inside of its chapter, and outside.
var ofChapters = []string{
	"controlloop", "deployment", "rollingupdate", "statefulset", "storage",
	"daemonset", "mysqlcluster",
}

// locking matches a statement that takes a lock, or gives it back: two
// functions that differ in nothing else say the same.
var locking = regexp.MustCompile(`^(defer )?[\w.]+\.R?(Unl|L)ock\(\)$`)

// saying returns a function's body as it would read with other names, and how many
// characters it takes. The names that it gives are replaced by numbers, those of a
// chapter are unqualified, and locks are left out.
func saying(t *testing.T, fn *ast.FuncDecl) (text string, length int) {
	t.Helper()
	body := *fn.Body
	body.List = slices.DeleteFunc(slices.Clone(body.List), func(s ast.Stmt) bool {
		return locking.MatchString(printed(t, s))
	})
	length = len(printed(t, &body))
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
	var number func(n ast.Node) bool
	number = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // what is selected has its name from elsewhere
			x, ok := n.X.(*ast.Ident)
			if ok && slices.Contains(ofChapters, x.Name) {
				x.Name = "chapter"
			}
			ast.Inspect(n.X, number)
			return false
		case *ast.Ident:
			if local[n.Name] {
				if numbers[n.Name] == "" {
					numbers[n.Name] = "_" + strconv.Itoa(len(numbers))
				}
				n.Name = numbers[n.Name]
			}
		}
		return true
	}
	ast.Inspect(&body, number)
	return strings.ReplaceAll(printed(t, &body), "chapter.", ""), length
}

// printed returns code as one line.
func printed(t *testing.T, code ast.Node) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, printer.Fprint(&text, token.NewFileSet(), code))
	return strings.Join(strings.Fields(text.String()), " ")
}

// copies returns the functions of several packages that say the same, by file and
// name.
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
			text, length := saying(t, fn)
			if length >= worthAnImport {
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
	for _, names := range copies(t, chapters, "..", "../../cmd") {
		assert.Fail(t, "the same is said in several packages", strings.Join(names, "\n"))
	}
}
