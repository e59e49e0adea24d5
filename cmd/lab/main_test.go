package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newBook makes a small book the folder in which lab is run.
func newBook(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	fixture := filepath.Join("..", "..", "internal", "exercise", "testdata", "book")
	require.NoError(t, os.CopyFS(root, os.DirFS(fixture)))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module book\n\ngo 1.26\n"), 0o644))
	t.Chdir(filepath.Join(root, "chapters", "01-counting"))
}

// runLab runs a command line; the exit code must be as expected.
func runLab(t *testing.T, code int, arguments ...string) string {
	t.Helper()
	var out strings.Builder
	if arguments == nil {
		arguments = []string{} // cobra takes nil for the test's own
	}
	got := run(t.Context(), arguments, &out, &out)
	require.Equal(t, code, got, out.String())
	return out.String()
}

func ex(t *testing.T, code int, arguments ...string) string {
	t.Helper()
	return runLab(t, code, append([]string{"exercise"}, arguments...)...)
}

func replaceInPlan(t *testing.T, old, with string) {
	t.Helper()
	text, err := os.ReadFile("plan.go")
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile("plan.go", []byte(strings.Replace(string(text), old, with, 1)), 0o644))
}

func TestAReaderWorksThroughAnExercise(t *testing.T) {
	newBook(t)
	assert.Equal(t, `EXERCISE   TITLE             MINUTES   FUNCTIONS
1.1        Compare and act   20        plan
1.2        Say it            10        Counter.Add, describe
`, ex(t, 0, "list"))

	assert.Equal(t, `Exercise 1.2 · Say it · about 10 minutes

  Write `+"`describe` and `Counter.Add`"+`.

Write Counter.Add in chapters/01-counting/counter.go
Write describe in chapters/01-counting/plan.go

Then: go run ./cmd/lab exercise test 1.2
Stuck: go run ./cmd/lab exercise hint 1.2
`, ex(t, 0, "start", "1.2"))
	assert.Contains(t, ex(t, 0, "start", "1.2"), "is started already; nothing has changed. To begin again: go run ./cmd/lab exercise reset 1.2")

	failed := ex(t, 1, "test", "1.2")
	assert.Contains(t, failed, "Exercise 1.2 · Say it\ngo test ./chapters/01-counting -run '^(TestCounterRefusesLess|TestDescribeNamesTheDeleted)$'\n")
	assert.Contains(t, failed, "✗ TestCounterRefusesLess")
	assert.NotContains(t, failed, "lab:")

	assert.Equal(t, "Hint 1 of 3\n\n  There are two functions.\n\n", ex(t, 0, "hint", "1.2"))
	assert.Contains(t, ex(t, 0, "hint", "1.2", "--all"), "Hint 3 of 3\n\n  `errors.New`\n\nThat was the last hint.")

	assert.Contains(t, ex(t, 0, "solution", "1.2"), "// chapters/01-counting/plan.go\n\n// describe says what a plan does.\nfunc describe(")
	written := ex(t, 0, "solution", "1.2", "--write")
	assert.Contains(t, written, "The book's answer is in chapters/01-counting/plan.go\n")
	assert.Contains(t, written, "What you had written is kept in .reconcile/kept/1.2/1-solution\n")
	assert.Contains(t, ex(t, 0, "solution", "1.2", "--write"), "no file has changed")

	assert.Contains(t, ex(t, 0, "test", "1.2"), "Next: Compare and act, about 20 minutes: go run ./cmd/lab exercise start 1.1\n")
	assert.Equal(t, `EXERCISE   TITLE             STATE              ATTEMPTS   HINTS   LAST RESULT
1.1        Compare and act   untouched          0          0
1.2        Say it            passing (peeked)   2          3       2 of 2 pass
`, ex(t, 0, "status"))
	assert.Contains(t, ex(t, 0, "reset", "1.2"), "is the book's already")
}

func TestResetSaysWhereMineIs(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1.1")
	ex(t, 0, "start", "1.2")
	replaceInPlan(t, "return 0, nil", "return 0, nil }")
	refused := ex(t, 1, "reset", "1.1")
	assert.Contains(t, refused, "lab: chapters/01-counting/plan.go:11:1: expected declaration")
	assert.Contains(t, refused, "--file")
	done := ex(t, 0, "reset", "1.1", "--file")
	assert.Contains(t, done, "chapters/01-counting/plan.go has the book's version of exercise 1.1 again.\n")
	assert.Contains(t, done, "What you had written is kept in .reconcile/kept/1.1/1-reset\nReset with it: 1.2\n")
}

func TestTestingTheBooksAnswerSaysSo(t *testing.T) {
	newBook(t)
	assert.Contains(t, ex(t, 0, "test", "1.1"), "This is the book's own answer: exercise 1.1 is not started.")
}

func TestErrorsSayHowToGoOn(t *testing.T) {
	newBook(t)
	assert.Contains(t, ex(t, 1, "start"), "which exercise? `go run ./cmd/lab exercise start 1.1`, for example")
	assert.Contains(t, ex(t, 1, "start", "1.1", "1.2"), "one exercise at a time")
	assert.Contains(t, ex(t, 1, "start", "7.7"), "there is no exercise \"7.7\"")
	assert.Contains(t, ex(t, 1, "watch"), "no exercise is started")
	assert.Contains(t, ex(t, 1, "begin"), "unknown command")
	for _, command := range []string{"start", "test", "hint", "solution", "reset", "watch"} {
		assert.Contains(t, ex(t, 1, command, "7.7"), "there is no exercise \"7.7\"")
	}
	t.Chdir(t.TempDir())
	for _, command := range []string{"list", "status"} {
		assert.Contains(t, ex(t, 1, command), "is not inside the book")
	}
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	help := runLab(t, 0)
	assert.Contains(t, help, "go run reconcile/cmd/lab everywhere else")
	for _, command := range newExerciseCommand().Commands() {
		help := ex(t, 0, command.Name(), "--help")
		assert.Contains(t, help, "go run ./cmd/lab exercise "+command.Name())
	}
}

func TestTheShellCompletesNumbers(t *testing.T) {
	newBook(t)
	assert.Contains(t, runLab(t, 0, "__complete", "exercise", "start", ""), "1.1\tCompare and act\n1.2\tSay it\n")
}

func TestCtrlCLeavesWithoutAWordOfBlame(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1.1")
	ctx, cancel := context.WithCancel(t.Context())
	out := &ender{at: "Waiting for a save", end: cancel}
	assert.Equal(t, 0, run(ctx, []string{"exercise", "watch"}, out, out))

	ctx, cancel = context.WithCancel(t.Context())
	out = &ender{at: "go test", end: cancel}
	assert.Equal(t, 130, run(ctx, []string{"exercise", "test", "1.1"}, out, out))
	assert.Contains(t, out.String(), "lab: interrupted; nothing is lost")
}

// An ender is output that ends a context when something is written to it.
type ender struct {
	strings.Builder
	at  string
	end func()
}

func (e *ender) Write(text []byte) (int, error) {
	n, err := e.Builder.Write(text)
	if strings.Contains(e.String(), e.at) {
		e.end()
	}
	return n, err
}
