package weave

import (
	"go/ast"
	"strings"

	"reconcile/internal/source"
)

// signatures shows declarations without comments and without bodies. They do
// not count as shown.
func signatures(p *piece, decls []*source.Decl) error {
	p.signature = true
	p.first, p.last = decls[0].Line, decls[len(decls)-1].EndLine
	for _, decl := range decls {
		p.runs = append(p.runs, signature(decl)...)
	}
	return nil
}

func signature(decl *source.Decl) []run {
	file := decl.File
	start := file.Offset(decl.Node.Pos())
	if decl.Body != nil {
		return []run{{start: start, end: trimmed(file, start, file.Offset(decl.Body.Lbrace))}}
	}
	open, inside := opening(decl)
	if !inside {
		return []run{{start: start, end: decl.End}}
	}
	return []run{{start: start, end: open + 1}, {gap: " … }", inline: true}}
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
