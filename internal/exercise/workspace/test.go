package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/exercise"
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
}

// An attempt is a test of an exercise under way.
type attempt struct {
	Tested    // what is known of it so far
	workspace *Workspace
	telling   Telling
	begun     time.Time
	run       testRun

	texts map[string][]byte // what the tests see in the place of files, by their absolute paths
	book  map[string][]byte // likewise, with the book's answer; nil: nobody looks
	alone bool              // the tests see no other exercise that is open

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
	a := attempt{workspace: w, telling: tell}
	err := w.doOrRead(ctx, func(s *session) error { return a.prepare(s, number, mine) })
	if err == nil && a.Exercise.Kind.Judged() {
		err = a.judge(ctx)
	}
	return a.Tested, err
}

// judge runs the tests, remembers their result and, if one fails, looks at it.
func (a *attempt) judge(ctx context.Context) error {
	a.telling.Begins(a.Tested)
	scratch, err := os.MkdirTemp("", "reconcile-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	a.begun = time.Now()
	a.run.binary = filepath.Join(scratch, "chapter.test")
	if err := a.runTests(ctx); err != nil || !a.Own && !a.Result.NoBuild {
		return err
	}
	err = a.workspace.doOrRead(ctx, a.remember)
	if err != nil || a.telling.Looks == nil || a.Result.Fail == 0 {
		return err
	}
	a.telling.Looks(a.Tested)
	if a.telling.Glances {
		a.Seen = a.glance(ctx)
		return ctx.Err()
	}
	a.Seen, err = a.see(ctx)
	return err
}

// remember notes the result of an attempt, which is one on the reader's functions.
func (a *attempt) remember(s *session) error {
	if a.Result.NoBuild {
		a.Gone = s.missingIn(a.Exercise.Chapter)
	}
	if !a.Own {
		return nil
	}
	if s.readOnly {
		s.Warn("nothing can be written here: this attempt is not counted")
	}
	record := s.progress.recordOf(a.Exercise.Number)
	if !a.Result.NoBuild && a.Result.Fail > 0 {
		a.Gained = slices.DeleteFunc(slices.Clone(record.Failing), func(test string) bool {
			return slices.Contains(a.failing, test) || !a.Exercise.Marked(test) // others have not run
		})
	}
	var like []string
	if a.LooksLike != nil {
		like = append(like, a.LooksLike.Name)
	}
	record.tested(a.Result.Passed(), a.Result.String(), a.failing, like)
	return nil
}

// build builds the tests, or finds out why they do not build.
func (a *attempt) build(ctx context.Context) error {
	if err := trial.Foreign(); err != nil {
		return err
	}
	w := a.workspace
	announce := time.AfterFunc(w.patience, func() { w.Warn(a.waitsFor) })
	again := time.AfterFunc(4*w.patience, func() {
		w.Warn("it still does: the first time that takes a minute or more, afterwards seconds")
	})
	output, err := trial.Build(ctx, a.run.folder, a.run.binary, a.texts)
	announce.Stop()
	again.Stop()
	if err == nil {
		return nil
	}
	if len(output) == 0 && ctx.Err() == nil {
		return fmt.Errorf("the tests cannot be built: %w", err) // there is no go, for one
	}
	a.Result.NoBuild, a.Compiler = true, compilerSays(string(output), a.Exercise.Path(""))
	if err := trial.Obstacle(ctx, a.run.folder, filepath.Dir(a.run.binary), a.Compiler, runtime.GOOS+"/"); err != nil {
		return err
	}
	for name, path := range a.imports {
		if strings.Contains(a.Compiler, "undefined: "+name+"\n") {
			a.Missing = append(a.Missing, path)
		}
	}
	slices.Sort(a.Missing)
	return ctx.Err()
}

// runTests builds and runs the tests: those that are marked and, if they pass, the
// others that reach the functions. With the reader's version of other exercises
// these may fail for their sake, and are not asked.
func (a *attempt) runTests(ctx context.Context) error {
	if err := a.build(ctx); err != nil || a.Result.NoBuild {
		return err
	}
	e := a.Exercise
	err := a.run.runMatching(ctx, e.TestPattern(), a.count)
	if marked := a.Result.Pass; err == nil && a.Result.Passed() && a.alone && len(e.Also) > 0 {
		a.run.short = true
		err = a.run.runMatching(ctx, e.AlsoPattern(), a.count)
		a.Also = a.Result.Pass - marked
	}
	if err == nil && a.Own && len(a.Empty) == 0 && e.Kind != exercise.Debug {
		a.LooksLike = e.LooksLike(exercise.Said(a.failures))
	}
	return err
}

// count counts a test that has ended.
func (a *attempt) count(t trial.Test) {
	if t.Passed {
		a.Result.Pass++
	} else {
		a.Result.Fail++
		a.failing = append(a.failing, t.Name)
		a.failures = append(a.failures, t.Failures...)
	}
	a.telling.Ended(t)
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
