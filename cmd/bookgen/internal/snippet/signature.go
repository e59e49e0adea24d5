package snippet

import (
	"go/ast"
	"strings"

	"reconcile/internal/source"
)

// signatures shows declarations without comments and without bodies. They do
// not count as shown.
func signatures(p *Piece, decls []*source.Decl) error {
	p.Signature = true
	p.First, p.Last = decls[0].Line, decls[len(decls)-1].EndLine
	for _, decl := range decls {
		p.Runs = append(p.Runs, Signature(decl)...)
	}
	return nil
}

// Signature returns a declaration without its body.
func Signature(decl *source.Decl) []Run {
	file := decl.File
	start := file.Offset(decl.Node.Pos())
	if decl.Body != nil {
		return []Run{{Start: start, End: trimmed(file, start, file.Offset(decl.Body.Lbrace))}}
	}
	open, inside := opening(decl)
	if !inside {
		return []Run{{Start: start, End: decl.End}}
	}
	return []Run{{Start: start, End: open + 1}, {Gap: " … }", Inline: true}}
}

// opening returns the offset of the brace that opens a struct or interface.
func opening(decl *source.Decl) (offset int, ok bool) {
	group := decl.Node.(*ast.GenDecl) // a function has a body
	spec, ok := group.Specs[0].(*ast.TypeSpec)
	if !ok || len(group.Specs) != 1 {
		return 0, false
	}
	switch t := spec.Type.(type) {
	case *ast.StructType:
		return decl.File.Offset(t.Fields.Opening), true
	case *ast.InterfaceType:
		return decl.File.Offset(t.Methods.Opening), true
	}
	return 0, false
}

func trimmed(file *source.File, start, end int) int {
	return start + len(strings.TrimRight(string(file.Content[start:end]), " \t\n"))
}

// OneLine returns a declaration's signature without line breaks.
func OneLine(decl *source.Decl) string {
	var b strings.Builder
	for _, r := range Signature(decl) {
		b.Write(decl.File.Content[r.Start:r.End])
		b.WriteString(r.Gap)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	return strings.NewReplacer("( ", "(", ", )", ")").Replace(text)
}
