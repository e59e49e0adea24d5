// Package slider has forms below figures. A reader sets a few values, the chapter's
// own code runs with them in the page, and what comes out is drawn in the figure's
// place, by the code that has drawn the figure.
//
// A slider is declared, with what it draws, in a package of its chapter below this
// folder, which links the chapter. Pages need its form alone, and the book links no
// chapter: so the forms are recorded in forms.json.
//
// In reading order: slider.go (what a slider is), form.go (its form on a page),
// serve.go (the sliders, in a page's worker), page (the module that has all of them).
package slider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"reconcile/cmd/bookgen/internal/figure"
)

// Slider draws a run of a chapter's code.
type Slider struct {
	Name   string
	Inputs []Input
	// Draw runs the code with a value for each input, and returns the figure. An
	// error is what a reader is told in its place. The test is for bubbles.
	Draw func(t *testing.T, values map[string]string) (html string, err error)
	// Never has values with which Draw returns an error, whatever the others are: a form
	// says that before anything is fetched.
	Never map[string]string
}

// Figure draws the result of a run, as bookgen draws a recorded one. name begins the ids
// of the figure; says describes it for readers who cannot see it.
func Figure(kind, name string, run any, says string) (html string, err error) {
	data, err := json.Marshal(run)
	if err != nil {
		return "", err
	}
	return figure.Render(kind, data, name, says)
}

// Input is a value that a reader can set.
type Input struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`
	Kind    string   `json:"kind"` // range, choice, check
	Min     int      `json:"min,omitempty"`
	Max     int      `json:"max,omitempty"`
	Options []string `json:"options,omitempty"`
	Default string   `json:"default"` // of a check: on, or nothing
}

// Check returns an error if there is not a value for each input that its form
// could have sent.
func (s Slider) Check(values map[string]string) error {
	for _, in := range s.Inputs {
		value := values[in.Name]
		ok := false
		switch in.Kind {
		case "range":
			n, err := strconv.Atoi(value)
			ok = err == nil && n >= in.Min && n <= in.Max
		case "choice":
			ok = slices.Contains(in.Options, value)
		case "check":
			ok = value == "" || value == "on"
		}
		if !ok {
			return fmt.Errorf("%s cannot be %q", in.Name, value)
		}
	}
	return nil
}

// Defaults returns the values of a form that was not touched.
func (s Slider) Defaults() map[string]string {
	values := map[string]string{}
	for _, in := range s.Inputs {
		values[in.Name] = in.Default
	}
	return values
}
