package snippet

import (
	"fmt"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// The titles of references that ask for a form.
const (
	signatureForm = "signature"
	WholeForm     = "whole" // its length is the point
	fieldsForm    = "fields:"
)

func (c *Chapter) wholeFile(p *Piece, ref book.Reference) error {
	p.First, p.Last = 1, p.File.Lines()
	p.Runs = LineRuns(p.File, p.First, p.Last, false, true)
	return c.Coverage.claim(p.File, p.First, p.Last, ref)
}

// declarations shows declarations one below the other, with a gap for the code
// between them, if any.
func (c *Chapter) declarations(p *Piece, decls []*source.Decl, ref book.Reference) error {
	for _, decl := range decls {
		if err := c.Coverage.claim(p.File, decl.Line, decl.EndLine, ref); err != nil {
			return fmt.Errorf("%s: %w", decl.Name, err)
		}
	}
	p.First, p.Last = decls[0].Line, decls[len(decls)-1].EndLine
	for i, decl := range decls {
		if i > 0 {
			p.Runs = append(p.Runs, between(p.File, decls[i-1].EndLine, decl.Line)...)
		}
		p.Runs = append(p.Runs, LineRuns(p.File, decl.Line, decl.EndLine, false, true)...)
	}
	return nil
}

// between returns an empty line, or a gap if code is left out.
func between(file *source.File, last, first int) []Run {
	for line := last + 1; line < first; line++ {
		if file.Owes(line) {
			return []Run{{}, {Gap: "… " + leftOut(file, last, first)}, {}}
		}
	}
	return []Run{{}}
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
	return LineCount(count)
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
func (c *Chapter) around(p *Piece, f frame, first, last int, inner []Run, ref book.Reference) error {
	file := p.File
	owned := !c.Coverage.Shows(file, f.open)
	from := f.open
	if owned {
		from = f.decl.Line
		if err := c.Coverage.claim(file, f.decl.Line, f.open, ref); err != nil {
			return err
		}
		if err := c.Coverage.claim(file, f.close, f.close, ref); err != nil {
			return err
		}
	} else if f.decl.Body != nil {
		from = file.Line(file.Offset(f.decl.Node.Pos()))
	}
	p.Runs = append(p.Runs, LineRuns(file, from, f.open, true, owned)...)
	p.Runs = append(p.Runs, gapIn(file, f.open, first)...)
	p.Runs = append(p.Runs, inner...)
	p.Runs = append(p.Runs, gapIn(file, last, f.close)...)
	p.Runs = append(p.Runs, LineRuns(file, f.close, f.close, true, owned)...)
	return nil
}

// gapIn returns a gap for the lines that are left out between two others.
func gapIn(file *source.File, after, before int) []Run {
	for line := after + 1; line < before; line++ {
		if file.Owes(line) {
			text := file.Text(line)
			indent := text[:len(text)-len(strings.TrimLeft(text, "\t "))]
			return []Run{{Gap: indent + "… " + leftOut(file, after, before)}}
		}
	}
	return nil
}

func (c *Chapter) region(p *Piece, region *source.Region, ref book.Reference) error {
	if err := c.Coverage.claim(p.File, region.Line, region.EndLine, ref); err != nil {
		return fmt.Errorf("%s: %w", region.Name, err)
	}
	p.Id = ElementID(c.Name(p.File), region.Name)
	p.First, p.Last = region.Line, region.EndLine
	for p.First < p.Last && !p.File.Owes(p.First) {
		p.First++
	}
	for p.First < p.Last && !p.File.Owes(p.Last) {
		p.Last--
	}
	inner := LineRuns(p.File, p.First, p.Last, false, true)
	decl := p.File.Enclosing(region.Line, region.EndLine)
	if decl == nil {
		p.Runs = inner
		return nil
	}
	return c.around(p, frameOf(decl), p.First, p.Last, inner, ref)
}
