package source

import (
	"slices"
	"strings"

	"reconcile/internal/exercise/numbering"
)

// A directive is a comment line for the book alone; no page shows it.
//
//	//book:exercise 1c       in a doc comment: cut this, or judge by this
//	//book:region name        begins a region
//	//book:end                ends it
type directive struct {
	line           int
	verb, argument string
}

const directivePrefix = "//book:"

func (f *File) findDirectives() error {
	var errs []error
	for _, group := range f.Syntax.Comments {
		for _, comment := range group.List {
			rest, ok := strings.CutPrefix(comment.Text, directivePrefix)
			if !ok {
				continue
			}
			verb, argument, _ := strings.Cut(strings.TrimSpace(rest), " ")
			d := directive{line: f.tok.Line(comment.Pos()), verb: verb, argument: strings.TrimSpace(argument)}
			f.directives = append(f.directives, d)
			errs = append(errs, f.checkDirective(d))
		}
	}
	return Join(errs...)
}

func (f *File) checkDirective(d directive) error {
	switch {
	case !strings.HasPrefix(strings.TrimSpace(f.Text(d.line)), directivePrefix):
		return At(f.Path, d.line, "//book:%s must stand on a line of its own", d.verb)
	case d.verb == "exercise" && !numbering.Is(d.argument):
		return At(f.Path, d.line, "//book:exercise needs a number such as 1c, not %q", d.argument)
	case d.verb == "region" && (d.argument == "" || strings.ContainsAny(d.argument, " ,.#")):
		return At(f.Path, d.line, "//book:region needs a name of one word, not %q", d.argument)
	case d.verb == "end" && d.argument != "":
		return At(f.Path, d.line, "//book:end takes no name, not %q", d.argument)
	case !slices.Contains([]string{"exercise", "region", "end"}, d.verb):
		return At(f.Path, d.line, "//book:%s is not known: there are exercise, region and end", d.verb)
	}
	return nil
}

// IsDirective reports whether a line is for the book alone.
func (f *File) IsDirective(line int) bool {
	return slices.ContainsFunc(f.directives, func(d directive) bool { return d.line == line })
}

// Answers reports whether a name is that of a function to write in an exercise.
func (f *File) Answers(name string) bool {
	return !f.Test && slices.ContainsFunc(f.lookup(name), func(d *Decl) bool { return d.Exercise != "" })
}

// findExercises gives each declaration the number in its doc comment.
func (f *File) findExercises() error {
	var errs []error
	for _, d := range f.directives {
		if d.verb != "exercise" {
			continue
		}
		decl := f.declAt(d.line)
		switch {
		case decl == nil || decl.Body == nil || d.line >= f.tok.Line(decl.Node.Pos()):
			errs = append(errs, At(f.Path, d.line, "//book:exercise %s is not in the doc comment of a function", d.argument))
		case decl.Exercise != "":
			errs = append(errs, At(f.Path, d.line, "%s is already marked as exercise %s", decl.Name, decl.Exercise))
		default:
			decl.Exercise = d.argument
		}
	}
	return Join(errs...)
}
