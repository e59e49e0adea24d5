package snippet

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// fields shows a struct with only some of its fields.
func (c *Chapter) fields(p *Piece, decls []*source.Decl, list string, ref book.Reference) error {
	if len(decls) != 1 || structOf(decls[0]) == nil {
		return fmt.Errorf("only one struct has fields to choose")
	}
	decl := decls[0]
	chosen, err := chooseFields(decl, list)
	if err != nil {
		return err
	}
	var inner []Run
	for i, lines := range chosen {
		if err := c.Coverage.claim(p.File, lines[0], lines[1], ref); err != nil {
			return fmt.Errorf("%s: %w", decl.Name, err)
		}
		if i > 0 {
			inner = append(inner, gapIn(p.File, chosen[i-1][1], lines[0])...)
		}
		inner = append(inner, LineRuns(p.File, lines[0], lines[1], false, true)...)
	}
	p.First, p.Last = chosen[0][0], chosen[len(chosen)-1][1]
	return c.around(p, frameOf(decl), p.First, p.Last, inner, ref)
}

func structOf(decl *source.Decl) *ast.StructType {
	group, ok := decl.Node.(*ast.GenDecl)
	if !ok || len(group.Specs) != 1 {
		return nil
	}
	spec, ok := group.Specs[0].(*ast.TypeSpec)
	if !ok {
		return nil
	}
	s, _ := spec.Type.(*ast.StructType)
	return s
}

// chooseFields returns the lines of fields, with their comments, in the order
// of the struct.
func chooseFields(decl *source.Decl, list string) ([][2]int, error) {
	var wanted []string
	for name := range strings.SplitSeq(list, ",") {
		wanted = append(wanted, strings.TrimSpace(name))
	}
	file := decl.File
	found := map[string]bool{}
	var chosen [][2]int
	for _, field := range structOf(decl).Fields.List {
		names := fieldNames(field)
		if !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(wanted, n) }) {
			continue
		}
		for _, name := range names {
			found[name] = true
		}
		start := field.Pos()
		if field.Doc != nil {
			start = field.Doc.Pos()
		}
		chosen = append(chosen, [2]int{file.Line(file.Offset(start)), file.Line(file.Offset(field.End()))})
	}
	for _, name := range wanted {
		if !found[name] {
			return nil, fmt.Errorf("%s has no field %q", decl.Name, name)
		}
	}
	return chosen, nil
}

func fieldNames(field *ast.Field) []string {
	var names []string
	for _, name := range field.Names {
		names = append(names, name.Name)
	}
	if len(names) > 0 {
		return names
	}
	t := field.Type // embedded
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch t := t.(type) {
	case *ast.Ident:
		return []string{t.Name}
	case *ast.SelectorExpr:
		return []string{t.Sel.Name}
	}
	return nil
}
