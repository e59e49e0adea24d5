package weave

import (
	"fmt"
	"slices"
	"strings"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// coverage knows, for every line of woven code, the reference by which the
// chapter shows it. Lines are those of the file.
type coverage struct {
	dir   string         // the chapter's
	owed  []*source.File // tests excepted
	given map[*source.File]bool
	shown map[*source.File]map[int]mention
	again map[*source.File]map[int]mention // where a page shows given code, the first time
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

func (c *Chapter) newCoverage() coverage {
	covered := coverage{
		dir: c.Dir, given: map[*source.File]bool{},
		shown: map[*source.File]map[int]mention{}, again: map[*source.File]map[int]mention{},
	}
	for p, file := range c.files() {
		switch {
		case c.leavesOut(p, file):
			covered.given[file] = true
		case !file.Test:
			covered.owed = append(covered.owed, file)
		}
	}
	return covered
}

// claim notes that a reference shows lines of a file. Given ones may be shown again.
func (c coverage) claim(file *source.File, first, last int, ref book.Reference) error {
	if c.given[file] {
		c.showAgain(file, first, last, ref)
		return nil
	}
	for line := first; line <= last; line++ {
		if !file.Owes(line) {
			continue
		}
		if before, shown := c.shown[file][line]; shown {
			return fmt.Errorf("%s: %s on the page already, by %s",
				file.Below(c.dir), lines(line, last), before.from(ref))
		}
	}
	c.show(file, first, last, ref)
	return nil
}

func (c coverage) show(file *source.File, first, last int, ref book.Reference) {
	if c.shown[file] == nil {
		c.shown[file] = map[int]mention{}
	}
	for line := first; line <= last; line++ {
		if file.Owes(line) {
			c.shown[file][line] = mentionOf(ref)
		}
	}
}

func (c coverage) showAgain(file *source.File, first, last int, ref book.Reference) {
	if c.again[file] == nil {
		c.again[file] = map[int]mention{}
	}
	for line := first; line <= last; line++ {
		if _, shown := c.again[file][line]; !shown {
			c.again[file][line] = mentionOf(ref)
		}
	}
}

// at returns where a line is shown, be it given.
func (c coverage) at(file *source.File, line int) (mention, bool) {
	if at, shown := c.shown[file][line]; shown {
		return at, true
	}
	at, shown := c.again[file][line]
	return at, shown
}

// shows reports whether a line is on a page.
func (c coverage) shows(file *source.File, line int) bool {
	_, shown := c.shown[file][line]
	return shown
}

// part returns the part that shows a line, or nil.
func (c coverage) part(file *source.File, line int) *book.Part {
	return c.shown[file][line].part
}

// began reports whether any line of a file is on a page.
func (c coverage) began(file *source.File) bool {
	return len(c.shown[file]) > 0
}

// missing reports the lines that no reference shows, run by run.
func (c coverage) missing() error {
	var errs []error
	for _, file := range c.owed {
		first := 0
		for line := 1; line <= file.Lines()+1; line++ {
			owed := line <= file.Lines() && file.Owes(line) && !c.shows(file, line)
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
func (c coverage) leavesDecl(file *source.File, line int) bool {
	return slices.ContainsFunc(file.Decls, func(d *source.Decl) bool { return d.Line == line })
}

func (c coverage) uncovered(file *source.File, first, last int) error {
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
