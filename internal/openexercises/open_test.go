package openexercises

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An exercise that cuts no file stands in no test's way.
func TestAnExerciseIsOpenFromItsStartUntilItPasses(t *testing.T) {
	assert.Equal(t, []string{"1f", "2a"}, started([]byte(`{"version": 1, "exercises": {
		"2a": {"started": "2026-01-02T03:04:05Z", "files": ["b.go"], "hints": 2},
		"1f": {"started": "2026-01-02T03:04:05Z", "files": ["a.go"]},
		"1g": {"started": "2026-01-02T03:04:05Z", "files": ["a.go"], "passed": true},
		"1j": {"started": "2026-01-02T03:04:05Z"},
		"1h": {"peeked": true}}}`), 0))
	assert.Empty(t, started([]byte("{ broken"), 0))
	assert.Empty(t, started(nil, 0))
}

// What has a package of its own is imported by no other chapter.
func TestAnExerciseAsideIsOpenInItsOwnChapter(t *testing.T) {
	progress := []byte(`{"exercises": {
		"1j": {"started": "2026-01-02T03:04:05Z", "files": ["chapters/01-loop/exercises/1j/tidy.go"]},
		"1.5": {"started": "2026-01-02T03:04:05Z", "files": ["chapters/01-loop/fifo.go"]}}}`)
	assert.Equal(t, []string{"1f", "1j"}, started(progress, 1))
	assert.Equal(t, []string{"1f"}, started(progress, 5))
	assert.Equal(t, []string{"1f", "1j"}, started(progress, 0), "the lab can run it")
}

func TestWhatStandsOnAChapterWaitsForItsExercises(t *testing.T) {
	exercises := []string{"1f", "2a", "10a"}
	own, below := divide(exercises, 2)
	assert.Equal(t, []string{"2a"}, own)
	assert.Equal(t, []string{"1f"}, below)
	own, below = divide(exercises, 0)
	assert.Empty(t, own)
	assert.Equal(t, exercises, below)
}

func TestTheOpenExerciseIsNamed(t *testing.T) {
	var out bytes.Buffer
	sayOpen(&out, []string{"1f"})
	sayBelow(&out, []string{"1f"})
	assert.Equal(t, "Exercise 1f is open: what fails here may wait for it. "+
		"`go run ./cmd/lab exercise test 1f` runs the tests that judge it.\n"+
		"Exercise 1f is open, and these tests stand on its chapter: they wait until it passes. "+
		"`go run ./cmd/lab exercise reset 1f` puts the book's answer back; with -run they run all the same.\n", out.String())
}

// Run decides whether any test of the book is run at all.
func TestRunRunsTheTestsUnlessTheyWaitForAnExercise(t *testing.T) {
	const passes = "-test.run=^TestFixturePasses$"
	isOpen := "Exercise 2a is open: what fails here may wait for it. " +
		"`go run ./cmd/lab exercise test 2a` runs the tests that judge it.\n"
	for _, test := range []struct {
		what, folder, open string
		args               []string
		code               int
		says               string
	}{
		{"nothing is open", "chapters/02-two", "", []string{passes}, 0, "PASS\n"},
		{"and a test fails", "chapters/02-two", "", []string{"-test.run=^TestFixtureMixedB$"}, 1, ""},
		{"its own chapter's", "chapters/02-two", "2a", []string{passes}, 0, isOpen + "PASS\n"},
		{"and a test fails", "chapters/02-two", "2a", []string{"-test.run=^TestFixtureMixedB$"}, 1, ""},
		{"a package's below it", "chapters/02-two/room", "2a", []string{passes}, 0, isOpen + "PASS\n"},
		{"of a chapter above", "chapters/01-one", "2a", []string{passes}, 0, "PASS\n"},
		{"of a chapter below", "chapters/03-three", "2a", nil, 1,
			"Exercise 2a is open, and these tests stand on its chapter: they wait until it passes. " +
				"`go run ./cmd/lab exercise reset 2a` puts the book's answer back; with -run they run all the same.\n"},
		{"but asked for by name", "chapters/03-three", "2a", []string{passes}, 0, isOpen + "PASS\n"},
		{"of any chapter", "internal/03-three", "2a", []string{passes}, 0, isOpen + "PASS\n"},
		{"only listed", "chapters/03-three", "2a", []string{"-test.list=^TestFixturePasses$"}, 0, "TestFixturePasses\n"},
	} {
		t.Run(test.what, func(t *testing.T) {
			command := exec.Command(os.Args[0], test.args...)
			command.Dir = filepath.Join(t.TempDir(), test.folder)
			require.NoError(t, os.MkdirAll(command.Dir, 0o755))
			command.Env = append(os.Environ(), fixture+"=Run", Env+"="+test.open)
			said, _ := command.CombinedOutput()
			assert.Equal(t, test.code, command.ProcessState.ExitCode(), "%s", said)
			if test.says != "" {
				assert.Equal(t, test.says, string(said))
			}
		})
	}
}
