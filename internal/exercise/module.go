package exercise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// A module is everything that can change the outcome of a chapter's tests,
// other than the variant: the tool chain, the dependencies, and the code of the
// chapter and of what it imports from its own module.
type module struct {
	dir  string // of the chapter, absolute
	root string // where go.mod is
	path string
	sum  string
}

func loadModule(ctx context.Context, chapterDir string) (*module, error) {
	dir, err := filepath.Abs(chapterDir)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "go", "env", "GOMOD", "GOVERSION", "GOFLAGS", "GOOS", "GOARCH")
	command.Dir = dir
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	gomod, environment, _ := strings.Cut(string(output), "\n")
	text, err := os.ReadFile(gomod)
	m := &module{dir: dir, root: filepath.Dir(gomod), path: modfile.ModulePath(text)}
	if err != nil || m.path == "" {
		return nil, fmt.Errorf("%s is in no module: there is no go.mod above it", chapterDir)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n", environment, text)
	if sums, err := os.ReadFile(filepath.Join(m.root, "go.sum")); err == nil {
		hash.Write(sums) // a module without dependencies has none
	}
	if err := m.hashCode(hash); err != nil {
		return nil, err
	}
	m.sum = hex.EncodeToString(hash.Sum(nil))
	return m, nil
}

// hashCode hashes every file of the chapter except its prose, and the packages
// of the module that it imports, directly or not.
func (m *module) hashCode(hash io.Writer) error {
	todo, seen := []string{m.dir}, map[string]bool{m.dir: true}
	for len(todo) > 0 {
		dir := todo[0]
		todo = todo[1:]
		imports, err := m.hashFolder(hash, dir)
		if err != nil {
			return err
		}
		for _, path := range imports {
			inside, ok := strings.CutPrefix(path, m.path+"/")
			next := filepath.Join(m.root, filepath.FromSlash(inside))
			if ok && !seen[next] {
				todo, seen[next] = append(todo, next), true
			}
		}
	}
	return nil
}

// hashFolder also returns what the Go files of the folder itself import. The
// tests of a package count only in the chapter that is judged by them.
func (m *module) hashFolder(hash io.Writer, dir string) (imports []string, err error) {
	judged := dir == m.dir
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && !judged:
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) == ".md":
			return nil
		case !judged && strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m.hashFile(hash, path, text)
		if filepath.Dir(path) == dir && filepath.Ext(path) == ".go" {
			imports = append(imports, importsIn(text)...)
		}
		return nil
	})
	return imports, err
}

// hashFile names files from the module's root, so that every copy of the book
// remembers the same.
func (m *module) hashFile(hash io.Writer, path string, text []byte) {
	name, err := filepath.Rel(m.root, path)
	if err != nil {
		name = path // on another volume
	}
	fmt.Fprintf(hash, "%q %x\n", filepath.ToSlash(name), sha256.Sum256(text))
}

// importsIn returns the imports of a file; where it does not parse, those that
// the parser came to.
func importsIn(text []byte) []string {
	file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if file == nil {
		return nil
	}
	var imports []string
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			imports = append(imports, path)
		}
	}
	return imports
}

// key names a claim about this module, by all that it depends on.
func (m *module) key(c *claim) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %v %q %d on %s\n", m.sum, c.fail, c.open, times, processors)
	for _, judge := range c.tests {
		fmt.Fprintf(hash, "%q\n", judge.test)
	}
	if c.wrong != nil {
		fmt.Fprintf(hash, "noted: what %s say on %v\n", c.exercise.TestPattern(), listenings)
	}
	for _, path := range slices.Sorted(maps.Keys(c.variant)) {
		m.hashFile(hash, path, c.variant[path].after)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
