package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/andybalholm/brotli"

	"reconcile/internal/diskcache"
	"reconcile/internal/gowork"
	"reconcile/internal/licences"
)

// Module is the engine, compiled for a page.
type Module struct {
	Name         string // with its digest in it
	Raw          int    // bytes, unpacked
	code         int    // of these, the module's: its data stand behind it, unless that is nothing
	data         []span // where they go in the memory
	Brotli, Gzip []byte
	support      []byte // Go's own script, that the module runs with
	notices      []byte // what others wrote of this and of the sliders, with their licences
}

// Packing is how hard brotli tries.
type Packing int

// Quick takes half a minute for the engine. Small takes three, and saves a tenth. Plain
// is gzip alone, for tests.
const (
	Quick Packing = iota
	Small
	Plain
)

// quality is brotli's word for it.
func (p Packing) quality() int { return []int{9, 11}[p] }

// Make compiles the engine of the book at root. What it compiled or packed before
// is in cache.
func Make(ctx context.Context, root, cache string, how Packing) (*Module, error) {
	wasm, err := wasmOf(ctx, root, cache, enginePackage)
	if err != nil {
		return nil, err
	}
	wasm, code, data, err := apart(wasm)
	if err != nil {
		return nil, err
	}
	m, err := made(ctx, cache, how, "engine", wasm)
	if err == nil {
		m.code, m.data = code, data
		m.notices, err = notices(ctx, root, cache)
	}
	return m, err
}

const enginePackage = "internal/scene/page"

// notices returns the licence notices of everything that a page can fetch.
func notices(ctx context.Context, root, cache string) ([]byte, error) {
	flags, err := Flags(ctx, root, cache)
	if err != nil {
		return nil, err
	}
	packages := []string{enginePackage, slidersPackage, "cmd/lab"}
	all, err := licences.Programs{Root: root, Packages: packages, Flags: flags, Systems: []string{"js/wasm"}}.Parts(ctx)
	return []byte(licences.Notices(all)), err
}

// Compile compiles a main package for a page.
func Compile(ctx context.Context, root, cache string, how Packing, name, pkg string) (*Module, error) {
	wasm, err := wasmOf(ctx, root, cache, pkg)
	if err != nil {
		return nil, err
	}
	return made(ctx, cache, how, name, wasm)
}

// wasmOf returns a main package as a page can run it.
func wasmOf(ctx context.Context, root, cache, pkg string) ([]byte, error) {
	flags, err := Flags(ctx, root, cache)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "reconcile-engine-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	file := filepath.Join(scratch, "main.wasm")
	build := gowork.Command(ctx, slices.Concat([]string{"build"}, flags, []string{
		"-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./" + pkg,
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
	return withoutTable(wasm)
}

// made returns the module with a text, named by what it is and by its digest.
func made(ctx context.Context, cache string, how Packing, name string, text []byte) (*Module, error) {
	sum := sha256.Sum256(text)
	m, err := Pack(fmt.Sprintf("%s-%x.wasm", name, sum[:8]), text, cache, how)
	if err == nil {
		m.support, err = support(ctx)
	}
	return m, err
}

// Pack packs what else a page fetches, as a module is packed.
func Pack(name string, text []byte, cache string, how Packing) (*Module, error) {
	made, err := open(cache)
	if err != nil {
		return nil, err
	}
	defer made.ForgetOld()
	m := &Module{Name: name, Raw: len(text)}
	return m, m.pack(text, made, how)
}

// support returns Go's script for WebAssembly, of the version that compiles.
func support(ctx context.Context) ([]byte, error) {
	root, err := gowork.Env(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
}

// pack packs the module in both ways at once, unless it was packed before.
// (wasm-opt -O2 saves one percent, and isn't used.)
func (m *Module) pack(wasm []byte, made *diskcache.Cache, how Packing) (err error) {
	if how == Plain {
		m.Gzip, err = packed(wasm, made, m.Name+".gz", zip)
		return err
	}
	var packing sync.WaitGroup
	var failed error
	packing.Go(func() { m.Gzip, failed = packed(wasm, made, m.Name+".gz", zip) })
	m.Brotli, err = packed(wasm, made, fmt.Sprintf("%s.%d.br", m.Name, how.quality()), how.shrink)
	packing.Wait()
	return errors.Join(err, failed)
}

func packed(
	wasm []byte, made *diskcache.Cache, name string, with func(io.Writer) (io.WriteCloser, error),
) ([]byte, error) {
	if small, known := made.Get(name); known {
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
	return small.Bytes(), made.Add(name, small.Bytes())
}

func zip(w io.Writer) (io.WriteCloser, error) {
	return gzip.NewWriterLevel(w, gzip.BestCompression)
}

func (p Packing) shrink(w io.Writer) (io.WriteCloser, error) {
	return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: p.quality(), LGWin: 24}), nil
}
