package exercise

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"reconcile/internal/openexercises"
	"reconcile/internal/source"
)

// fault reports whether the claim is about a fault to be found.
func (c *claim) fault() bool { return c.exercise != nil && c.exercise.Kind == Debug }

// record runs the tests that judge with -update, so that they record the run
// with the fault in it, in a folder of their own.
func (p *prover) record(ctx context.Context, c *claim) error {
	e := c.exercise
	scratch, err := os.MkdirTemp(p.scratch, "run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	there := c.binary
	there.dir = filepath.Join(scratch, filepath.FromSlash(e.Folder))
	if err := os.MkdirAll(filepath.Join(there.dir, "testdata"), 0o755); err != nil {
		return err
	}
	const read = "manifests" // tests read it, besides their recordings
	err = os.CopyFS(filepath.Join(scratch, read), os.DirFS(filepath.Join(p.chapter, read)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	a := p.start(ctx, there, time.Duration(len(e.Tests))*p.timeout, []string{openexercises.PlainEnv + "=1"},
		"-test.run", e.TestPattern(), "-update") // they fail, since it is wrong
	c.run, err = os.ReadFile(filepath.Join(there.dir, "testdata", e.Run.Of))
	if err != nil {
		return c.problem("with %s, no test records testdata/%s:\n%s", c.about, e.Run.Of, indent(a.lastWords()))
	}
	return nil
}

// checkRuns compares the runs that exercises show with those recorded now, or
// writes these into the exercises.
func checkRuns(claims []*claim, update bool) error {
	var errs []error
	for _, c := range claims {
		if c.run != nil {
			file := filepath.Join(filepath.Dir(c.file), c.exercise.Number+".txt")
			errs = append(errs, compareFile(file, c.run, update))
		}
	}
	return source.Join(errs...)
}

// compareFile compares a file with the text that it should have, or writes the
// text.
func compareFile(file string, text []byte, update bool) error {
	before, err := os.ReadFile(file)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case bytes.Equal(before, text):
		return nil
	case update:
		return os.WriteFile(file, text, 0o644)
	}
	line := 1
	for i := 0; i < len(before) && i < len(text) && before[i] == text[i]; i++ {
		if text[i] == '\n' {
			line++
		}
	}
	return source.At(file, line, "here the tests say something else now: `go run ./cmd/bookgen check --update` writes it")
}
