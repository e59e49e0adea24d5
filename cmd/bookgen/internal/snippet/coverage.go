package snippet

import (
	"fmt"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// Coverage knows, for every line of woven code, the reference by which the
// chapter shows it. Lines are those of the file.
type Coverage struct {
	dir   string         // the chapter's
	owed  []*source.File // tests excepted
	Given map[*source.File]bool
	Shown map[*source.File]map[int]mention
	Again map[*source.File]map[int]mention // where a page shows given code, the first time
}

// mention is the place of a reference.
type mention struct {
	part *book.Part // nil on the front page
	line int
}

func mentionOf(ref book.Reference) mention { return mention{ref.Part, ref.Line} }

// from names the place as seen from another.
func (m mention) from(ref book.Reference) string {
	if m.part != ref.Part {
		return fmt.Sprintf("the reference at %s:%d", m.part.Name, m.line)
	}
	return fmt.Sprintf("the reference at line %d", m.line)
}

func (c *Chapter) newCoverage() Coverage {
	covered := Coverage{
		dir: c.Dir, Given: map[*source.File]bool{},
		Shown: map[*source.File]map[int]mention{}, Again: map[*source.File]map[int]mention{},
	}
	for p, file := range c.Files() {
		switch {
		case c.leavesOut(p, file):
			covered.Given[file] = true
		case !file.Test:
			covered.owed = append(covered.owed, file)
		}
	}
	return covered
}

// claim notes that a reference shows lines of a file. Given ones may be shown again.
func (c Coverage) claim(file *source.File, first, last int, ref book.Reference) error {
	if c.Given[file] {
		c.showAgain(file, first, last, ref)
		return nil
	}
	for line := first; line <= last; line++ {
		if !file.Owes(line) {
			continue
		}
		if before, shown := c.Shown[file][line]; shown {
			return fmt.Errorf("%s: %s on the page already, by %s",
				file.Below(c.dir), lines(line, last), before.from(ref))
		}
	}
	c.show(file, first, last, ref)
	return nil
}

func (c Coverage) show(file *source.File, first, last int, ref book.Reference) {
	if c.Shown[file] == nil {
		c.Shown[file] = map[int]mention{}
	}
	for line := first; line <= last; line++ {
		if file.Owes(line) {
			c.Shown[file][line] = mentionOf(ref)
		}
	}
}

func (c Coverage) showAgain(file *source.File, first, last int, ref book.Reference) {
	if c.Again[file] == nil {
		c.Again[file] = map[int]mention{}
	}
	for line := first; line <= last; line++ {
		if _, shown := c.Again[file][line]; !shown {
			c.Again[file][line] = mentionOf(ref)
		}
	}
}

// at returns where a line is shown, be it given.
func (c Coverage) at(file *source.File, line int) (mention, bool) {
	if at, shown := c.Shown[file][line]; shown {
		return at, true
	}
	at, shown := c.Again[file][line]
	return at, shown
}

// Shows reports whether a line is on a page.
func (c Coverage) Shows(file *source.File, line int) bool {
	_, shown := c.Shown[file][line]
	return shown
}

// Part returns the part that shows a line, or nil.
func (c Coverage) Part(file *source.File, line int) *book.Part {
	return c.Shown[file][line].part
}

// began reports whether any line of a file is on a page.
func (c Coverage) began(file *source.File) bool {
	return len(c.Shown[file]) > 0
}

// Missing reports the lines that no reference shows, run by run.
func (c Coverage) Missing() error {
	var errs []error
	for _, file := range c.owed {
		first := 0
		for line := 1; line <= file.Lines()+1; line++ {
			owed := line <= file.Lines() && file.Owes(line) && !c.Shows(file, line)
			breaks := !owed && (line > file.Lines() || file.Owes(line)) || first > 0 && c.leavesDecl(file, line)
			if first > 0 && breaks {
				errs = append(errs, c.uncovered(file, first, line-1))
				first = 0
			}
			if first == 0 && owed {
				first = line
			}
		}
	}
	return source.Join(errs...)
}

// leavesDecl reports whether a line begins another declaration.
func (c Coverage) leavesDecl(file *source.File, line int) bool {
	return slices.ContainsFunc(file.Decls, func(d *source.Decl) bool { return d.Line == line })
}

func (c Coverage) uncovered(file *source.File, first, last int) error {
	for !file.Owes(last) {
		last--
	}
	name := ""
	if decl := file.Enclosing(first, last); decl != nil {
		name = " (" + decl.Name + ")"
	}
	return source.At(file.Path, first, "%s on no page", lines(first, last, name))
}

// lines returns the beginning of a sentence about lines, and about the names in
// them.
func lines(first, last int, of ...string) string {
	if first == last {
		return fmt.Sprintf("line %d%s is", first, strings.Join(of, ""))
	}
	return fmt.Sprintf("lines %d–%d%s are", first, last, strings.Join(of, ""))
}
