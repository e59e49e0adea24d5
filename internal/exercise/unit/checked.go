package unit

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Checks is the package of checks.
const Checks = "reconcile/internal/openexercises"

// checks imports it, by a name that no reader has for another one.
const checks = `; import reconcilechecks "` + Checks + `"`

// checked returns a file with a check in each loop and call of what is not as in the
// book: there a page ends what runs for ever. All lines stay where they are.
func checked(text, book []byte) []byte {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	before, bookErr := sources(book)
	if err != nil || bookErr != nil {
		return text
	}
	all := []check{{files.Position(parsed.Name.End()).Offset, checks}}
	for _, decl := range parsed.Decls {
		if !before[string(between(files, text, decl.Pos(), decl.End()))] {
			ast.Inspect(decl, func(n ast.Node) bool {
				if call, at := checkOf(n); call != "" {
					all = append(all, check{files.Position(at).Offset, "reconcilechecks." + call + "(); "})
				}
				return true
			})
		}
	}
	if len(all) == 1 {
		return text
	}
	slices.SortStableFunc(all, func(a, b check) int { return cmp.Compare(b.at, a.at) })
	for _, c := range all {
		text = slices.Concat(text[:c.at], []byte(c.text), text[c.at:])
	}
	return text
}

// A check is a text to be inserted.
type check struct {
	at   int
	text string
}

// checkOf returns the function that checks a node, and where it is called.
func checkOf(n ast.Node) (call string, at token.Pos) {
	var body *ast.BlockStmt
	switch n := n.(type) {
	case *ast.FuncDecl:
		call, body = "Call", n.Body
	case *ast.FuncLit:
		call, body = "Call", n.Body
	case *ast.ForStmt:
		call, body = "Step", n.Body
	case *ast.RangeStmt:
		call, body = "Step", n.Body
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			return "Step", n.Pos()
		}
	}
	if body == nil {
		return "", token.NoPos
	}
	return call, body.Lbrace + 1
}

// sources returns the declarations of a file, as they stand there.
func sources(text []byte) (map[string]bool, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, decl := range parsed.Decls {
		all[string(between(files, text, decl.Pos(), decl.End()))] = true
	}
	return all, nil
}
