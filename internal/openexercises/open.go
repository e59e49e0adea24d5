package openexercises

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reconcile/internal/exercise/numbering"
)

// Env names exercises that are to be taken for open, by commas, besides those
// of the reader's progress.
const Env = "RECONCILE_OPEN"

// PlainEnv, if set, makes tests run as in a book without open exercises.
const PlainEnv = "RECONCILE_PLAIN_TESTS"

// SoonEnv, if set, gives up soon, and all that is left, when a test comes to no
// end.
const SoonEnv = "RECONCILE_SOON"

// ReachEnv, if set, makes tests say that they compare a recording. A recording has
// the book's words, so such a test judges a reader's answer only if it is marked.
const ReachEnv = "RECONCILE_REACH"

// LookEnv, if set, names a folder. Each cluster of the tests leaves its record
// there: a file that a Record names.
const LookEnv = "RECONCILE_LOOK"

// Recorded is what they say.
const Recorded = "\x16recorded"

// Run runs the tests of the package in the working folder, as m.Run does. m is
// a *testing.M, or makes ready for one.
func Run(m interface{ Run() int }) (exitCode int) {
	flag.Parse()
	exercises := exercises()
	if len(exercises) == 0 || os.Getenv(PlainEnv) != "" || isSet("test.bench", "test.fuzz", "test.list") {
		return m.Run()
	}
	own, below := divide(exercises, chapterHere())
	if len(below) > 0 && !isSet("test.run") {
		sayBelow(os.Stdout, below)
		return 1
	}
	if len(own)+len(below) == 0 {
		return m.Run()
	}
	sayOpen(os.Stdout, append(own, below...))
	s := supervisor{
		out: os.Stdout, verbose: value("test.v"), without: value("test.skip"), measure: usual, start: again,
	}
	if os.Getenv(SoonEnv) != "" {
		s.measure = soon
	}
	return s.run()
}

func isSet(flags ...string) bool {
	return slices.ContainsFunc(flags, func(name string) bool { return value(name) != "" })
}

func value(name string) string { return flag.Lookup(name).Value.String() }

func sayOpen(out io.Writer, exercises []string) {
	for _, number := range exercises {
		fmt.Fprintf(out, "Exercise %s is open: what fails here may wait for it. "+
			"`go run ./cmd/lab exercise test %s` runs the tests that judge it.\n", number, number)
	}
}

func sayBelow(out io.Writer, exercises []string) {
	for _, number := range exercises {
		fmt.Fprintf(out, "Exercise %s is open, and these tests stand on its chapter: they wait until it passes. "+
			"`go run ./cmd/lab exercise reset %s` puts the book's answer back; with -run they run all the same.\n",
			number, number)
	}
}

// divide returns the exercises of a chapter, and those of the chapters that it
// imports. Chapter 0 stands for code outside of the chapters, which may import
// all of them.
func divide(exercises []string, chapter int) (own, below []string) {
	for _, number := range exercises {
		switch of := numbering.Chapter(number); {
		case of == chapter:
			own = append(own, number)
		case chapter == 0 || of < chapter:
			below = append(below, number)
		}
	}
	return own, below
}

// chapterHere returns the number of the chapter in whose folder the tests run,
// or 0 if it is in none.
func chapterHere() int {
	here, err := os.Getwd()
	if err != nil {
		return 0
	}
	for dir := here; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(filepath.Dir(dir)) == "chapters" {
			prefix, _, _ := strings.Cut(filepath.Base(dir), "-")
			chapter, _ := strconv.Atoi(prefix)
			return chapter
		}
	}
	return 0
}

// Any reports whether an exercise is open.
func Any() bool { return len(exercises()) > 0 }

// exercises returns those that were started and do not pass yet. If no progress
// can be read, nothing was started.
func exercises() []string {
	if named := os.Getenv(Env); named != "" {
		return strings.Split(named, ",")
	}
	here, err := os.Getwd()
	for dir := here; err == nil; dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			text, _ := os.ReadFile(filepath.Join(dir, ".reconcile", "progress.json"))
			return started(text, chapterHere())
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return nil
}

// record is what is known of an exercise's progress.
type record struct {
	Started time.Time
	Files   []string // that were cut
	Passed  bool
}

// aside reports whether all that was cut is in a package of the exercise's own. No
// chapter stands on that.
func (r record) aside() bool {
	return !slices.ContainsFunc(r.Files, func(file string) bool { return !strings.Contains(file, "/exercises/") })
}

// started returns the exercises that are open for the tests of a chapter, or of
// none, which is 0.
func started(progress []byte, chapter int) []string {
	var p struct{ Exercises map[string]record }
	if json.Unmarshal(progress, &p) != nil {
		return nil
	}
	var open []string
	for said, r := range p.Exercises {
		number := numbering.Of(said)
		elsewhere := chapter > 0 && numbering.Chapter(number) != chapter
		if !r.Started.IsZero() && len(r.Files) > 0 && !r.Passed && !(elsewhere && r.aside()) {
			open = append(open, number)
		}
	}
	slices.SortFunc(open, numbering.Compare)
	return open
}
