package exercise

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"reconcile/internal/source"
)

// Options of a proof. The zero value is what bookgen check uses.
type Options struct {
	Memory   string         // cache, whose folder proofs says what was proven before; the user's where empty
	Timeout  time.Duration  // for one test; 20 s where zero
	Progress func(Progress) // called after each step, one call at a time
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
	WrongAnswers int // each caught by the tests it names
	Remembered   int // claims that needed no run
	Took         time.Duration
}

// builders is how many test binaries are built and run at a time.
const builders = 2

// Prove runs what the exercises of a chapter claim, and touches no file of it:
//
//   - the tests that judge pass on the chapter as it is;
//   - with an exercise's functions cut, the chapter compiles and each of the
//     exercise's tests fails by its own assertion: a panic, a time-out or a build
//     error teach a reader nothing;
//   - each wrong answer differs from the right one, compiles, and fails each
//     test that is said to catch it, by that test's own assertion.
//
// Each test is asked several times, and must say the same each time. All failures
// are reported together, at the exercise's file and line.
func Prove(ctx context.Context, chapterDir string, options Options) (Report, error) {
	began := time.Now()
	exercises, err := Load(chapterDir)
	if err != nil || len(exercises) == 0 {
		return Report{}, err
	}
	if err := checkWhole(exercises); err != nil {
		return Report{}, err
	}
	p, err := newProver(ctx, chapterDir, options)
	if err != nil {
		return Report{}, err
	}
	defer p.close()
	claims, err := claimsOf(exercises, p.module.dir)
	p.total = len(claims)
	err = source.Join(err, p.proveAll(ctx, claims))
	if ctx.Err() != nil {
		err = ctx.Err() // the rest says only what it interrupted
	}
	report := count(exercises)
	report.Remembered, report.Took = p.remembered, time.Since(began)
	return report, err
}

// checkWhole finds functions that are stubs: somebody works on the exercise,
// and what the chapter says is not the reference.
func checkWhole(exercises []*Exercise) error {
	var errs []error
	for _, e := range exercises {
		first, _, _ := strings.Cut(e.Note(), "\n")
		for _, fn := range e.Functions {
			if bytes.Contains(fn.File.Content[fn.Start:fn.End], []byte(first)) {
				errs = append(errs, source.At(fn.File.Path, fn.Line,
					"%s is cut: exercise %s is started in this folder, and "+
						"`go run ./cmd/lab exercise reset %s` puts the book's version back",
					fn.Name, e.Number, e.Number))
			}
		}
	}
	return source.Join(errs...)
}

func count(exercises []*Exercise) Report {
	report := Report{Exercises: len(exercises), Stubs: len(exercises)}
	for _, e := range exercises {
		report.Tests += len(e.Tests)
		report.WrongAnswers += len(e.Wrong)
	}
	return report
}

// A prover checks claims about one chapter.
type prover struct {
	module  *module
	memory  *memory
	timeout time.Duration
	scratch string // for binaries and other code
	inform  func(Progress)

	mu         sync.Mutex
	done       int
	total      int
	remembered int
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

// proveAll checks the first claim, about the reference, alone: where that does
// not build, nothing else does, and one error says more than many.
func (p *prover) proveAll(ctx context.Context, claims []*claim) error {
	reference, others := claims[0], claims[1:]
	err := p.prove(ctx, reference)
	if err != nil && !reference.built {
		return err
	}
	errs := make([]error, len(others))
	slots := make(chan struct{}, builders)
	var running sync.WaitGroup
	for i, c := range others {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			errs[i] = p.prove(ctx, c)
		})
	}
	running.Wait()
	return source.Join(append(errs, err)...)
}

// prove checks one claim, unless it was proven before.
func (p *prover) prove(ctx context.Context, c *claim) error {
	if ctx.Err() != nil {
		return nil // Prove reports it once
	}
	key := p.module.key(c)
	known := p.memory.has(key)
	var err error
	if !known {
		err = p.try(ctx, c)
	}
	if !known && err == nil {
		p.memory.add(key, c.about)
	}
	p.step(c, known)
	return err
}

// try checks a claim in a folder of its own.
func (p *prover) try(ctx context.Context, c *claim) error {
	scratch, err := os.MkdirTemp(p.scratch, "claim-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	return p.check(ctx, c, filepath.Join(scratch, "chapter.test"))
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
