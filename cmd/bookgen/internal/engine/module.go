package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// Module is the engine, compiled for a page.
type Module struct {
	Name         string // with its digest in it
	Raw          int    // bytes, unpacked
	Brotli, Gzip []byte
	support      []byte // Go's own script, that the module runs with
}

// Packing is how hard brotli tries.
type Packing int

// Quick takes half a minute for the engine. Small takes three, and saves a tenth.
const (
	Quick Packing = iota
	Small
)

// quality is brotli's word for it.
func (p Packing) quality() int { return []int{9, 11}[p] }

// Make compiles the engine of the book at root. What it compiled or packed before
// is in cache.
func Make(ctx context.Context, root, cache string, how Packing) (*Module, error) {
	return compile(ctx, root, cache, how, "engine", "./internal/scene/page")
}

// outlined are flags for the compiler: it copies no functions to where they are
// called, but Go's own and the book's. That saves a tenth of the packed engine, and
// costs some percent of its speed. With Go's own outlined, too, it would take half as
// long again.
var outlined = []string{"-gcflags=...=-l", "-gcflags=std=-l=0", "-gcflags=reconcile/...=-l=0"}

// compile compiles a main package for a page.
func compile(ctx context.Context, root, cache string, how Packing, name, pkg string) (*Module, error) {
	mod, err := Modfile(ctx, root, cache)
	if err != nil {
		return nil, err
	}
	file, err := filepath.Abs(filepath.Join(cache, name+".wasm"))
	if err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, outlined, []string{
		"-trimpath", "-buildvcs=false", "-modfile=" + mod, "-ldflags=-s -w", "-o", file, pkg,
	})...)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile %s for a page: %w\n%s", pkg, err, out)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(wasm)
	m := &Module{Name: fmt.Sprintf("%s-%x.wasm", name, sum[:8]), Raw: len(wasm)}
	if m.support, err = support(ctx); err != nil {
		return nil, err
	}
	return m, m.pack(wasm, cache, how)
}

// support returns Go's script for WebAssembly, of the version that compiles.
func support(ctx context.Context) ([]byte, error) {
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
}

// goEnv returns a setting of the Go that compiles.
func goEnv(ctx context.Context, name string) (string, error) {
	value, err := exec.CommandContext(ctx, "go", "env", name).Output()
	return strings.TrimSpace(string(value)), err
}

// pack packs the module in both ways at once, unless the cache has it packed.
func (m *Module) pack(wasm []byte, cache string, how Packing) (err error) {
	var packing sync.WaitGroup
	var failed error
	packing.Go(func() { m.Gzip, failed = packed(wasm, filepath.Join(cache, m.Name+".gz"), zip) })
	m.Brotli, err = packed(wasm, filepath.Join(cache, fmt.Sprintf("%s.%d.br", m.Name, how.quality())), how.shrink)
	packing.Wait()
	if err == nil {
		err = failed
	}
	return err
}

func packed(wasm []byte, kept string, with func(io.Writer) (io.WriteCloser, error)) ([]byte, error) {
	if small, err := os.ReadFile(kept); err == nil {
		return small, nil
	}
	var small bytes.Buffer
	w, err := with(&small)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(wasm); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return small.Bytes(), os.WriteFile(kept, small.Bytes(), 0o644)
}

func zip(w io.Writer) (io.WriteCloser, error) {
	return gzip.NewWriterLevel(w, gzip.BestCompression)
}

func (p Packing) shrink(w io.Writer) (io.WriteCloser, error) {
	return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: p.quality(), LGWin: 24}), nil
}
