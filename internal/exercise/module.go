package exercise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/internal/digest"
	"reconcile/internal/diskcache"
	"reconcile/internal/gowork"
)

// A module is everything that can change the outcome of the tests of a package,
// other than the variant: the tool chain, the dependencies, the code of the
// package and of those that it imports from its own module, and what its chapter
// has for tests to read.
type module struct {
	dir  string // of the package, absolute
	root string // the folder of go.mod
	sum  string
}

// loadModule returns the module of the package in a folder of a chapter; the
// chapter's own folder is absolute.
func loadModule(ctx context.Context, chapter, folder string) (*module, error) {
	dir := filepath.Join(chapter, filepath.FromSlash(folder))
	command := gowork.Command(ctx, "env", "GOMOD", "GOVERSION", "GOFLAGS", "GOOS", "GOARCH")
	command.Dir = dir
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	gomod, environment, _ := strings.Cut(string(output), "\n")
	if filepath.Base(gomod) != "go.mod" {
		return nil, fmt.Errorf("%s is in no module: there is no go.mod above it", dir)
	}
	m := &module{dir: dir, root: filepath.Dir(gomod)}
	code, err := digest.New(m.root, environment, program)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{folder, "manifests", "testdata"} {
		sum, err := code.Package(m.name(filepath.Join(chapter, filepath.FromSlash(part))), isNoProse)
		if err != nil {
			return nil, err
		}
		m.sum += sum
	}
	return m, nil
}

// isNoProse reports whether a file can change what a test says.
func isNoProse(name string) bool {
	return path.Ext(name) != ".md" && path.Base(name) != saysFile && path.Base(name) != reachFile
}

// program returns the part of a file that counts for the tests of
// packages that import its own.
func program(name string, text []byte) []byte {
	if isNoProse(name) {
		return text
	}
	return nil
}

// name returns the path of a file or a folder from the module's root, so that
// every copy of the book remembers the same.
func (m *module) name(path string) string {
	if rel, err := filepath.Rel(m.root, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path) // all of it, on another volume
}

// edition is that of the code that judges claims: claims that an older edition
// has proven are tried again.
const edition = 3

// key names a claim about this module, by all that it depends on.
func (m *module) key(c *claim) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %s %v %d on %s\n", edition, m.sum, c.fail, c.times(), processors)
	for _, judge := range c.tests {
		fmt.Fprintf(hash, "%q\n", judge.test)
	}
	for _, judge := range c.also {
		fmt.Fprintf(hash, "also %q\n", judge.test)
	}
	for _, e := range c.open {
		fmt.Fprintf(hash, "open: %s\n", e.Number)
	}
	if c.exercise != nil {
		fmt.Fprintf(hash, "noted: what %s, or else %s, say or record as %q\n", c.exercise.TestPattern(), c.exercise.AlsoPattern(), c.exercise.Run.Of)
	}
	for _, path := range slices.Sorted(maps.Keys(c.variant)) {
		digest.Add(hash, m.name(path), c.variant[path].after)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// key names what an exercise itself says, and nothing that this stands on: its
// functions, its tests, its answers and its needs. With a package of its own, that.
func (e *Exercise) key() string {
	hash := sha256.New()
	fmt.Fprintf(hash, "exercise %s needs %q\n", e.Number, e.Needs())
	for _, decl := range slices.Concat(e.Functions, e.Tests) {
		digest.Add(hash, decl.Name, decl.File.Content[decl.Start:decl.End])
	}
	if e.Apart() {
		for _, file := range e.code.Files {
			digest.Add(hash, file.Name, file.Content)
		}
	}
	for _, wrong := range e.Wrong {
		fmt.Fprintf(hash, "caught by %q: %q\n", wrong.CaughtBy, wrong.Code)
	}
	for _, answer := range slices.Concat(e.Nameless, e.Right) {
		digest.Add(hash, answer.Name, answer.Code)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// remember keeps what proven exercises say: a later proof of those that have changed
// leaves them out.
func remember(exercises []*Exercise, proofs *diskcache.Cache) {
	for _, e := range exercises {
		if key := e.key(); !proofs.Has(key) {
			_ = proofs.Add(key, []byte("# "+e.Number+"\n")) // else it counts as changed
		}
	}
}
