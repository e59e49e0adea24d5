package workspace

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/trial"
	"reconcile/internal/openexercises"
)

// Seen is a test that fails, as its clusters recorded it: with the reader's functions,
// and with the book's.
type Seen struct {
	Test       string     // the first that fails and has a cluster; "": none has
	Wanted     string     // where it fails, and what it wanted: "plan_test.go:13  wanted 2, got 1"
	Functions  []string   // those of the exercise
	Mine, Book []Recorded // its clusters, those of subtests that fail first; no Mine: it died
	// Clusters are the exercise's tests that have one, if none that fails has.
	Clusters []string
}

// Recorded is a cluster's record, as package look writes it.
type Recorded struct {
	openexercises.Record
	JSON []byte
}

// see runs the tests that fail again, recorded, and the first of them that has a
// cluster with the book's answer, too. Marked tests are often of a function alone: if
// none that fails has a cluster, the other tests that reach the function show what it
// does to one.
func (a *attempt) see(ctx context.Context) (*Seen, error) {
	mine, failed, err := a.recordFailing(ctx)
	if err == nil && len(mine) == 0 && !a.run.short && a.alone {
		var more []string
		a.run.short = true
		mine, more, err = a.run.record(ctx, a.Exercise.AlsoPattern())
		failed = append(failed, more...)
	}
	if err == nil {
		err = a.buildBook(ctx)
	}
	if err != nil {
		return nil, err
	}
	if test, clusters := mine.firstOf(failed); test != "" {
		book, _, err := a.run.record(ctx, exercise.AnyOf([]string{test}))
		return a.seen(test, clusters, book.list(failed)), err
	}
	book, _, err := a.run.record(ctx, a.Exercise.TestPattern()+"|"+a.Exercise.AlsoPattern())
	if test, clusters := book.firstOf(failed); test != "" {
		return &Seen{Test: test, Wanted: a.wanted(test), Book: clusters}, err
	}
	return &Seen{Clusters: book.tests()}, err
}

// recordFailing runs the tests that fail again, recorded.
func (a *attempt) recordFailing(ctx context.Context) (mine records, failed []string, err error) {
	a.run.short = !a.Exercise.Marked(a.failing[0])
	a.run.records = filepath.Join(filepath.Dir(a.run.binary), "mine")
	return a.run.record(ctx, exercise.AnyOf(a.failing))
}

// buildBook builds the tests with the book's answer, which further runs are of.
func (a *attempt) buildBook(ctx context.Context) error {
	scratch := filepath.Dir(a.run.binary)
	a.run.binary, a.run.records = filepath.Join(scratch, "book.test"), filepath.Join(scratch, "book")
	if output, err := trial.Build(ctx, a.run.folder, a.run.binary, a.book); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("with the book's answer the tests do not build: %w\n%s", err, output))
	}
	return nil
}

// seen returns a test with its clusters.
func (a *attempt) seen(test string, mine, book []Recorded) *Seen {
	s := &Seen{Test: test, Wanted: a.wanted(test), Mine: mine, Book: book}
	for _, fn := range a.Exercise.Functions {
		s.Functions = append(s.Functions, fn.Name[strings.LastIndex(fn.Name, ".")+1:])
	}
	return s
}

// wanted returns what a test wanted, by its first failure.
func (a *attempt) wanted(test string) string {
	for _, f := range a.failures {
		if top, _, _ := strings.Cut(f.Test, "/"); top == test {
			return strings.TrimSpace(PlaceOf(a.Exercise, f) + "  " + f.Says)
		}
	}
	return ""
}

// PlaceOf returns the line of an exercise's test at which a failure is.
func PlaceOf(e *exercise.Exercise, f trial.Failure) string {
	test, _, _ := strings.Cut(f.Test, "/")
	if decl := e.Test(test); decl != nil {
		return f.Within(decl.File.Name, decl.Line, decl.EndLine)
	}
	return f.At
}

// records are those of clusters, as JSON.
type records map[openexercises.Record][]byte

// record runs tests and returns the records of their clusters, and the names of those
// that failed and of their subtests.
func (r testRun) record(ctx context.Context, pattern string) (all records, failed []string, err error) {
	if err := os.MkdirAll(r.records, 0o755); err != nil {
		return nil, nil, err
	}
	err = r.runMatching(ctx, pattern, func(t trial.Test) {
		if !t.Passed {
			failed = append(failed, t.Name)
		}
		for _, failure := range t.Failures {
			failed = append(failed, failure.Test)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	all, err = recordsIn(r.records)
	return all, failed, err
}

func recordsIn(folder string) (records, error) {
	all := make(records)
	files, err := os.ReadDir(folder)
	for _, file := range files {
		if record, ok := openexercises.RecordOf(file.Name()); ok && err == nil {
			all[record], err = os.ReadFile(filepath.Join(folder, file.Name()))
		}
	}
	return all, err
}

// firstOf returns the first test that failed and has clusters, with these and those of
// its subtests; "": none has.
func (r records) firstOf(failed []string) (test string, clusters []Recorded) {
	for _, test := range failed {
		of := maps.Clone(r)
		maps.DeleteFunc(of, func(record openexercises.Record, _ []byte) bool { return openexercises.TopOf(record.Test) != test })
		if len(of) > 0 {
			return test, of.list(failed)
		}
	}
	return "", nil
}

// tests returns the tests that have clusters.
func (r records) tests() (names []string) {
	for record := range r {
		names = append(names, openexercises.TopOf(record.Test))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// list returns all, those of subtests that failed first.
func (r records) list(failed []string) (all []Recorded) {
	for record, text := range r {
		all = append(all, Recorded{record, text})
	}
	passed := func(r Recorded) int {
		if strings.Contains(r.Test, "/") && slices.Contains(failed, r.Test) {
			return 0
		}
		return 1
	}
	slices.SortFunc(all, func(a, b Recorded) int {
		return cmp.Or(cmp.Compare(passed(a), passed(b)), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Cluster, b.Cluster))
	})
	return all
}
