package source

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Problem is an error that its author can go to.
type Problem struct {
	File    string
	Line    int
	Message string
}

// Error returns `file:line: message`.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// At returns a Problem.
func At(file string, line int, format string, args ...any) error {
	return &Problem{File: file, Line: line, Message: fmt.Sprintf(format, args...)}
}

// Join does what errors.Join does, with every error once, ordered by file and
// line; errors that name neither come last.
func Join(errs ...error) error {
	all := Flatten(errs...)
	slices.SortStableFunc(all, func(a, b error) int {
		x, y := place(a), place(b)
		return cmp.Or(
			cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line),
			cmp.Compare(x.Message, y.Message))
	})
	all = slices.CompactFunc(all, func(a, b error) bool { return a.Error() == b.Error() })
	return errors.Join(all...)
}

// Flatten takes joined errors apart.
func Flatten(errs ...error) []error {
	var all []error
	for _, err := range errs {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = append(all, Flatten(joined.Unwrap()...)...)
		} else if err != nil {
			all = append(all, err)
		}
	}
	return all
}

var placed = regexp.MustCompile(`^(.+?):([0-9]+): (?s:(.*))$`)

// place reads back the file and line of an error, however it was made. U+FFFF
// sorts behind every file name.
func place(err error) Problem {
	if p, ok := err.(*Problem); ok {
		return *p
	}
	if m := placed.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[2]) // digits only; too many of them sort as 0
		return Problem{File: m[1], Line: line, Message: m[3]}
	}
	return Problem{File: "\uffff", Message: err.Error()}
}
