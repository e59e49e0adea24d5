package exercise_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

const sliding = `# It slides over what is left

Slices has it all.

` + "```go" + `
import "slices"

func plan(desired int, running []string) (int, []string) {
	if missing := desired - len(running); missing > 0 {
		return missing, []string{}
	}
	return 0, slices.Sorted(slices.Values(running))[desired:]
}
` + "```\n"

// withRight adds a right answer to exercise 1b.
func withRight(t *testing.T, text string) fixture {
	t.Helper()
	f := newFixture(t)
	require.NoError(t, os.Mkdir(filepath.Join(f.chapter, "exercises", "1b.right"), 0o755))
	f.write("exercises/1b.right/sliding.md", text)
	return f
}

func TestLoadReadsRightAnswersAsItReadsWrongOnes(t *testing.T) {
	right := withRight(t, sliding).exercise("1b").Right
	require.Len(t, right, 1)
	assert.Equal(t, "It slides over what is left", right[0].Name)
	assert.Equal(t, "Slices has it all.", right[0].Why)
	assert.Contains(t, string(right[0].Code), "slices.Sorted")
}

func TestLoadNamesTheLineOfWhatIsWrongWithARightAnswer(t *testing.T) {
	const file = "exercises/1b.right/sliding.md"
	for name, test := range map[string]struct{ in, old, with, says string }{
		"no heading":      {file, "# It", "It", file + ":1: an answer has one heading, # and its name, on its first line"},
		"no Go":           {file, "```go\n", "```sh\n", file + ":5: the code of an answer stands between ```go and ```"},
		"no declaration":  {file, "func plan(", "func plane(", file + `:6: "It slides over what is left" replaces plane, which 01-counting does not declare`},
		"does not parse":  {file, "missing > 0 {", "missing > 0", file + `:9: "It slides over what is left": expected '{', found newline`},
		"of a prediction": {"exercises/1b.md", "minutes: 20\n", "minutes: 20\nkind: design\n", file + ":1: only an exercise whose answer is code has other ones"},
	} {
		t.Run(name, func(t *testing.T) {
			f := withRight(t, sliding)
			f.replace(test.in, test.old, test.with)
			_, err := f.load()
			assert.Contains(t, f.problems(err), test.says)
		})
	}
	f := withRight(t, sliding)
	require.NoError(t, os.Rename(filepath.Join(f.chapter, "exercises", "1b.right"), filepath.Join(f.chapter, "exercises", "1l.right")))
	_, err := f.load()
	assert.Equal(t, []string{"exercises/1l.right:1: there is no exercises/1l.md"}, f.problems(err))
}

func TestProveHasEveryRightAnswerPass(t *testing.T) {
	t.Parallel()
	f := withRight(t, sliding)
	report, err := f.prove(exercise.Options{})
	require.NoError(t, err)
	assert.Equal(t, 1, report.RightAnswers)

	const file = "exercises/1b.right/sliding.md"
	f.replace(file, "[desired:]", "[desired-1:]")
	_, err = f.prove(exercise.Options{})
	assert.Equal(t, file+`:1: TestPlanDeletesTheLastByName fails on "It slides over what is left", which is right (1b):`, f.problems(err)[0])

	f.replace(file, "[desired-1:]", "[undesired:]")
	_, err = f.prove(exercise.Options{})
	assert.Equal(t, file+`:1: "It slides over what is left", which is right (1b) does not build:`, f.problems(err)[0])

	f.write(file, "# The same\n\n```go\n"+string(f.exercise("1b").Functions[0].File.Content[len("// Package counting compares what is with what should be.\npackage counting\n"):])+"```\n")
	_, err = f.prove(exercise.Options{})
	assert.Equal(t, []string{file + `:1: "The same", which is right (1b) is the book's answer`}, f.problems(err))
}
