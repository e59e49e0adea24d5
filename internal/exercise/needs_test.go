package exercise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

func TestMinutesAreAGuessUntilTheyAreMeasured(t *testing.T) {
	f := newFixture(t)
	f.replace("exercises/1c.md", "minutes: 10", "minutes: {median: 22, people: 18}")
	assert.Equal(t, "about 20 min, a guess", f.exercise("1b").Span.String())
	assert.Equal(t, "22 min, the median of 18", f.exercise("1c").Span.String())
}

func TestNeedsAreEarlierExercisesOfTheChapter(t *testing.T) {
	f := withKinds(t)
	assert.Equal(t, []string{"1b", "1c"}, f.exercise("1e").Needs())
	assert.Empty(t, f.exercise("1b").Needs())

	for name, test := range map[string]struct{ file, old, with, says string }{
		"of another chapter": {"1e.md", "1b, 1c", "1c, 2j",
			"1e.md:4: needs: there is no exercise 2j in its chapter; of earlier ones all count as the book has them"},
		"unknown": {"1e.md", "[1b, 1c]", "[ 1b,\n  1k]",
			"1e.md:5: needs: there is no exercise 1k in its chapter; of earlier ones all count as the book has them"},
		"later":   {"1e.md", "1b, 1c", "1g", "1e.md:4: needs: 1g comes later, and is not begun by then"},
		"itself":  {"1e.md", "1b, 1c", "1e", "1e.md:4: needs: 1e is the exercise itself"},
		"twice":   {"1e.md", "1b, 1c", "1b, 1b", "1e.md:4: needs: 1b is needed by way of 1b already"},
		"by way":  {"1g.md", "minutes: 5", "minutes: 5\nneeds: [1c, 1e]", "1g.md:4: needs: 1c is needed by way of 1e already"},
		"no code": {"1f.md", "minutes: 5", "minutes: 5\nneeds: [1b]", "1f.md:4: needs: only of an exercise whose answer is code"},
		"a title": {"1e.md", "1b, 1c", "Compare and act", "1e.md:4: needs: the numbers of exercises, such as [1d, 1f]"},
		"half a measure": {"1e.md", "minutes: 10", "minutes: {median: 10}",
			"1e.md:3: minutes: a number, which is a guess; or measured: {median: 22, people: 18}"},
		"measured in words": {"1e.md", "minutes: 10", "minutes: {median: 10, people: many}",
			"1e.md:3: this needs a whole number, not `many`"},
	} {
		t.Run(name, func(t *testing.T) {
			f := withKinds(t)
			f.replace("exercises/"+test.file, test.old, test.with)
			_, err := f.load()
			assert.Contains(t, f.problems(err), "exercises/"+test.says)
		})
	}
}

func TestProveFindsWhatAnExerciseNeeds(t *testing.T) {
	t.Parallel()
	options := exercise.Options{Memory: t.TempDir(), Update: true}
	none := [3]string{"exercises/1e.md", "needs: [1b, 1c]\n", ""}
	for name, test := range map[string]struct {
		edits [][3]string
		says  string
	}{
		"one too few": {[][3]string{{"exercises/1e.md", "[1b, 1c]", "[1c]"}},
			`exercises/1e.md:4: write "needs: [1b, 1c]": the tests fail with one of these open: 1b`},
		"none": {[][3]string{none},
			`exercises/1e.md:1: write "needs: [1b, 1c]": the tests fail with one of these open: 1b, 1c`},
		"one by way of another": {[][3]string{none,
			{"exercises/1c.md", "minutes: 10", "minutes: 10\nneeds: [1b]"},
			{"plan_test.go", "if got := describe(0,", "create, _ := plan(1, nil)\n\tif got := describe(create-1,"}},
			`exercises/1e.md:1: write "needs: [1c]": the tests fail with one of these open: 1b, 1c`},
		"one too many": {[][3]string{{"exercises/1c.md", "minutes: 10", "minutes: 10\nneeds: [1b]"},
			{"exercises/1e.md", "[1b, 1c]", "[1c]"}}, // and so it is by way of that
			"exercises/1c.md:4: 1c needs 1b? The tests pass with all of these open: 1b"},
	} {
		t.Run(name, func(t *testing.T) {
			f := withKinds(t)
			_, err := f.prove(options)
			require.NoError(t, err)
			for _, edit := range test.edits {
				f.replace(edit[0], edit[1], edit[2])
			}
			_, err = f.prove(options)
			assert.Equal(t, []string{test.says}, f.problems(err))
		})
	}
}

// Exercises of one package are open to the tests of another in one binary.
func TestProveOpensExercisesOfOtherPackages(t *testing.T) {
	t.Parallel()
	f := withRooms(t)
	kinds := withKinds(t)
	again := strings.NewReplacer("1g", "1j", "2 * n }", "node.Room(2*n, 0) }",
		"package twice\n\n", "package twice\n\nimport \"book/chapters/01-counting/node\"\n\n", "minutes: 5", "minutes: 5\nneeds: [1h]")
	require.NoError(t, os.Mkdir(filepath.Join(f.chapter, "exercises", "1j"), 0o755))
	for _, file := range []string{".md", "/twice.go"} {
		f.write("exercises/1j"+file, again.Replace(kinds.read("exercises/1g"+file)))
	}
	f.write("exercises/1j/twice_test.go", strings.ReplaceAll(kinds.read("exercises/1g/twice_test.go"), "1g", "1j"))
	report, err := f.prove(exercise.Options{Update: true})
	require.NoError(t, err)
	assert.Equal(t, 1, report.Needs)
	assert.Equal(t, 3, report.Built, "one a package")
}

func TestProveBeginsInTheTreesThatItIsGiven(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	options := exercise.Options{Memory: t.TempDir(), Trees: []exercise.Tree{
		{Name: "checkpoint day:1", File: "day.md", Line: 12, Begins: []string{"1b"}},
		{Name: "checkpoint day:2", File: "day.md", Line: 16, Before: []string{"1b"}, Begins: []string{"1c"}},
	}}
	_, err := f.prove(options)
	require.NoError(t, err)

	f.replace("plan_test.go", "create != 2", "create != 2 || apply(1, nil) == \"\"")
	_, err = f.prove(options)
	assert.Contains(t, f.problems(err), "day.md:16: checkpoint day:2: what is before it passes? "+
		"The tests fail with all of these open: 1c; and with one of these: 1c")
}
