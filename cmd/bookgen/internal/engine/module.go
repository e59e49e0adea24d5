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

// Make compiles the engine of the book at root. What it compiled or packed before
// is in cache.
func Make(ctx context.Context, root, cache string) (*Module, error) {
	return compile(ctx, root, cache, "engine", "./internal/scene/page")
}

// compile compiles a main package for a page.
func compile(ctx context.Context, root, cache, name, pkg string) (*Module, error) {
	mod, err := Modfile(ctx, root, cache)
	if err != nil {
		return nil, err
	}
	file, err := filepath.Abs(filepath.Join(cache, name+".wasm"))
	if err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-modfile="+mod, "-ldflags=-s -w", "-o", file, pkg)
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
	return m, m.pack(wasm, cache)
}

// support returns Go's script for WebAssembly, of the version that compiles.
func support(ctx context.Context) ([]byte, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
}

// pack packs the module in both ways at once, unless the cache has it packed.
func (m *Module) pack(wasm []byte, cache string) (err error) {
	var packing sync.WaitGroup
	var failed error
	packing.Go(func() { m.Gzip, failed = packed(wasm, filepath.Join(cache, m.Name+".gz"), zip) })
	m.Brotli, err = packed(wasm, filepath.Join(cache, m.Name+".br"), shrink)
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

// shrink takes half a minute; the best that brotli has would take five, and save a
// tenth.
func shrink(w io.Writer) (io.WriteCloser, error) {
	return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: 9, LGWin: 24}), nil
}
