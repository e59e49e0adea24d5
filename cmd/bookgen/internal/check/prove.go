package check

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"reconcile/cmd/bookgen/internal/build"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
	"reconcile/internal/workshop/course"
)

// prove proves the exercises of all chapters, and returns a summary of the
// proofs. An author's mistake is most often in what was just written: exercises that
// have changed come first, and while one has a problem, no others are proven.
func prove(ctx context.Context, o build.Options, chapters []string, options exercise.Options) (string, error) {
	options.Memory, options.Progress = o.Cache, say(o.Progress)
	trees, err := checkpoints(o)
	if err != nil {
		return "", err
	}
	options.Trees, options.Changed = trees, true
	changed, err := proveChapters(ctx, chapters, options)
	if err != nil {
		return "", err
	}
	options.Changed = false
	sum, err := proveChapters(ctx, chapters, options)
	sum.Built, sum.Started = sum.Built+changed.Built, sum.Started+changed.Started
	return fmt.Sprintf("%d exercises: %d tests pass on the answers, unmarked ones judge %d times more (%d times they are too slow), %d stubs and %d faults fail, "+
		"%d wrong answers are caught and known again, %d others are caught and taken for none of these, %d other right answers pass, %d wrong predictions part from the run, %d needs are all there are, %d checkpoints are as far as they say (%d builds and %d runs of tests now)",
		sum.Exercises, sum.Tests, sum.Also, sum.TooSlow, sum.Stubs, sum.Faults, sum.WrongAnswers, sum.Nameless, sum.RightAnswers, sum.Predictions, sum.Needs, len(trees),
		sum.Built, sum.Started), err
}

// proveChapters proves the exercises of all chapters, and adds up the reports.
func proveChapters(ctx context.Context, chapters []string, options exercise.Options) (sum exercise.Report, err error) {
	var errs []error
	for _, dir := range chapters {
		report, err := exercise.Prove(ctx, dir, options)
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		errs = append(errs, err)
		sum.Exercises += report.Exercises
		sum.Tests += report.Tests
		sum.Also += report.Also
		sum.TooSlow += report.TooSlow
		sum.Stubs += report.Stubs
		sum.Faults += report.Faults
		sum.WrongAnswers += report.WrongAnswers
		sum.Nameless += report.Nameless
		sum.RightAnswers += report.RightAnswers
		sum.Predictions += report.Predictions
		sum.Needs += report.Needs
		sum.Built += report.Built
		sum.Started += report.Started
	}
	return sum, source.Join(errs...)
}

// checkpoints returns the trees in which the sessions of courses begin.
func checkpoints(o build.Options) ([]exercise.Tree, error) {
	courses, _, err := course.Load(filepath.Join(o.Root, course.Folder))
	var trees []exercise.Tree
	for _, c := range courses {
		for _, point := range c.Checkpoints() {
			trees = append(trees, exercise.Tree{
				Name: "checkpoint " + point.Name, File: c.File, Line: point.Session.Line, Before: point.Before, Begins: point.Begins,
			})
		}
	}
	return trees, err
}

// say reports progress once a second; proofs that are remembered go by in no
// time.
func say(w io.Writer) func(exercise.Progress) {
	last := time.Now()
	return func(p exercise.Progress) {
		if w != nil && time.Since(last) > time.Second {
			last = time.Now()
			fmt.Fprintf(w, "proving exercises: %d of %d, %s\n", p.Done, p.Total, p.Claim)
		}
	}
}
