package snippet

import (
	"fmt"
	"slices"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/internal/source"
)

// A chapter's core is the code that it is about: each line of it stands on a page,
// open, once. All else is given: it is a click away, and pages may show any of it, as
// often as they like.

// leavesOut reports whether a file is not in the core of its chapter.
func (c *Chapter) leavesOut(p *Program, file *source.File) bool {
	return !file.Test && !slices.Contains(c.Core, c.Name(file)) && !slices.Contains(c.Core, p.Folder)
}

// MissingCore reports what is named as core, and is not there.
func (c *Chapter) MissingCore() error {
	var errs []error
	for i, name := range c.Core {
		switch {
		case slices.Contains(c.Core[:i], name):
			errs = append(errs, c.coreError("%s is there twice", name))
		case c.file(name) == nil && (name == "" || c.Program(name) == nil):
			errs = append(errs, c.coreError("there is neither a Go file nor a package %s", name))
		}
	}
	return source.Join(errs...)
}

// coreError returns a problem with what front matter says of the core.
func (c *Chapter) coreError(format string, args ...any) error {
	return source.At(c.Parts[0].Document.File, 1, "core: "+format, args...)
}

// givenPiece shows code that the chapter leans on.
func (c *Chapter) givenPiece(file *source.File, ref book.Reference) (*Piece, error) {
	p := &Piece{File: file}
	if err := c.fill(p, ref); err != nil {
		return nil, err
	}
	p.Signature = true
	p.Visit(c)
	return p, nil
}

// Core says how large the core of a chapter is.
type Core struct {
	Chapter            *book.Chapter
	Lines, Files, Most int
	Over               []error
}

// Measured returns the size of the chapter's core, in lines that are not empty.
func (c *Chapter) Measured() Core {
	core := Core{Chapter: c.Chapter, Most: c.CoreLines}
	for _, file := range c.Coverage.owed {
		core.Files++
		core.Lines += Owed(file)
	}
	if core.Most > 0 && core.Lines > core.Most {
		core.Over = []error{c.coreError("%s: book.md says at most %s", LineCount(core.Lines), Thousands(fmt.Sprint(core.Most)))}
	}
	return core
}

// Owed counts the lines of a file that a page would have to show: none of a test.
func Owed(file *source.File) int {
	lines := 0
	for line := 1; line <= file.Lines() && !file.Test; line++ {
		if file.Owes(line) {
			lines++
		}
	}
	return lines
}
