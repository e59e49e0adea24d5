package exercise

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"reconcile/internal/diskcache"
	"reconcile/internal/source"
)

// A prover checks claims about one package of a chapter.
type prover struct {
	chapter string // its folder, absolute
	module  *module
	memory  *diskcache.Cache
	timeout time.Duration
	scratch string // for binaries and other code
	inform  func(Progress)

	built, started atomic.Int64 // binaries, and processes of these

	mu         sync.Mutex
	done       int
	total      int
	remembered int
}

func newProver(ctx context.Context, chapterDir, folder string, options Options) (*prover, error) {
	chapter, err := filepath.Abs(chapterDir)
	if err != nil {
		return nil, err
	}
	module, err := loadModule(ctx, chapter, folder)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "reconcile-prove-")
	if err != nil {
		return nil, err
	}
	p := &prover{
		chapter: chapter, module: module, memory: options.proofs,
		timeout: options.Timeout, scratch: scratch, inform: options.Progress,
	}
	if p.timeout == 0 {
		p.timeout = 20 * time.Second
	}
	return p, nil
}

// memoryIn returns what is remembered in a cache of claims that were proven. Only
// those that hold are; one that failed runs again.
func memoryIn(cache string) (*diskcache.Cache, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		cache = filepath.Join(user, "reconcile")
	}
	return diskcache.Open(filepath.Join(cache, "proofs"))
}

func (p *prover) close() {
	os.RemoveAll(p.scratch)
	p.memory.ForgetOld()
}

// proveAll checks the claims that were not proven before. The first is about
// the reference, and alone: if that does not build, nothing else does, and one
// error says more than many.
func (p *prover) proveAll(ctx context.Context, claims []*claim) error {
	var open []*claim
	for _, c := range claims {
		if text, known := p.memory.Get(p.module.key(c)); known {
			c.recall(string(text))
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
		_ = p.memory.Add(p.module.key(c), []byte(c.note())) // else it is proven once more
	}
	p.step(c, false)
	return err
}

// try builds the tests of a claim, if that is not done, and checks it.
func (p *prover) try(ctx context.Context, c *claim) error {
	if !c.built {
		if err := p.compileAlone(ctx, c); err != nil {
			return err
		}
		defer os.RemoveAll(filepath.Dir(c.binary.path))
	}
	switch {
	case c.measures:
		return p.measure(ctx, c)
	case c.once:
		return p.checkOnce(ctx, c)
	case c.open != nil:
		return p.checkOpen(ctx, c)
	}
	return p.check(ctx, c)
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
