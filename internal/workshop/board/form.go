package board

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"reconcile/internal/exercise/numbering"
)

// Form is what an instructor saw when a course was taught.
type Form struct {
	Course  string               `yaml:"course"`
	Taught  string               `yaml:"taught"` // when
	People  int                  `yaml:"people"`
	Minutes map[string][]float64 `yaml:"minutes"` // of each who passed, by the exercise's number
	Said    string               `yaml:"said"`    // and what went wrong
}

// Planned is an exercise of a course, with the minutes that the book says.
type Planned struct {
	Number, Title string
	Minutes       int
}

// PrintForm writes the form of a course, to be filled in. Form reads it.
func PrintForm(to io.Writer, course string, exercises []Planned) error {
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(to, format+"\n", args...)
		errs = append(errs, err)
	}
	line("# What happened. Fill in what you know, and leave the rest as it is;")
	line("# `lab workshop timings` makes medians of it.")
	line("course: %s", course)
	line("taught:    # the day, 2027-03-14")
	line("people: 0  # who came")
	line("")
	line("# Minutes from the start until it passed, one number for each whom you watched:")
	line("# [12, 9.5, 20]. Nobody who gave up, or looked at the answer.")
	line("minutes:")
	for _, e := range exercises {
		line("  %q: []  # %s; the book says %d", e.Number, e.Title, e.Minutes)
	}
	line("")
	line("# Where they got lost, what they asked, what you'd leave out the next time.")
	line("said: |")
	line("  ")
	return errors.Join(errs...)
}

// ReadForm reads a form. Which exercises there are, the book says.
func ReadForm(from io.Reader, book map[string]int) (Form, error) {
	d := yaml.NewDecoder(from)
	d.KnownFields(true)
	var f Form
	if err := d.Decode(&f); err != nil {
		return Form{}, fmt.Errorf("this is no form of `lab workshop timings --form`: %w", err)
	}
	all := make(map[string][]float64)
	for said, minutes := range f.Minutes {
		number := numbering.Of(said)
		if _, ok := book[number]; !ok {
			return Form{}, fmt.Errorf("the book has no exercise %q", said)
		}
		all[number] = append(all[number], minutes...)
		if slices.Min(append([]float64{1}, minutes...)) <= 0 {
			return Form{}, fmt.Errorf("exercise %s took nobody as little as nothing: minutes are numbers above 0", number)
		}
	}
	f.Minutes = all
	return f, nil
}

// Reports returns what a form says as reports, each of one person and an exercise.
func (f Form) Reports() []Report {
	var all []Report
	for _, number := range slices.SortedFunc(maps.Keys(f.Minutes), numbering.Compare) {
		for _, minutes := range f.Minutes[number] {
			all = append(all, Report{Exercises: []Line{{Number: number, Passed: true, Minutes: minutes}}})
		}
	}
	return all
}
