// Package board shows an instructor where a class is: which exercise each
// participant works at, which test stops how many, and who has asked for help.
//
//	report.go   what a participant's lab sends: no code, and no name unless it is given
//	board.go    the reports of a class
//	seats.go    who has room on it, and who no longer
//	page.go     the board as a page, and in a terminal
//	timings.go  how long exercises took
//	form.go     what an instructor saw of that
package board

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"reconcile/internal/english"
	"reconcile/internal/exercise/numbering"
	"reconcile/internal/exercise/workspace"
)

// Flag is what a participant holds up.
type Flag string

// The flags: nothing, "I need help", "I'm done".
const (
	None  Flag = ""
	Red   Flag = "red"
	Green Flag = "green"
)

// Report is what a participant has done.
type Report struct {
	ID        string    `json:"id"`             // of the copy of the book: letters and digits without a meaning
	Name      string    `json:"name,omitempty"` // only if it was given
	Sent      time.Time `json:"sent"`
	Flag      Flag      `json:"flag,omitempty"`
	Exercises []Line    `json:"exercises"` // that were begun, in order
}

// Line is how far one exercise is.
type Line struct {
	Number    string    `json:"number"`
	Started   time.Time `json:"started,omitzero"` // zero if it was put back
	Tested    time.Time `json:"tested,omitzero"`  // last
	Passed    bool      `json:"passed,omitempty"`
	Peeked    bool      `json:"peeked,omitempty"`  // at the answer, before it passed
	Minutes   float64   `json:"minutes,omitempty"` // from the start until it passed
	Attempts  int       `json:"attempts,omitempty"`
	Hints     int       `json:"hints,omitempty"`
	Failing   []string  `json:"failing,omitempty"`    // tests, in the last run
	LooksLike []string  `json:"looks_like,omitempty"` // wrong answers, by name
}

// NewReport returns the report of a workspace.
func NewReport(id, name string, flag Flag, lines []workspace.Line, now time.Time) Report {
	r := Report{ID: id, Name: name, Sent: now.UTC(), Flag: flag}
	for _, l := range lines {
		if !l.IsStarted() && l.Attempts == 0 && l.Hints == 0 {
			continue
		}
		line := Line{
			Number: l.Exercise.Number, Started: l.Started, Tested: l.Tested,
			Passed: l.Done(), Peeked: l.Peeked, Attempts: l.Attempts, Hints: l.Hints,
		}
		if !line.Passed {
			line.Failing, line.LooksLike = l.Failing, l.LooksLike
		}
		if !l.Ended.IsZero() && !l.Started.IsZero() {
			line.Minutes = l.Ended.Sub(l.Started).Minutes()
		}
		r.Exercises = append(r.Exercises, line)
	}
	slices.SortFunc(r.Exercises, func(a, b Line) int { return numbering.Compare(a.Number, b.Number) })
	return r
}

// NewID returns an id for a copy of the book.
func NewID() string { return rand.Text()[:12] }

// A report has up to so many bytes, numbers up to so much, and of each exercise so
// many tests and wrong answers, of so many characters: more than any has.
const (
	largest    = 256 << 10
	highest    = 100_000
	mostNames  = 50
	longestOne = 120
)

// Read reads a report, and refuses what is none. What it returns can be printed: a
// character that moves the cursor, or changes what follows, is a space.
func Read(from io.Reader) (Report, error) {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	var r Report
	if err := d.Decode(&r); err != nil {
		return Report{}, fmt.Errorf("this is no report: %w", err)
	}
	switch {
	case !isID(r.ID):
		return Report{}, errors.New("this is no report: its id has up to 64 letters and digits")
	case len(r.Name) > 64:
		return Report{}, errors.New("this is no report: its name has up to 64 characters")
	case r.Flag != None && r.Flag != Red && r.Flag != Green:
		return Report{}, fmt.Errorf("there is no flag %q: there are red and green", r.Flag)
	}
	r.Name = english.Printable(r.Name)
	for i := range r.Exercises {
		l := &r.Exercises[i]
		if !isWithin(float64(l.Attempts)) || !isWithin(float64(l.Hints)) || !isWithin(l.Minutes) {
			return Report{}, fmt.Errorf("this is no report: its numbers are between 0 and %d", highest)
		}
		l.Number = numbering.Of(english.Printable(l.Number))
		l.Failing, l.LooksLike = names(l.Failing), names(l.LooksLike)
	}
	return r, nil
}

func isWithin(number float64) bool { return number >= 0 && number <= highest }

func isID(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// names returns what can be shown of them.
func names(all []string) []string {
	all = all[:min(len(all), mostNames)]
	for i, name := range all {
		name = english.Printable(name)
		if runes := []rune(name); len(runes) > longestOne {
			name = string(runes[:longestOne])
		}
		all[i] = name
	}
	return all
}

// within returns an error unless each line is about another exercise of the book.
func (r Report) within(book []string) error {
	seen := map[string]bool{}
	for _, l := range r.Exercises {
		if !slices.Contains(book, l.Number) {
			return fmt.Errorf("the book has no exercise %q", l.Number)
		}
		if seen[l.Number] {
			return fmt.Errorf("this is no report: exercise %s is in it twice", l.Number)
		}
		seen[l.Number] = true
	}
	return nil
}

// now returns the exercise that a participant works at: what was started last
// and hasn't passed or, if all have, what was started last.
func (r Report) now() *Line {
	var latest, open *Line
	for i := range r.Exercises {
		l := &r.Exercises[i]
		if latest == nil || l.Started.After(latest.Started) {
			latest = l
		}
		if !l.Passed && (open == nil || l.Started.After(open.Started)) {
			open = l
		}
	}
	if open != nil {
		return open
	}
	return latest
}

// last returns when something last happened.
func (r Report) last() time.Time {
	var last time.Time
	for _, l := range r.Exercises {
		for _, at := range []time.Time{l.Started, l.Tested} {
			if at.After(last) {
				last = at
			}
		}
	}
	return last
}
