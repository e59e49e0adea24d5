package weave

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"reconcile/internal/source"
)

// The titles of references that ask for a form.
const (
	signatureForm = "signature"
	fieldsForm    = "fields:"
)

func (c *Chapter) wholeFile(p *piece, reference int) error {
	p.first, p.last = 1, p.file.Lines()
	p.runs = lineRuns(p.file, p.first, p.last, false, true)
	return c.coverage.claim(p.file, p.first, p.last, reference)
}

// declarations shows declarations one below the other, with a gap where there
// is more between them.
func (c *Chapter) declarations(p *piece, decls []*source.Decl, reference int) error {
	for _, decl := range decls {
		if err := c.coverage.claim(p.file, decl.Line, decl.EndLine, reference); err != nil {
			return fmt.Errorf("%s: %w", decl.Name, err)
		}
	}
	p.first, p.last = decls[0].Line, decls[len(decls)-1].EndLine
	for i, decl := range decls {
		if i > 0 {
			p.runs = append(p.runs, between(p.file, decls[i-1].EndLine, decl.Line)...)
		}
		p.runs = append(p.runs, lineRuns(p.file, decl.Line, decl.EndLine, false, true)...)
	}
	return nil
}

// between is an empty line, or a gap where code is left out.
func between(file *source.File, last, first int) []run {
	for line := last + 1; line < first; line++ {
		if file.Owes(line) {
			return []run{{}, {gap: "…"}, {}}
		}
	}
	return []run{{}}
}

// frame is what stands around a part of a declaration: from its doc comment to
// the brace that opens it, and the line that closes it.
type frame struct {
	decl        *source.Decl
	open, close int // lines
}

func frameOf(decl *source.Decl) frame {
	f := frame{decl: decl, open: decl.Line, close: decl.EndLine}
	if decl.Body != nil {
		f.open = decl.File.Line(decl.File.Offset(decl.Body.Lbrace))
		return f
	}
	f.open = decl.File.Line(decl.File.Offset(decl.Node.Pos()))
	return f
}

// around puts the frame of a declaration around runs that show lines first to
// last of it. The frame's own lines belong to the first piece that shows a part
// of the declaration; after that they are only context, without doc comment.
func (c *Chapter) around(p *piece, f frame, first, last int, inner []run, reference int) error {
	file := p.file
	owned := !c.coverage.shows(file, f.open)
	from := f.open
	if owned {
		from = f.decl.Line
		if err := c.coverage.claim(file, f.decl.Line, f.open, reference); err != nil {
			return err
		}
		if err := c.coverage.claim(file, f.close, f.close, reference); err != nil {
			return err
		}
	} else if f.decl.Body != nil {
		from = file.Line(file.Offset(f.decl.Node.Pos()))
	}
	p.runs = append(p.runs, lineRuns(file, from, f.open, true, owned)...)
	p.runs = append(p.runs, gapIn(file, f.open, first)...)
	p.runs = append(p.runs, inner...)
	p.runs = append(p.runs, gapIn(file, last, f.close)...)
	p.runs = append(p.runs, lineRuns(file, f.close, f.close, true, owned)...)
	return nil
}

// gapIn stands for lines that are left out between two others.
func gapIn(file *source.File, after, before int) []run {
	for line := after + 1; line < before; line++ {
		if file.Owes(line) {
			text := file.Text(line)
			indent := text[:len(text)-len(strings.TrimLeft(text, "\t "))]
			return []run{{gap: indent + "…"}}
		}
	}
	return nil
}

func (c *Chapter) region(p *piece, region *source.Region, reference int) error {
	if err := c.coverage.claim(p.file, region.Line, region.EndLine, reference); err != nil {
		return fmt.Errorf("%s: %w", region.Name, err)
	}
	p.first, p.last = region.Line, region.EndLine
	inner := lineRuns(p.file, region.Line, region.EndLine, false, true)
	decl := p.file.Enclosing(region.Line, region.EndLine)
	if decl == nil {
		p.runs = inner
		return nil
	}
	return c.around(p, frameOf(decl), region.Line, region.EndLine, inner, reference)
}

// fields shows a struct with only some of its fields.
func (c *Chapter) fields(p *piece, decls []*source.Decl, list string, reference int) error {
	if len(decls) != 1 || structOf(decls[0]) == nil {
		return fmt.Errorf("only one struct has fields to choose")
	}
	decl := decls[0]
	chosen, err := chooseFields(decl, list)
	if err != nil {
		return err
	}
	var inner []run
	for i, lines := range chosen {
		if err := c.coverage.claim(p.file, lines[0], lines[1], reference); err != nil {
			return fmt.Errorf("%s: %w", decl.Name, err)
		}
		if i > 0 {
			inner = append(inner, gapIn(p.file, chosen[i-1][1], lines[0])...)
		}
		inner = append(inner, lineRuns(p.file, lines[0], lines[1], false, true)...)
	}
	p.first, p.last = chosen[0][0], chosen[len(chosen)-1][1]
	p.id += "." + strings.TrimSpace(strings.Split(list, ",")[0])
	return c.around(p, frameOf(decl), p.first, p.last, inner, reference)
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

// signatures shows declarations without comments and without what is inside.
// They do not count as shown.
func signatures(p *piece, decls []*source.Decl) error {
	p.signature, p.id = true, ""
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
