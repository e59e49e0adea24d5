package exercise

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"reconcile/internal/diskcache"
	"reconcile/internal/source"
)

// Options of a proof. The zero value is the one that bookgen check uses.
type Options struct {
	Memory   string         // a cache, whose folder proofs has earlier proofs; "": the user's
	Timeout  time.Duration  // for one test; zero: 20 s
	Progress func(Progress) // called after each step, one call at a time
	Open     Opening        // which exercises are open when the whole chapter must come to an end
	Trees    []Tree         // in which a reader may begin
	Changed  bool           // proves only exercises whose own text is not that of an earlier proof
	Update   bool           // writes what the tests say of wrong answers, and record of faults, rather than compare it

	proofs *diskcache.Cache // of Memory
}

// Progress says how far a proof is.
type Progress struct {
	Done, Total int
	Claim       string // "the stub of 1c"
	Remembered  bool   // proven by an earlier run
}

// A Report counts what Prove has proven; with an error, what it was to prove.
type Report struct {
	Exercises    int
	Tests        int // that judge, all passing on the reference
	Also         int // that judge without a mark
	TooSlow      int // that would, and take too long
	Stubs        int // each fails each of its tests
	Faults       int // each fails each of its tests
	WrongAnswers int // each caught by the tests it names
	Nameless     int // wrong answers, each caught and taken for none of these
	RightAnswers int // besides the book's, each passing all that judges its exercise
	Predictions  int // wrong ones, each parting from the run where it says
	Needs        int // each fails the tests of the exercise that has it; nothing else does
	Remembered   int // claims that needed no run
	Built        int // test binaries
	Started      int // processes of these
	Took         time.Duration
}

// atOnce is how many claims are checked at a time.
const atOnce = 2

// Prove runs what the exercises of a chapter claim, and touches no file of it:
//
//   - the tests that judge pass on the chapter as it is;
//   - with an exercise's functions cut, the chapter compiles and each of the
//     exercise's tests fails by its own assertion: a panic, a time-out or a build
//     error teach a reader nothing;
//   - with the fault of an exercise in debugging in its place, each of the
//     exercise's tests fails in the same way, and the run that they record is
//     the one that the exercise shows;
//   - each wrong answer differs from the right one, compiles, and fails each
//     test that is said to catch it, by that test's own assertion;
//   - each test of the package passes alone, and reaches the functions of those
//     exercises that are recorded: these it judges, too;
//   - the words of the tests that judge it are those that are recorded, and no other
//     wrong answer that is kept is taken for it;
//   - each right answer besides the book's differs from that, compiles, and passes
//     the tests that judge its exercise;
//   - the tests of an exercise pass while all earlier ones of the chapter are open
//     but those that it needs, and fail while one of these is;
//   - in each tree that was asked for, the tests of what was done before pass, and
//     those of what is begun fail;
//   - if that is asked for, all tests of the package come to an end while
//     exercises are open, and none kills the run.
//
// Each test is asked several times, and must say the same each time. All
// failures are reported together, at the exercise's file and line. Of changed
// exercises alone, what is recorded of all together is not compared: wrong answers'
// words, and what the tests reach.
func Prove(ctx context.Context, chapterDir string, options Options) (Report, error) {
	began := time.Now()
	exercises, err := Load(os.DirFS(chapterDir), chapterDir)
	if err != nil || len(exercises) == 0 {
		return Report{}, err
	}
	if err := checkWhole(exercises); err != nil {
		return Report{}, err
	}
	if options.proofs, err = memoryIn(options.Memory); err != nil {
		return Report{}, err
	}
	report := count(exercises)
	var errs []error
	exercises = slices.DeleteFunc(exercises, func(e *Exercise) bool { return !e.Kind.Judged() })
	var claims []*claim
	for _, folder := range foldersOf(exercises) {
		more, err := report.prove(ctx, chapterDir, folder, exercises, options)
		claims, errs = append(claims, more...), append(errs, err)
	}
	errs = append(errs, checkRuns(claims, options.Update))
	if options.Changed {
		errs = append(errs, checkNames(claims))
	} else {
		errs = append(errs, checkSayings(claims, options.Update), checkReach(claims, options.Update))
	}
	report.Took = time.Since(began)
	if ctx.Err() != nil {
		return report, ctx.Err() // the other errors only say what it interrupted
	}
	err = source.Join(errs...)
	if err == nil && options.Changed {
		remember(exercises, options.proofs)
	}
	return report, err
}

// foldersOf returns the folders of the packages that have the exercises' code.
func foldersOf(exercises []*Exercise) []string {
	var folders []string
	for _, e := range exercises {
		folders = append(folders, e.Folder)
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// prove proves the claims of the exercises of one folder, given all exercises
// of a chapter that tests judge.
func (r *Report) prove(
	ctx context.Context, chapterDir, folder string, exercises []*Exercise, options Options,
) ([]*claim, error) {
	all := slices.DeleteFunc(slices.Clone(exercises), func(e *Exercise) bool { return e.Folder != folder })
	own := slices.DeleteFunc(slices.Clone(all), func(e *Exercise) bool { return options.Changed && options.proofs.Has(e.key()) })
	if len(own) == 0 {
		return nil, nil
	}
	p, err := newProver(ctx, chapterDir, folder, options)
	if err != nil {
		return nil, err
	}
	defer p.close()
	claims, err := claimsOf(own, p.chapter)
	errs := []error{err}
	for _, e := range own {
		needs, err := needsClaims(e, exercises, p.chapter)
		claims, errs = append(claims, needs...), append(errs, err)
	}
	if len(own) < len(all) { // what is said of all of them is proven with all
		claims = slices.DeleteFunc(claims, func(c *claim) bool { return c.measures })
		options.Trees, options.Open = nil, OpenNone
	}
	for _, tree := range options.Trees {
		trees, err := treeClaims(tree, exercises, folder, p.chapter)
		claims, errs = append(claims, trees...), append(errs, err)
	}
	if options.Open != OpenNone {
		open, err := openClaims(exercises, folder, p.chapter, options.Open)
		claims, errs = append(claims, open...), append(errs, err)
	}
	p.total = len(claims)
	err = source.Join(append(errs, p.proveAll(ctx, claims))...)
	r.Remembered += p.remembered
	r.Built += int(p.built.Load())
	r.Started += int(p.started.Load())
	return claims, err
}

// checkWhole finds functions that are stubs: a reader works on the exercise,
// and the chapter's code is not the reference.
func checkWhole(exercises []*Exercise) error {
	var errs []error
	for _, e := range exercises {
		for _, fn := range e.Functions {
			if e.startedIn(fn.File.Content[fn.Start:fn.End]) {
				errs = append(errs, source.At(fn.File.Path, fn.Line,
					"%s is not the book's: exercise %s is started in this folder, and "+
						"`go run ./cmd/lab exercise reset %s` puts the book's version back",
					fn.Name, e.Number, e.Number))
			}
		}
	}
	return source.Join(errs...)
}

func (e *Exercise) startedIn(function []byte) bool {
	if e.Kind == Debug {
		return bytes.HasSuffix(function, bytes.TrimSpace(e.Fault().Code))
	}
	first, _, _ := strings.Cut(e.Note(), "\n")
	return bytes.Contains(function, []byte(first))
}

func count(exercises []*Exercise) Report {
	report := Report{Exercises: len(exercises)}
	for _, e := range exercises {
		report.Tests += len(e.Tests)
		report.Also += len(e.Also)
		report.TooSlow += e.tooSlow
		report.Predictions += len(e.Predictions)
		report.Needs += len(e.needs)
		report.RightAnswers += len(e.Right)
		switch e.Kind {
		case Debug:
			report.Faults++
		case Write, Extend:
			report.Stubs++
			report.WrongAnswers += len(e.Wrong)
			report.Nameless += len(e.Nameless)
		}
	}
	return report
}
