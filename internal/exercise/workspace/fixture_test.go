package workspace

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/trial"
)

// A reader has a copy of a small book, and does things to it.
type reader struct {
	*testing.T
	*Workspace
	warnings []string
}

const (
	planGo    = "chapters/01-counting/plan.go"
	counterGo = "chapters/01-counting/counter.go"
)

func newReader(t *testing.T) *reader {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join("..", "testdata", "book"))))
	r := &reader{T: t, Workspace: Open(root)}
	r.Warn = func(message string) { r.warnings = append(r.warnings, message) }
	r.write("go.mod", "module book\n\ngo 1.26\n")
	r.write(".gitignore", "/.reconcile/\n")
	return r
}

// newReaderWithGit returns a reader whose book is committed.
func newReaderWithGit(t *testing.T) *reader {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	r := newReader(t)
	r.git("init", "-q")
	r.commit()
	return r
}

func (r *reader) commit() {
	r.Helper()
	r.commitOnly(".")
}

func (r *reader) commitOnly(path string) {
	r.Helper()
	r.git("add", path)
	r.git("-c", "user.name=R", "-c", "user.email=r@example.invalid", "commit", "-qm", "The book.")
}

func (r *reader) git(arguments ...string) string {
	r.Helper()
	command := exec.Command("git", arguments...)
	command.Dir = r.root
	output, err := command.CombinedOutput()
	require.NoError(r, err, string(output))
	return string(output)
}

func (r *reader) read(file string) string {
	r.Helper()
	text, err := os.ReadFile(r.path(file))
	require.NoError(r, err)
	return string(text)
}

func (r *reader) write(file, text string) {
	r.Helper()
	require.NoError(r, os.WriteFile(r.path(file), []byte(text), 0o644))
}

func (r *reader) replace(file, old, with string) {
	r.Helper()
	text := r.read(file)
	require.Contains(r, text, old)
	r.write(file, strings.Replace(text, old, with, 1))
}

func (r *reader) start(number string) Started {
	r.Helper()
	done, err := r.Start(r.Context(), number)
	require.NoError(r, err)
	return done
}

func (r *reader) reset(number string) PutBack {
	r.Helper()
	done, err := r.Reset(r.Context(), number, false)
	require.NoError(r, err)
	return done
}

// test runs an exercise's tests, and returns those that failed by name.
func (r *reader) test(number string) (Tested, map[string]trial.Test) {
	r.Helper()
	return r.testOn(number, false)
}

// testOn runs the tests on all that is the reader's, or on one exercise only.
func (r *reader) testOn(number string, mine bool) (Tested, map[string]trial.Test) {
	r.Helper()
	failed := make(map[string]trial.Test)
	done, err := r.Test(r.Context(), number, mine, Telling{Begins: func(Tested) {}, Ended: func(t trial.Test) {
		if !t.Passed {
			failed[t.Name] = t
		}
	}})
	require.NoError(r, err)
	return done, failed
}

func (r *reader) line(number string) Line {
	r.Helper()
	lines, err := r.Overview(r.Context())
	require.NoError(r, err)
	for _, line := range lines {
		if line.Exercise.Number == number {
			return line
		}
	}
	require.Fail(r, "no exercise "+number)
	return Line{}
}

// files returns all files of the book but git's and the lock, with their
// content; times in the progress are left out.
func (r *reader) files() map[string]string {
	r.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && !entry.IsDir() && entry.Name() != "lock" {
			files[r.relative(path)] = startedAt.ReplaceAllString(r.read(r.relative(path)), "")
		}
		return err
	})
	require.NoError(r, err)
	return files
}

// differing names the files that are not the same on both sides.
func differing(a, b map[string]string) []string {
	var names []string
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

var errCrash = errors.New("crash")

// crashAfter makes the step of that number the last one that is done.
func (r *reader) crashAfter(step int) {
	r.disk.interrupt = func(string) error {
		if step--; step < 0 {
			return errCrash
		}
		return nil
	}
}
