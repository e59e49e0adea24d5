package workspace

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
	"reconcile/internal/exercise/trial"
)

// Tested is the result of Test.
type Tested struct {
	Exercise *exercise.Exercise
	Started  bool
	Own      bool     // the functions are the reader's; otherwise they are the book's
	Empty    []string // functions that are still to be written
	Others   []string // open exercises that counted as the book has them

	Result    Result
	Also      int                   // tests that pass and are not marked
	Compiler  string                // its words; "" if it had none
	Missing   []string              // imports of the book's version that it calls undefined, as they stand there
	Gone      []string              // files that are missing in the chapter, if it does not build
	LooksLike *exercise.WrongAnswer // nil: none of which a name is known

	Compared *exercise.Comparison // of a prediction; nothing else is set then
	Seen     *Seen                // if a test fails and the telling looks
	Gained   []string             // tests that fail no more, since the last attempt

	imports  map[string]string // of the book's version, by name
	waitsFor string            // what a build that takes its time is about
	failing  []string          // the tests that do not pass
	failures []trial.Failure   // what they say
}

// A Telling is called as a test goes on.
type Telling struct {
	Begins func(Tested) // before the tests run
	Ended  func(trial.Test)
	// Looks is called with the verdict if a test fails; then that is run again, and
	// recorded. nil: it is not.
	Looks func(Tested)
	// Glances keeps the look short: only tests that fail are looked at, if all has
	// taken seconds so far, and the run of the book's answer is kept for the next time.
	Glances bool
}

// Test runs the tests of an exercise on the reader's functions, with the book's
// version of every other started exercise, or with mine on all that the reader
// wrote. It remembers the result if the functions are the reader's: the book's
// own do not count as passed.
func (w *Workspace) Test(ctx context.Context, number string, mine bool, tell Telling) (Tested, error) {
	var done Tested
	var sight sight
	err := w.look(ctx, func(s *session) (err error) {
		if done.Exercise, err = s.exercise(number); err == nil {
			sight, err = s.prepare(&done, mine, tell.Looks != nil)
		}
		return err
	})
	if err != nil || !done.Exercise.Kind.Judged() {
		return done, err
	}
	tell.Begins(done)
	scratch, err := os.MkdirTemp("", "reconcile-test-")
	if err != nil {
		return done, err
	}
	defer os.RemoveAll(scratch)
	run := testRun{
		binary: filepath.Join(scratch, "chapter.test"), folder: w.path(done.Exercise.Path("")), number: number,
	}
	begun := time.Now()
	if err := w.judge(ctx, &done, run, sight, tell.Ended); err != nil || !done.Own && !done.Result.NoBuild {
		return done, err
	}
	err = w.look(ctx, func(s *session) error { return s.remember(&done) })
	if err != nil || tell.Looks == nil || done.Result.Fail == 0 {
		return done, err
	}
	tell.Looks(done)
	if tell.Glances {
		done.Seen = w.glanceAt(ctx, done, run, sight, time.Since(begun))
		return done, ctx.Err()
	}
	if done.Seen, err = see(ctx, done, run, sight); done.Seen != nil {
		done.Seen.wants(done)
	}
	return done, err
}

// remember notes the result of an attempt, which is one on the reader's functions.
func (s *session) remember(done *Tested) error {
	if done.Result.NoBuild {
		done.Gone = s.missingIn(done.Exercise.Chapter)
	}
	if !done.Own {
		return nil
	}
	if s.readOnly {
		s.Warn("nothing can be written here: this attempt is not counted")
	}
	if record := s.progress.of(done.Exercise.Number); !done.Result.NoBuild && done.Result.Fail > 0 {
		done.Gained = slices.DeleteFunc(slices.Clone(record.Failing), func(test string) bool {
			return slices.Contains(done.failing, test) || !done.Exercise.Marked(test) // others have not run
		})
	}
	var like []string
	if done.LooksLike != nil {
		like = append(like, done.LooksLike.Name)
	}
	s.progress.of(done.Exercise.Number).tested(done.Result.Passed(), done.Result.String(), done.failing, like)
	return nil
}

// compare finds out whether the functions are the reader's or the book's.
func (s *session) compare(done *Tested) error {
	done.imports = make(map[string]string)
	if done.Exercise.Kind == exercise.Debug {
		done.Own = done.Started // mended, it is the book's
		return nil
	}
	stubs := s.progress.of(done.Exercise.Number).Stubs
	for file, functions := range filesOf(done.Exercise) {
		current, err := readFile(s.path(file))
		if err != nil {
			return err
		}
		reference, err := s.reference(file)
		if err != nil || reference == nil {
			return err // we cannot know: it is the book's
		}
		maps.Copy(done.imports, cut.Imports(reference))
		same, err := cut.Same(current, reference, functions)
		done.Own = done.Own || !same || err != nil
		for _, function := range functions {
			if text, err := cut.Function(current, function); err == nil && digest(cut.UnixLines(text)) == stubs[function] {
				done.Empty = append(done.Empty, function)
			}
		}
	}
	slices.Sort(done.Empty)
	return nil
}

// judge builds the tests and runs them.
func (w *Workspace) judge(ctx context.Context, done *Tested, run testRun, sight sight, ended func(trial.Test)) error {
	if err := trial.Foreign(); err != nil {
		return err
	}
	announce := time.AfterFunc(w.patience, func() { w.Warn(done.waitsFor) })
	again := time.AfterFunc(4*w.patience, func() {
		w.Warn("it still does: the first time that takes a minute or more, afterwards seconds")
	})
	output, err := trial.Build(ctx, run.folder, run.binary, sight.texts)
	announce.Stop()
	again.Stop()
	if err != nil && len(output) == 0 && ctx.Err() == nil {
		return fmt.Errorf("the tests cannot be built: %w", err) // there is no go, for one
	}
	if err != nil {
		done.Result.NoBuild, done.Compiler = true, compilerSays(string(output), done.Exercise.Path(""))
		if err := trial.Obstacle(ctx, run.folder, filepath.Dir(run.binary), done.Compiler, runtime.GOOS+"/"); err != nil {
			return err
		}
		for name, path := range done.imports {
			if strings.Contains(done.Compiler, "undefined: "+name+"\n") {
				done.Missing = append(done.Missing, path)
			}
		}
		slices.Sort(done.Missing)
		return ctx.Err()
	}
	return done.run(ctx, run, sight.alone, ended)
}

// run runs the tests that were built: those that are marked and, if they pass, the
// others that reach the functions. With the reader's version of other exercises
// these may fail for their sake, and are not asked.
func (done *Tested) run(ctx context.Context, run testRun, alone bool, ended func(trial.Test)) error {
	e := done.Exercise
	count := func(t trial.Test) {
		if t.Passed {
			done.Result.Pass++
		} else {
			done.Result.Fail++
			done.failing = append(done.failing, t.Name)
			done.failures = append(done.failures, t.Failures...)
		}
		ended(t)
	}
	err := run.tell(ctx, e.TestPattern(), count)
	if marked := done.Result.Pass; err == nil && done.Result.Passed() && alone && len(e.Also) > 0 {
		run.short = true
		err = run.tell(ctx, e.AlsoPattern(), count)
		done.Also = done.Result.Pass - marked
	}
	if err == nil && done.Own && len(done.Empty) == 0 && e.Kind != exercise.Debug {
		done.LooksLike = e.LooksLike(exercise.Said(done.failures))
	}
	return err
}

// Assertion returns what an exercise's test asks on the line that a failure names,
// "queue_test.go:40", and on those that it goes on; "" if it names none.
func (w *Workspace) Assertion(e *exercise.Exercise, at string) string {
	file, number, _ := strings.Cut(at, ":")
	text, err := readFile(w.path(e.Path(file)))
	n, bad := strconv.Atoi(number)
	lines := strings.Split(string(text), "\n")
	if err != nil || bad != nil || n < 1 || n > len(lines) {
		return ""
	}
	asked := ""
	for _, line := range lines[n-1:] {
		asked += " " + strings.TrimSpace(line)
		if strings.Count(asked, "(") <= strings.Count(asked, ")") {
			break
		}
	}
	return trial.Short(asked)
}

// compilerLines of errors are more than a reader reads.
const compilerLines = 10

// compilerSays names files from the book's root, and leaves out the package.
func compilerSays(output, folder string) string {
	var lines []string
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "FAIL") {
			continue
		}
		if file, ok := strings.CutPrefix(line, "./"); ok {
			line = folder + "/" + file
		}
		lines = append(lines, line)
	}
	if more := len(lines) - compilerLines; more > 0 {
		lines = append(lines[:compilerLines], fmt.Sprintf("… and %d more\n", more))
	}
	return strings.Join(lines, "")
}
