// Package slider is what a page's forms are made of that have a figure drawn
// anew: a reader sets a few values, the chapter's own code runs with them in the
// page, and its answer takes the place of the recorded one.
package slider

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// Slider is one such form.
type Slider struct {
	Name   string
	Inputs []Input
	// Draw runs with a value for each input, and returns the figure. The test
	// is for bubbles.
	Draw func(t *testing.T, values map[string]string) (html string, err error)
}

// The kinds of inputs.
const (
	Range  = "range"  // a number from Min to Max, in steps of Step
	Choice = "choice" // one of Options
	Check  = "check"  // true or false
)

// Input is one value that a reader sets.
type Input struct {
	Name, Label, Kind, Default string
	Min, Max, Step             int
	Options                    []string
}

// Number returns a range's value.
func (i Input) Number(values map[string]string) (int, error) {
	n, err := strconv.Atoi(values[i.Name])
	if err != nil || n < i.Min || n > i.Max {
		return 0, fmt.Errorf("%s is %q, and no number from %d to %d", i.Label, values[i.Name], i.Min, i.Max)
	}
	return n, nil
}

// Word returns a choice's value.
func (i Input) Word(values map[string]string) (string, error) {
	if word := values[i.Name]; slices.Contains(i.Options, word) {
		return word, nil
	}
	return "", fmt.Errorf("%s is %q, and none of %q", i.Label, values[i.Name], i.Options)
}

// Defaults returns the values that a form begins with.
func (s *Slider) Defaults() map[string]string {
	values := map[string]string{}
	for _, i := range s.Inputs {
		values[i.Name] = i.Default
	}
	return values
}
