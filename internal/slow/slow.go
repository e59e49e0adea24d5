// Package slow marks the tests that `go test ./...` leaves to the book's own
// checks, so that a reader doesn't wait for them: those that compile an engine
// for a page, pack a folder, drive a browser for long, or prove every exercise.
// One small test of each kind stays, and shows that the way works.
package slow

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Variable is the environment variable that asks for all slow tests, as .ci/deep
// does. .ci/run asks for them by their names.
const Variable = "RECONCILE_SLOW"

// Asked reports whether slow tests run: where the variable is set, and where a
// test is asked for by -run, unless the variable is no.
func Asked() bool {
	run := flag.Lookup("test.run")
	asked := os.Getenv(Variable)
	return asked != "no" && (asked != "" || run != nil && run.Value.String() != "")
}

// TB is what is needed of testing.TB, so that no program links package testing.
type TB interface {
	Helper()
	Name() string
	Skipf(format string, args ...any)
}

// Test skips a test unless slow tests are asked for. why says what takes so long,
// for the message, which also has the command that runs the test.
func Test(t TB, why string) {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	if _, exempt := glances.Load(test); !exempt && !Asked() {
		t.Skipf("left out: %s. To run it: go test %s -run '%s'", why, folder(), Pattern(t.Name()))
	}
}

// Deep skips a test that a change does not wait for either, unless slow tests are
// asked for without -short. part is that of .ci/deep which runs it.
func Deep(t TB, part, why string) {
	t.Helper()
	if !Asked() || Short() {
		t.Skipf("left out: %s. `.ci/deep %s` runs it, and go test %s -run '%s'", why, part, folder(), Pattern(t.Name()))
	}
}

// Short reports whether tests run with -short, as .ci/run has them.
func Short() bool {
	short := flag.Lookup("test.short")
	return short != nil && short.Value.String() == "true"
}

// Pattern returns a test's name as -run wants it, each level whole. A sign that
// ends a shell's quotes is any.
func Pattern(test string) string {
	levels := strings.Split(test, "/")
	for i, level := range levels {
		levels[i] = "^" + strings.ReplaceAll(regexp.QuoteMeta(level), "'", ".") + "$"
	}
	return strings.Join(levels, "/")
}

// glances holds the names of tests that called Glance.
var glances sync.Map

// Glance exempts a test that is slow only by its kind, with its subtests, before
// it calls Test: of each kind one runs always.
func Glance(t TB) { glances.Store(t.Name(), true) }

// folder returns the folder of the package under test, as a go command in the
// module's root wants it. Tests that change their folder ask before they do.
func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				return "."
			}
			return "./" + filepath.ToSlash(rel)
		}
		if root == filepath.Dir(root) {
			return "."
		}
	}
}
