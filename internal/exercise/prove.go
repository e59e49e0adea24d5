package exercise

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"reconcile/internal/source"
)

// Options of a proof. The zero value is the one that bookgen check uses.
type Options struct {
	Memory   string         // a cache, whose folder proofs has earlier proofs; "": the user's
	Timeout  time.Duration  // for one test; 20 s where zero
	Progress func(Progress) // called after each step, one call at a time
	Open     bool           // with each exercise open, the whole chapter comes to an end
	Update   bool           // writes what the tests say of the wrong answers, rather than compare it
}

// Progress says how far a proof is.
type Progress struct {
	Done, Total int
	Claim       string // "the stub of 1.2"
	Remembered  bool   // proven by an earlier run
}

// A Report says what Prove has proven; with an error, what it was to prove.
type Report struct {
	Exercises    int
	Tests        int // that judge, all passing on the reference
	Stubs        int // each fails each of its tests
	Faults       int // each fails each of its tests
	WrongAnswers int // each caught by the tests it names
	Predictions  int // wrong ones, each parting from the run where it says
	Remembered   int // claims that needed no run
	Built        int // test binaries
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
//   - if that is asked for, the chapter's other tests come to an end with it as
//     well, and none kills the run;
//   - with the fault of an exercise in debugging in its place, each of the
//     exercise's tests fails in the same way;
//   - each wrong answer differs from the right one, compiles, and fails each
//     test that is said to catch it, by that test's own assertion;
//   - what the tests that judge say of it is what is recorded, so that it can be
//     known again by that.
//
// Each test is asked several times, and must say the same each time. All failures
// are reported together, at the exercise's file and line.
func Prove(ctx context.Context, chapterDir string, options Options) (Report, error) {
	began := time.Now()
	exercises, err := Load(os.DirFS(chapterDir), chapterDir)
	if err != nil || len(exercises) == 0 {
		return Report{}, err
	}
	if err := checkWhole(exercises); err != nil {
		return Report{}, err
	}
	report := count(exercises)
	var errs []error
	folders := byFolder(exercises)
	var claims []*claim
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		more, err := report.prove(ctx, filepath.Join(chapterDir, folder), folders[folder], options)
		claims, errs = append(claims, more...), append(errs, err)
	}
	errs = append(errs, checkSayings(claims, options.Update))
	report.Took = time.Since(began)
	if ctx.Err() != nil {
		return report, ctx.Err() // the other errors only say what it interrupted
	}
	return report, source.Join(errs...)
}

// byFolder sorts the exercises that tests judge by the packages of their code.
func byFolder(exercises []*Exercise) map[string][]*Exercise {
	folders := make(map[string][]*Exercise)
	for _, e := range exercises {
		if e.Kind.Judged() {
			folders[e.Folder] = append(folders[e.Folder], e)
		}
	}
	return folders
}

// prove proves what exercises of one package claim.
func (r *Report) prove(ctx context.Context, dir string, exercises []*Exercise, options Options) ([]*claim, error) {
	p, err := newProver(ctx, dir, options)
	if err != nil {
		return nil, err
	}
	defer p.close()
	p.name = exercises[0].Functions[0].File.Syntax.Name.Name
	claims, err := claimsOf(exercises, p.module.dir, options.Open)
	p.total = len(claims)
	err = source.Join(err, p.proveAll(ctx, claims))
	r.Remembered += p.remembered
	r.Built += p.built
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
		report.Predictions += len(e.Predictions)
		switch e.Kind {
		case Debug:
			report.Faults++
		case Write, Extend:
			report.Stubs++
			report.WrongAnswers += len(e.Wrong)
		}
	}
	return report
}

// A prover checks claims about one chapter.
type prover struct {
	module  *module
	name    string // of the chapter's package
	memory  *memory
	timeout time.Duration
	scratch string // for binaries and other code
	inform  func(Progress)

	mu         sync.Mutex
	done       int
	total      int
	remembered int
	built      int
}

func newProver(ctx context.Context, chapterDir string, options Options) (*prover, error) {
	module, err := loadModule(ctx, chapterDir)
	if err != nil {
		return nil, err
	}
	memory, err := openMemory(options.Memory)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "reconcile-prove-")
	if err != nil {
		return nil, err
	}
	p := &prover{module: module, memory: memory, timeout: options.Timeout, scratch: scratch, inform: options.Progress}
	if p.timeout == 0 {
		p.timeout = 20 * time.Second
	}
	return p, nil
}

func (p *prover) close() {
	os.RemoveAll(p.scratch)
	p.memory.forgetOld()
}

// proveAll checks the claims that were not proven before. The first is about the
// reference, and alone: where that does not build, nothing else does, and one
// error says more than many.
func (p *prover) proveAll(ctx context.Context, claims []*claim) error {
	var open []*claim
	for _, c := range claims {
		if text, known := p.memory.get(p.module.key(c)); known {
			c.recall(text)
			p.step(c, true)
		} else {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil
	}
	p.compileTogether(ctx, open)
	if first := open[0]; first == claims[0] {
		err := p.prove(ctx, first)
		if err != nil && !first.built {
			return err
		}
		return source.Join(err, p.proveEach(ctx, open[1:]))
	}
	return p.proveEach(ctx, open)
}

func (p *prover) proveEach(ctx context.Context, claims []*claim) error {
	errs := make([]error, len(claims))
	slots := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for i, c := range claims {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			errs[i] = p.prove(ctx, c)
		})
	}
	running.Wait()
	return source.Join(errs...)
}

// prove checks one claim.
func (p *prover) prove(ctx context.Context, c *claim) error {
	if ctx.Err() != nil {
		return nil // Prove reports it once
	}
	err := p.try(ctx, c)
	if err == nil {
		p.memory.add(p.module.key(c), c.note())
	}
	p.step(c, false)
	return err
}

func (p *prover) try(ctx context.Context, c *claim) error {
	if !c.built {
		if err := p.compileAlone(ctx, c); err != nil {
			return err
		}
		defer os.RemoveAll(filepath.Dir(c.binary.path))
	}
	return c.check(ctx, p.timeout)
}

func (p *prover) step(c *claim, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if known {
		p.remembered++
	}
	if p.inform != nil {
		p.inform(Progress{Done: p.done, Total: p.total, Claim: c.about, Remembered: known})
	}
}
