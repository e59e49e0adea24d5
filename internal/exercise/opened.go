package exercise

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/exercise/cut"
	"reconcile/internal/openexercises"
	"reconcile/internal/source"
)

// An Opening says which exercises are open when all tests of a package must
// come to an end.
type Opening string

const (
	OpenNone Opening = ""     // none: the tests are not run so
	OpenAll  Opening = "all"  // all at once, and one by one if the tests do not come to an end
	OpenEach Opening = "each" // all at once, and one by one
)

// Set implements a flag's value.
func (o *Opening) Set(text string) error {
	switch *o = Opening(text); *o {
	case OpenAll, OpenEach:
		return nil
	}
	return errors.New("all or each")
}

// String implements a flag's value.
func (o *Opening) String() string { return string(*o) }

// Type returns the name of a flag's value in the help of a command.
func (*Opening) Type() string { return "exercises" }

// Start returns a file of the exercise's as it is when the exercise is started:
// its functions are stubs or, to be debugged, have the fault in them.
func (e *Exercise) Start(text []byte, functions []string, origins *cut.Origins) ([]byte, error) {
	if e.Kind == Debug {
		return cut.Replace(text, e.Fault().Code, functions)
	}
	return cut.Cut(text, functions, e.Note(), origins)
}

// started returns the chapter with exercises started, in their order: a
// function that several of them have is the first one's.
func started(exercises []*Exercise, chapter string) (variant, error) {
	all := make(variant)
	for _, e := range exercises {
		dir := filepath.Join(chapter, filepath.FromSlash(e.Folder))
		origins := cut.NewOrigins(dir)
		for file, functions := range e.ByFile() {
			path := filepath.Join(dir, file.Name)
			now, known := all[path]
			if !known {
				now = edit{before: file.Content, after: file.Content}
			}
			functions = slices.DeleteFunc(functions, func(name string) bool {
				return slices.Contains(now.declarations, name)
			})
			text, err := e.Start(now.after, functions, origins)
			if err != nil {
				return nil, source.At(e.File, 1, "%s: %v", file.Name, err)
			}
			now.after, now.declarations = text, append(now.declarations, functions...)
			all[path] = now
		}
	}
	return all, nil
}

// openClaims returns claims about the tests of one folder's package while
// exercises are open: all that have a part in the chapter's code, and then
// those of the folder alone.
func openClaims(exercises []*Exercise, folder, chapter string, opening Opening) ([]*claim, error) {
	var together, alone []*Exercise
	for _, e := range exercises {
		switch {
		case e.Folder == folder:
			together, alone = append(together, e), append(alone, e)
		case !e.Apart() && !strings.HasPrefix(folder, "exercises/"):
			together = append(together, e)
		}
	}
	all, err := openClaim(chapter, together...)
	claims, errs := []*claim{all}, []error{err}
	if opening == OpenEach {
		for _, e := range alone {
			c, err := openClaim(chapter, e)
			claims, errs = append(claims, c), append(errs, err)
		}
	}
	if err := source.Join(errs...); err != nil {
		return nil, err
	}
	return claims, nil
}

// openClaim returns the claim about a chapter with exercises open.
func openClaim(chapter string, exercises ...*Exercise) (*claim, error) {
	c := &claim{about: "all exercises open", file: exercises[0].File, line: 1, open: exercises}
	if len(exercises) == 1 {
		c.about = "the stub of " + exercises[0].Number
	}
	var err error
	c.variant, err = started(exercises, chapter)
	return c, err
}

// opened returns the numbers of the exercises that are open, with commas between
// them.
func (c *claim) opened() string { return strings.Join(numbers(c.open), ",") }

func numbers(exercises []*Exercise) (all []string) {
	for _, e := range exercises {
		all = append(all, e.Number)
	}
	return all
}

// wholes times the time of one test is the time of all tests of a package.
const wholes = 12

// checkOpen runs all tests while exercises are open; if they do not come to an
// end, it finds out which exercises keep them from that. The run is a short
// one: a sample shows as well as all cases that tests come to an end.
func (p *prover) checkOpen(ctx context.Context, c *claim) error {
	a := p.start(ctx, c.binary, wholes*p.timeout, []string{openexercises.Env + "=" + c.opened()}, "-test.short")
	if a.inPeace() {
		return nil
	}
	var errs []error
	if len(c.open) > 1 {
		for _, e := range c.open {
			alone, err := openClaim(p.chapter, e)
			if err == nil {
				err = p.try(ctx, alone)
			}
			errs = append(errs, err)
		}
	}
	if err := source.Join(errs...); err != nil {
		return err
	}
	return c.problem("with %s, the whole chapter %s:\n%s", c.about, a.death(), indent(a.lastWords()))
}
