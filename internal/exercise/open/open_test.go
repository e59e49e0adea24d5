package open

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What cuts no file is in nobody's way.
func TestAnExerciseIsOpenFromItsStartUntilItPasses(t *testing.T) {
	assert.Equal(t, []string{"1.5", "2.1"}, started([]byte(`{"version": 1, "exercises": {
		"2.1": {"started": "2026-01-02T03:04:05Z", "files": ["b.go"], "hints": 2},
		"1.5": {"started": "2026-01-02T03:04:05Z", "files": ["a.go"]},
		"1.6": {"started": "2026-01-02T03:04:05Z", "files": ["a.go"], "passed": true},
		"1.9": {"started": "2026-01-02T03:04:05Z"},
		"1.7": {"peeked": true}}}`)))
	assert.Empty(t, started([]byte("{ broken")))
	assert.Empty(t, started(nil))
}

func TestWhatStandsOnAChapterWaitsForItsExercises(t *testing.T) {
	exercises := []string{"1.5", "2.1", "10.1"}
	own, below := divide(exercises, 2)
	assert.Equal(t, []string{"2.1"}, own)
	assert.Equal(t, []string{"1.5"}, below)
	own, below = divide(exercises, 0)
	assert.Empty(t, own)
	assert.Equal(t, exercises, below)
}

func TestTheOpenExerciseIsNamed(t *testing.T) {
	var out bytes.Buffer
	sayOpen(&out, []string{"1.5"})
	sayBelow(&out, []string{"1.5"})
	assert.Equal(t, "Exercise 1.5 is open: what fails here may wait for it. "+
		"`go run ./cmd/lab exercise test 1.5` runs the tests that judge it.\n"+
		"Exercise 1.5 is open, and these tests stand on its chapter: they wait until it passes. "+
		"`go run ./cmd/lab exercise reset 1.5` puts the book's answer back; with -run they run all the same.\n", out.String())
}
