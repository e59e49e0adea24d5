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

// Recorded is a cluster's record, as package trace writes it.
type Recorded struct {
	openexercises.Record
	JSON []byte
}

// see runs the tests that fail again, recorded, and the first of them that has a
// cluster with the book's answer, too. Marked tests are often of a function alone: if
// none that fails has a cluster, the other tests that reach the function show what it
// does to one.
func see(ctx context.Context, done Tested, run testRun, sight sight) (*Seen, error) {
	e, scratch := done.Exercise, filepath.Dir(run.binary)
	run.short, run.records = !e.Marked(done.failing[0]), filepath.Join(scratch, "mine")
	mine, failed, err := run.record(ctx, exercise.AnyOf(done.failing))
	if err == nil && len(mine) == 0 && !run.short && sight.alone {
		var more []string
		run.short = true
		mine, more, err = run.record(ctx, e.AlsoPattern())
		failed = append(failed, more...)
	}
	if err != nil {
		return nil, err
	}
	run.binary, run.records = filepath.Join(scratch, "book.test"), filepath.Join(scratch, "book")
	if output, err := trial.Build(ctx, run.folder, run.binary, sight.book); err != nil {
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("with the book's answer the tests do not build: %w\n%s", err, output))
	}
	for _, name := range failed {
		if of := mine.of(name); len(of) > 0 {
			book, _, err := run.record(ctx, exercise.AnyOf([]string{name}))
			return seen(e, name, of.list(failed), book.list(failed)), err
		}
	}
	book, _, err := run.record(ctx, e.TestPattern()+"|"+e.AlsoPattern())
	for _, name := range failed {
		if of := book.of(name); len(of) > 0 {
			return &Seen{Test: name, Book: of.list(failed)}, err
		}
	}
	return &Seen{Clusters: book.tests()}, err
}

// seen returns a test with its clusters.
func seen(e *exercise.Exercise, test string, mine, book []Recorded) *Seen {
	s := &Seen{Test: test, Mine: mine, Book: book}
	for _, fn := range e.Functions {
		s.Functions = append(s.Functions, fn.Name[strings.LastIndex(fn.Name, ".")+1:])
	}
	return s
}

// wants says what a test wanted, by its first failure.
func (s *Seen) wants(done Tested) {
	for _, f := range done.failures {
		if top, _, _ := strings.Cut(f.Test, "/"); top == s.Test {
			s.Wanted = strings.TrimSpace(PlaceOf(done.Exercise, f) + "  " + f.Says)
			return
		}
	}
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
	err = r.tell(ctx, pattern, func(t trial.Test) {
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

// of returns the records of a test and of its subtests.
func (r records) of(test string) records {
	of := maps.Clone(r)
	maps.DeleteFunc(of, func(record openexercises.Record, _ []byte) bool { return openexercises.TopOf(record.Test) != test })
	return of
}

// tests returns the tests that have clusters.
func (r records) tests() (names []string) {
	for record := range r {
		names = append(names, openexercises.TopOf(record.Test))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// list returns all records, beginning with those of subtests that failed.
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
