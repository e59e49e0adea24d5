package build

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"reconcile/cmd/bookgen/internal/book"
	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/highlight"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/snippet"
	"reconcile/cmd/bookgen/internal/toolchain"
	"reconcile/cmd/bookgen/internal/weave"
	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

// Press makes one edition after the other, and keeps for the next the packages
// and the exercises that have not changed, and the pages that show the same.
type Press struct {
	Options
	codes     map[string]*code   // by the package's folder
	drills    map[string]*drills // by the chapter's folder
	digests   map[string]string  // of the packages, as the code is now
	types     *highlight.Checker
	woven     weave.Memory
	pages     site.Memory
	engine    *engine.Module // made once; nil: not yet
	sliders   engine.Sliders
	toolchain *toolchain.Toolchain
}

// code is a package, and drills are the exercises of a chapter, both with the
// digest of their sources.
type (
	code struct {
		digest  string
		program *snippet.Program
	}
	drills struct {
		digest    string
		exercises []*exercise.Exercise
	}
)

// NewPress returns a press that has made nothing yet.
func NewPress(o Options) *Press {
	return &Press{Options: o, codes: map[string]*code{}, drills: map[string]*drills{}, types: highlight.NewChecker(o.Root)}
}

// Compose makes one edition.
func Compose(ctx context.Context, o Options) (*Edition, error) {
	return NewPress(o).Compose(ctx)
}

// Build makes once the pages that a clone carries.
func Build(ctx context.Context, o Options) (Report, error) {
	return NewPress(o).Build(ctx)
}

// Publish makes the whole site once.
func Publish(ctx context.Context, o Options) (Report, error) {
	return NewPress(o).Publish(ctx)
}

// enliven adds the engine to the whole site. A press makes the engine once: code
// that changes later is in the next press's engine.
func (p *Press) enliven(ctx context.Context, files map[string][]byte) (err error) {
	if p.engine == nil {
		done := Progress(p.Progress, "compiling the engine for pages")
		p.sliders, err = engine.MakeSliders(ctx, p.Root, p.Cache, p.Packing)
		if err == nil {
			p.engine, err = engine.Make(ctx, p.Root, p.Cache, p.Packing)
		}
		if err == nil {
			// Packed as Small it would take a quarter of an hour.
			p.toolchain, err = toolchain.Make(ctx, p.Root, p.Cache, engine.Quick, toolchain.Chapters)
		}
		done()
		if err != nil {
			return err
		}
	}
	if err := p.sliders.AddTo(files); err != nil {
		return err
	}
	return errors.Join(p.engine.AddTo(files, p.Chapters()), p.toolchain.AddTo(files))
}

// readCode reads the packages of a chapter that were changed, and with any of
// them its exercises. It does not keep those with an error.
func (p *Press) readCode(
	ctx context.Context, loader *highlight.Loader, c *book.Chapter,
) ([]*snippet.Program, []*exercise.Exercise, error) {
	sum := sha256.New()
	err := addFiles(sum, filepath.Join(c.Dir, "exercises"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	folders, err := source.Folders(os.DirFS(c.Dir))
	if err != nil {
		return nil, nil, err
	}
	var programs []*snippet.Program
	var rooms []exercise.Room
	var errs []error
	for _, folder := range folders {
		code, err := p.readPackage(ctx, loader, c, folder)
		errs = append(errs, err)
		if code != nil {
			programs = append(programs, code.program)
			rooms = append(rooms, exercise.Room{Folder: code.program.Folder, Package: code.program.Package})
			fmt.Fprintln(sum, code.digest)
		}
	}
	if len(programs) < len(folders) {
		return nil, nil, source.Join(errs...)
	}
	all := string(sum.Sum(nil))
	if kept := p.drills[c.Dir]; kept != nil && kept.digest == all {
		return programs, kept.exercises, source.Join(errs...)
	}
	exercises, err := exercise.LoadWith(rooms, os.DirFS(c.Dir), c.Dir)
	if errs = append(errs, err); source.Join(errs...) == nil {
		p.drills[c.Dir] = &drills{all, exercises}
	}
	return programs, exercises, source.Join(errs...)
}

// readPackage reads the package in a folder of a chapter. With an error it
// returns as much as can be woven, or nil.
func (p *Press) readPackage(
	ctx context.Context, loader *highlight.Loader, c *book.Chapter, folder string,
) (*code, error) {
	dir := filepath.Join(c.Dir, filepath.FromSlash(folder))
	rel, err := filepath.Rel(p.Root, dir)
	if err != nil {
		return nil, err
	}
	digest, err := loader.Digest(rel)
	if err != nil {
		return nil, err
	}
	if kept := p.codes[dir]; kept != nil && kept.digest == digest {
		return kept, nil
	}
	files, err := source.Load(os.DirFS(dir), dir)
	if err != nil {
		return nil, err
	}
	done := Progress(p.Progress, "type-checking "+rel)
	info, err := loader.Load(ctx, rel)
	done()
	if info == nil {
		return nil, err
	}
	read := &code{digest, snippet.NewProgram(folder, files, info)}
	delete(p.codes, dir)
	if err == nil {
		p.codes[dir] = read
	}
	return read, err
}
