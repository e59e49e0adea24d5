package workspace

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"reconcile/internal/exercise"
)

// Input returns what a test has given to the exercise's functions at the place that a
// failure names, "plan_test.go:40", as the test's source has it: the row of its table
// with one of these names, or the call of the function; "" if neither is there.
func (w *Workspace) Input(e *exercise.Exercise, at string, names ...string) string {
	file, number, _ := strings.Cut(at, ":")
	line, err := strconv.Atoi(number)
	if err != nil {
		return ""
	}
	text, err := readFile(w.path(e.Path(file)))
	if err != nil {
		return ""
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path.Base(file), text, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	s := asked{files: files, text: string(text), line: line, names: names}
	for _, fn := range e.Functions {
		s.functions = append(s.functions, strings.ToLower(fn.Name[strings.LastIndex(fn.Name, ".")+1:]))
	}
	for _, decl := range parsed.Decls {
		if s.has(decl) {
			ast.Inspect(decl, s.visit)
		}
	}
	given := []rune(strings.Join(strings.Fields(cmp.Or(s.row, s.call)), " "))
	if len(given) > mostGiven {
		return string(given[:mostGiven]) + "…"
	}
	return string(given)
}

// mostGiven is how much of an input stands below a failure.
const mostGiven = 200

// asked looks in a test for what it asks.
type asked struct {
	files     *token.FileSet
	text      string
	line      int
	names     []string
	functions []string // in lower case: a test of another package calls them by a name of its own

	row, call string
}

// has reports whether the line is one of a node's.
func (s *asked) has(node ast.Node) bool {
	return s.files.Position(node.Pos()).Line <= s.line && s.line <= s.files.Position(node.End()).Line
}

func (s *asked) source(from, to token.Pos) string {
	return s.text[s.files.Position(from).Offset:s.files.Position(to).Offset]
}

func (s *asked) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.KeyValueExpr:
		if s.isNamed(node.Key) {
			s.row = s.source(node.Value.Pos(), node.Value.End())
		}
	case *ast.CompositeLit:
		if len(node.Elts) > 1 && s.isNamed(node.Elts[0]) {
			s.row = s.source(node.Elts[1].Pos(), node.Elts[len(node.Elts)-1].End())
		}
	case *ast.CallExpr:
		if s.call == "" && s.has(node) && slices.Contains(s.functions, strings.ToLower(nameOf(node.Fun))) {
			s.call = s.source(node.Pos(), node.End())
		}
	}
	return true
}

// isNamed reports whether an expression is one of the names that are looked for.
func (s *asked) isNamed(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return false
	}
	name, err := strconv.Unquote(literal.Value)
	return err == nil && slices.Contains(s.names, name)
}

func nameOf(function ast.Expr) string {
	switch function := function.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}
