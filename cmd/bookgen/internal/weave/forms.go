package weave

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// The titles of references that ask for a form.
const (
	signatureForm = "signature"
	wholeForm     = "whole" // its length is the point, as the page says
	fieldsForm    = "fields:"
)

func (c *Chapter) wholeFile(p *piece, ref book.Reference) error {
	p.first, p.last = 1, p.file.Lines()
	p.runs = lineRuns(p.file, p.first, p.last, false, true)
	return c.coverage.claim(p.file, p.first, p.last, ref)
}

// declarations shows declarations one below the other, with a gap for the code
// between them, if any.
func (c *Chapter) declarations(p *piece, decls []*source.Decl, ref book.Reference) error {
	for _, decl := range decls {
		if err := c.coverage.claim(p.file, decl.Line, decl.EndLine, ref); err != nil {
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

// between returns an empty line, or a gap if code is left out.
func between(file *source.File, last, first int) []run {
	for line := last + 1; line < first; line++ {
		if file.Owes(line) {
			return []run{{}, {gap: "… " + leftOut(file, last, first)}, {}}
		}
	}
	return []run{{}}
}

// leftOut names the declarations between two lines, or, without any, counts the
// lines.
func leftOut(file *source.File, after, before int) string {
	var names []string
	for _, decl := range file.Decls {
		if after < decl.Line && decl.EndLine < before {
			names = append(names, decl.Name)
		}
	}
	switch {
	case len(names) > mostNames:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
	case len(names) > 0:
		return strings.Join(names, ", ")
	}
	count := 0
	for line := after + 1; line < before; line++ {
		if file.Owes(line) {
			count++
		}
	}
	return lineCount(count)
}

// mostNames is how many declarations a gap names.
const mostNames = 3

// frame is the outside of a part of a declaration: from its doc comment to the
// brace that opens it, and the line that closes it.
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
func (c *Chapter) around(p *piece, f frame, first, last int, inner []run, ref book.Reference) error {
	file := p.file
	owned := !c.coverage.shows(file, f.open)
	from := f.open
	if owned {
		from = f.decl.Line
		if err := c.coverage.claim(file, f.decl.Line, f.open, ref); err != nil {
			return err
		}
		if err := c.coverage.claim(file, f.close, f.close, ref); err != nil {
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

// gapIn returns a gap for the lines that are left out between two others.
func gapIn(file *source.File, after, before int) []run {
	for line := after + 1; line < before; line++ {
		if file.Owes(line) {
			text := file.Text(line)
			indent := text[:len(text)-len(strings.TrimLeft(text, "\t "))]
			return []run{{gap: indent + "… " + leftOut(file, after, before)}}
		}
	}
	return nil
}

func (c *Chapter) region(p *piece, region *source.Region, ref book.Reference) error {
	if err := c.coverage.claim(p.file, region.Line, region.EndLine, ref); err != nil {
		return fmt.Errorf("%s: %w", region.Name, err)
	}
	p.id = elementID(c.name(p.file), region.Name)
	p.first, p.last = region.Line, region.EndLine
	for p.first < p.last && !p.file.Owes(p.first) {
		p.first++
	}
	for p.first < p.last && !p.file.Owes(p.last) {
		p.last--
	}
	inner := lineRuns(p.file, p.first, p.last, false, true)
	decl := p.file.Enclosing(region.Line, region.EndLine)
	if decl == nil {
		p.runs = inner
		return nil
	}
	return c.around(p, frameOf(decl), p.first, p.last, inner, ref)
}
