package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

const (
	progressFile    = "progress.json"
	progressVersion = 2
)

// progress holds the records of all exercises, by number.
type progress struct {
	Version   int                `json:"version"`
	Exercises map[string]*Record `json:"exercises"`

	moved map[string]string // files that have another number in their name or marks, from the book's root; nil if none can have
}

// A Record holds all that is remembered of one exercise. Resetting it ends
// Started and Passed; the rest is history.
type Record struct {
	Started  time.Time         `json:"started,omitzero"`  // zero when it is not
	Files    []string          `json:"files,omitempty"`   // that were cut, from the book's root
	Stubs    map[string]string `json:"stubs,omitempty"`   // their digests, by function
	Passed   bool              `json:"passed,omitempty"`  // a test run since then
	Slipped  bool              `json:"slipped,omitempty"` // and the last one not: it stays passed all the same
	Peeked   bool              `json:"peeked,omitempty"`  // at the solution, before passing
	Hints    int               `json:"hints,omitempty"`   // given so far
	Attempts int               `json:"attempts,omitempty"`
	Last     string            `json:"last,omitempty"` // the verdict of the last test run

	Tested    time.Time `json:"tested,omitzero"`      // last
	Ended     time.Time `json:"ended,omitzero"`       // when it passed for the first time since it was started
	Failing   []string  `json:"failing,omitempty"`    // tests, in the last run
	LooksLike []string  `json:"looks_like,omitempty"` // wrong answers, by name; likewise
}

// State returns the state of an exercise in words.
func (r Record) State() string {
	passed := "passing"
	if r.Slipped {
		passed = "passed"
	}
	switch {
	case r.Passed && r.Peeked:
		return passed + " (peeked)"
	case r.Passed:
		return passed
	case r.Peeked:
		return "peeked"
	case r.IsStarted():
		return "started"
	}
	return "untouched"
}

// IsStarted reports whether the exercise's functions were cut and not reset.
func (r Record) IsStarted() bool { return !r.Started.IsZero() }

// passes reports whether the last test run passed: its functions do what they are to.
func (r Record) passes() bool { return r.Passed && !r.Slipped }

// recordOf returns the record of an exercise, to read and to change.
func (p *progress) recordOf(number string) *Record {
	if p.Exercises[number] == nil {
		p.Exercises[number] = new(Record)
	}
	return p.Exercises[number]
}

// tested reports whether any exercise's tests have been run.
func (p *progress) tested() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(p.Exercises)), func(r *Record) bool { return r.Attempts > 0 })
}

// tested notes the end of a test run.
func (r *Record) tested(passed bool, verdict string, failing, looksLike []string) {
	r.Attempts++
	r.Slipped, r.Passed = r.Passed && !passed, r.Passed || passed
	r.Last, r.Tested = verdict, time.Now().UTC()
	r.Failing, r.LooksLike = failing, looksLike
	if passed && r.Ended.IsZero() {
		r.Ended = r.Tested
	}
}

// openIn returns the started exercises that were cut out of a file.
func (p *progress) openIn(file string) []string {
	var numbers []string
	for number, record := range p.Exercises {
		if record.IsStarted() && slices.Contains(record.Files, file) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// openFiles returns the files that started exercises were cut out of.
func (p *progress) openFiles() []string {
	var files []string
	for _, record := range p.Exercises {
		if record.IsStarted() {
			files = append(files, record.Files...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func (p *progress) encode() []byte {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // strings, numbers and times
	}
	return append(text, '\n')
}

func newProgress() *progress {
	return &progress{Version: progressVersion, Exercises: make(map[string]*Record)}
}

// loadProgress reads the progress. A file that cannot be read is moved to the
// kept files, and reported: the next command begins anew.
func (w *Workspace) loadProgress() (*progress, error) {
	p, err := w.readProgress()
	if broken := new(brokenError); errors.As(err, &broken) {
		return nil, w.setAside(w.state(progressFile), broken.text, broken.cause)
	}
	if err == nil {
		err = w.moveRenumbered(p)
	}
	return p, err
}

// brokenError says that a file is no progress.
type brokenError struct {
	text  []byte
	cause error
}

// Error implements error.
func (e *brokenError) Error() string { return e.cause.Error() }

func (w *Workspace) readProgress() (*progress, error) {
	path := w.state(progressFile)
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	p := newProgress()
	if text != nil {
		err = json.Unmarshal(text, p)
	}
	switch {
	case err != nil:
		return nil, &brokenError{text, err}
	case p.Version > progressVersion:
		return nil, fmt.Errorf("%s was written by a newer edition of the book (version %d); "+
			"use that one, or move the file away to begin anew", w.relative(path), p.Version)
	}
	if p.Exercises == nil {
		p.Exercises = make(map[string]*Record)
	}
	if p.Version < progressVersion {
		p.renumber()
	}
	return p, nil
}

func (w *Workspace) setAside(path string, text []byte, why error) error {
	folder, err := w.newKept("progress", "unreadable")
	if err != nil {
		return err
	}
	aside := filepath.Join(folder, progressFile)
	var c change
	c.put(aside, text)
	c.remove(path)
	if err := w.carryOut(c); err != nil {
		return err
	}
	return fmt.Errorf("%s cannot be read: %w\nIt is now %s. Your code is as it was. Mend the file and move it back, "+
		"or run the command again to begin with no progress; `go run ./cmd/lab exercise reset` puts back what was started",
		w.relative(path), why, w.relative(aside))
}
