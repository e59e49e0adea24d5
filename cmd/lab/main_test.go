package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/lab/program"
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

// callByScript has lab called as in a packed folder.
func callByScript(t *testing.T) {
	t.Helper()
	before := byHand
	t.Cleanup(func() { byHand = before })
	t.Setenv("RECONCILE_CALLED", "./start.sh")
	byHand = "./start.sh "
}

// runLab runs a command line; the exit code must be as expected.
func runLab(t *testing.T, code int, arguments ...string) string {
	t.Helper()
	var out strings.Builder
	if arguments == nil {
		arguments = []string{} // cobra takes nil for the test's own
	}
	got := program.Run(t.Context(), newRoot(), arguments, &out, &out)
	require.Equal(t, code, got, out.String())
	return out.String()
}

// ex runs lab exercise. What it says while it waits, on a slow machine, is left out.
func ex(t *testing.T, code int, arguments ...string) string {
	t.Helper()
	said := runLab(t, code, append([]string{"exercise"}, arguments...)...)
	return regexp.MustCompile(`(?m)^lab: Go compiles .*\n`).ReplaceAllString(said, "")
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
	assert.Equal(t, `EXERCISE   TITLE             KIND    LEVEL   TIME                    STATE       ATTEMPTS   HINTS   LAST RESULT
1b         Compare and act   write           about 20 min, a guess   untouched   0          0
1c         Say it            write           about 10 min, a guess   untouched   0          0

0 of 2 passed, about 30 minutes left.
`, ex(t, 0, "list"))

	assert.Equal(t, `Exercise 1c · Say it · about 10 min, a guess

  Write `+"`describe` and `Counter.Add`"+`.

Write Counter.Add in chapters/01-counting/counter.go
Write describe in chapters/01-counting/plan.go
Mind that `+"`git diff`"+` shows what was taken out.

Then: go run ./cmd/lab exercise test 1c
Stuck: go run ./cmd/lab exercise hint 1c
`, ex(t, 0, "start", "1c"))
	assert.Contains(t, ex(t, 0, "start", "1c"), "is started already; nothing has changed. To begin again: go run ./cmd/lab exercise reset 1c, then start it")

	failed := ex(t, 1, "test", "1c")
	assert.Equal(t, `Exercise 1c · Say it

  ✗ Describe names the deleted
      plan_test.go:36
  ✗ Counter refuses less
      counter_test.go:13  a negative count was added

2 of 2 fail.
Counter.Add and describe are still to be written.
`, failed)

	assert.Equal(t, "Hint 1 of 3\n\n  There are two functions.\n\n", ex(t, 0, "hint", "1c"))
	assert.Contains(t, ex(t, 0, "hint", "1c", "--all"), "Hint 3 of 3\n\n  `errors.New`\n\nThat was the last hint.")

	assert.Contains(t, ex(t, 0, "solution", "1c"), "// chapters/01-counting/plan.go\n\n// describe says what a plan does.\nfunc describe(")
	written := ex(t, 0, "solution", "1c", "--write")
	assert.Contains(t, written, "The book's answer is in chapters/01-counting/plan.go\n")
	assert.NotContains(t, written, "What you had written", "a stub is no loss")
	assert.Contains(t, ex(t, 0, "solution", "1c", "--write"), "no file has changed")

	assert.Contains(t, ex(t, 0, "test", "1c"), "2 of 2 pass.\nBut Counter.Add and describe are the book's own: that is no pass. "+
		"To write yours: go run ./cmd/lab exercise start 1c. To go on all the same: go run ./cmd/lab exercise next\n")
	assert.Equal(t, `EXERCISE   TITLE             KIND    LEVEL   TIME                    STATE       ATTEMPTS   HINTS   LAST RESULT
1b         Compare and act   write           about 20 min, a guess   untouched   0          0
1c         Say it            write           about 10 min, a guess   peeked      1          3       2 of 2 fail

0 of 2 passed, about 30 minutes left; open: 1c.
`, ex(t, 0, "list"))
	assert.Contains(t, ex(t, 0, "reset", "1c"), "is the book's already")
}

func TestTheCourseIsListedAndFollowed(t *testing.T) {
	newBook(t)
	require.NoError(t, os.MkdirAll("../../workshop", 0o755))
	require.NoError(t, os.WriteFile("../../workshop/course.md", []byte("---\n{title: The course, summary: One., people: 1}\n---\n"+
		"## An evening\n\n- [1c Say it](../chapters/01-counting/exercises/1c.md)\n"), 0o644))
	assert.Equal(t, `EXERCISE   TITLE    KIND    LEVEL   TIME                    STATE       ATTEMPTS   HINTS   LAST RESULT
1c         Say it   write           about 10 min, a guess   untouched   0          0

0 of the course's 1 passed, about 10 minutes left.

All 2 of the book: go run ./cmd/lab exercise list --all
`, ex(t, 0, "list"))
	assert.Contains(t, ex(t, 0, "list", "--all"), "0 of 2 passed, about 30 minutes left.\n")
	assert.Contains(t, ex(t, 0, "next"), "Exercise 1c · Say it")
	ex(t, 0, "start", "1b")
	assert.Contains(t, ex(t, 0, "list"), `0 of the course's 1 passed, about 10 minutes left; open: 1c.

Begun besides:

EXERCISE   TITLE             KIND    LEVEL   TIME                    STATE     ATTEMPTS   HINTS   LAST RESULT
1b         Compare and act   write           about 20 min, a guess   started   0          0

0 of these 1 passed, about 20 minutes left; open: 1b.
`)
	require.NoError(t, os.WriteFile("../../workshop/course.md", []byte("- 1c\n"), 0o644))
	assert.Contains(t, ex(t, 0, "list"), "0 of 2 passed", "a course that can't be read is none")
}

func TestResetSaysWhereMineIs(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1b")
	ex(t, 0, "start", "1c")
	replaceInPlan(t, "return 0, nil", "return 0, nil }")
	refused := ex(t, 1, "reset", "1b")
	assert.Contains(t, refused, "lab: chapters/01-counting/plan.go:11:1: expected declaration")
	assert.Contains(t, refused, "--file")
	done := ex(t, 0, "reset", "1b", "--file")
	assert.Contains(t, done, "chapters/01-counting/plan.go has the book's version of exercise 1b again.\n")
	assert.Contains(t, done, "What you had written is kept in .reconcile/kept/1b/1-reset\nReset with it: 1c\n")
}

func TestTestingTheBooksAnswerSaysSo(t *testing.T) {
	newBook(t)
	assert.Contains(t, ex(t, 0, "test", "1b"), "This is the book's own answer: exercise 1b is not started.")
}

const (
	wrongPlan = "\tif len(running) < desired {\n\t\treturn desired - len(running), nil\n\t}\n\treturn 0, running[desired:]\n"
	rightPlan = "\tif len(running) < desired {\n\t\treturn desired - len(running), nil\n\t}\n" +
		"\trunning = append([]string{}, running...)\n\tsort.Strings(running)\n\treturn 0, running[desired:]\n"
)

func TestAFailureIsToldInSentencesAndAWrongAnswerByItsName(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1b")
	replaceInPlan(t, "\treturn 0, nil\n", wrongPlan)
	assert.Equal(t, `Exercise 1b · Compare and act

  ✓ Plan creates what is missing
  ✗ Plan deletes the last by name
      plan_test.go:27  out of order: 1 desired of [c a b]: deleted [a b]
          given: {"c", "a", "b"}

1 of 2 pass.

This looks like "It deletes whoever is listed last".

  Lists come in any order.

All that the tests print: go run ./cmd/lab exercise test 1b --verbose
`, ex(t, 1, "test", "1b"))
	verbose := ex(t, 1, "test", "1b", "--verbose")
	assert.Contains(t, verbose, "  ✗ Plan deletes the last by name\n      TestPlanDeletesTheLastByName\n")
	assert.Contains(t, verbose, "          plan_test.go:27: 1 desired of [c a b]: deleted [a b]\n")
	assert.Equal(t, "✗ Exercise 1b · Compare and act: 1 of 2 fail, and it looks like \"It deletes whoever is listed last\"\n",
		ex(t, 1, "test", "--all"))

	replaceInPlan(t, wrongPlan, "\tsort()\n")
	assert.Equal(t, "Exercise 1b · Compare and act\n\nIt does not build:\n\n"+
		"  chapters/01-counting/plan.go:15:2: undefined: sort\n  chapters/01-counting/plan.go:16:1: missing return\n\n"+
		"The imports went with the body that used them: import \"sort\" again.\n", ex(t, 1, "test", "1b"))
}

func TestWhatPassesSinceTheLastTryIsNamed(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1b")
	assert.NotContains(t, ex(t, 1, "test", "1b"), "New since")
	replaceInPlan(t, "\treturn 0, nil\n", wrongPlan)
	assert.Contains(t, ex(t, 1, "test", "1b"), "1 of 2 pass.\nNew since the last try: \"Plan creates what is missing\"\n")
	assert.NotContains(t, ex(t, 1, "test", "1b"), "New since")
}

func TestOnesOwnAnswerPassesAndLeadsToTheNext(t *testing.T) {
	newBook(t)
	assert.Equal(t, "No exercise is started. The next one: go run ./cmd/lab exercise next\n", ex(t, 0, "test", "--all"))
	assert.Contains(t, ex(t, 0, "next"), "Exercise 1b · Compare and act · about 20 min, a guess\n")
	assert.Contains(t, ex(t, 0, "next"), "Exercise 1b is started already")
	replaceInPlan(t, "\treturn 0, nil\n", rightPlan)
	replaceInPlan(t, "package counting\n", "package counting\n\nimport \"sort\"\n")
	assert.Contains(t, ex(t, 0, "test", "1b"), "2 of 2 pass.\n\nWell done. Compare with the book's answer: "+
		"go run ./cmd/lab exercise solution 1b\nNext: Say it (about 10 min, a guess): go run ./cmd/lab exercise next\n")
	assert.Equal(t, "✓ Exercise 1b · Compare and act: 2 of 2 pass\n", ex(t, 0, "test", "--all"))
	assert.Contains(t, ex(t, 0, "next"), "Exercise 1c · Say it")
	assert.Contains(t, ex(t, 0, "list"), "\n1 of 2 passed, about 10 minutes left; open: 1c.\n")
	assert.Contains(t, ex(t, 0, "test", "1b"), "Of 1c the tests see the book's version, not yours; --mine shows them yours.\n")
}

func TestGotoSaysWhatItPutBackAndWhereMineIs(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1b")
	replaceInPlan(t, "\treturn 0, nil\n", wrongPlan)
	assert.Contains(t, ex(t, 0, "goto", "1c"), "Put back: 1b\nchapters/01-counting/plan.go is the book's again.\n"+
		"What you had written is kept in .reconcile/kept/1c/1-goto\n\nExercise 1c · Say it · about 10 min, a guess\n")
	assert.Contains(t, ex(t, 0, "reset", "--all"), "Put back: 1c\nchapters/01-counting/counter.go is the book's again.\n")
	assert.Equal(t, "Everything is the book's already; no file has changed.\n", ex(t, 0, "reset", "--all"))
	assert.Contains(t, ex(t, 1, "reset", "--all", "1b"), "either one exercise, or --all")
	assert.Contains(t, ex(t, 1, "reset"), "which exercise?")
}

// built runs a command line by the built program.
func built(t *testing.T, arguments ...string) (exitCode int, said string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	command.Env = append(os.Environ(), asLab+"=yes")
	out, _ := command.CombinedOutput() // its error is the exit code
	return command.ProcessState.ExitCode(), string(out)
}

func TestTheBuiltLabStartsJudgesAndPutsBack(t *testing.T) {
	newBook(t)
	before, err := os.ReadFile("plan.go")
	require.NoError(t, err)
	code, said := built(t, "exercise", "start", "1b")
	require.Zero(t, code, said)
	code, said = built(t, "exercise", "test", "1b")
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "2 of 2 fail.\nplan is still to be written.\n")
	_, said = built(t, "exercise", "reset", "1b")
	assert.Equal(t, "chapters/01-counting/plan.go has the book's version of exercise 1b again.\nYou had written nothing in it, so no copy is kept.\n", said)
	after, err := os.ReadFile("plan.go")
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

// A reader who looks at the first lines only has tried all the same.
func TestAnAttemptCountsThoughNobodyReadsToTheEnd(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1b")
	command := exec.Command(os.Args[0], "exercise", "test", "1b")
	command.Env = append(os.Environ(), asLab+"=yes")
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	require.NoError(t, out.Close())
	command.Wait() // its error is the exit code
	assert.Regexp(t, `1b +Compare and act +write +about 20 min, a guess +started +1 `, ex(t, 0, "list"))
}

func TestErrorsSayHowToGoOn(t *testing.T) {
	newBook(t)
	assert.Contains(t, ex(t, 1, "start"), "which exercise? `go run ./cmd/lab exercise start 1b`, for example")
	assert.Contains(t, ex(t, 1, "start", "1b", "1c"), "one exercise at a time")
	assert.Contains(t, ex(t, 1, "start", "7g"), "there is no exercise \"7g\"")
	assert.Contains(t, ex(t, 1, "watch"), "no exercise is started")
	assert.Contains(t, ex(t, 1, "begin"), `unknown command "begin" for "lab exercise"; --help lists those there are`)
	assert.Contains(t, ex(t, 1, "strat", "1b"), `unknown command "strat" for "lab exercise"; did you mean start?`)
	for _, command := range []string{"start", "test", "hint", "solution", "reset", "goto", "watch"} {
		assert.Contains(t, ex(t, 1, command, "7g"), "there is no exercise \"7g\"")
	}
	t.Chdir(t.TempDir())
	assert.Contains(t, ex(t, 1, "list"), "is not inside the book")
}

func TestADottedNumberIsUnderstoodAndSaidAnew(t *testing.T) {
	newBook(t)
	assert.Contains(t, ex(t, 0, "start", "1.1"), "lab: exercise 1.1 is 1b now\nExercise 1b · Compare and act")
	for _, command := range []string{"start", "hint", "solution", "goto", "reset"} {
		assert.Contains(t, ex(t, 0, command, "1.1"), "lab: exercise 1.1 is 1b now\n", command)
	}
	assert.Contains(t, ex(t, 0, "test", "1.1"), "lab: exercise 1.1 is 1b now\nExercise 1b · Compare and act")
	assert.NotContains(t, ex(t, 0, "start", "1B"), "now")
	assert.Equal(t, "lab: there is no exercise \"1.9\"; `go run ./cmd/lab exercise list --all` shows those there are\n", ex(t, 1, "start", "1.9"))
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
	assert.Contains(t, runLab(t, 0, "__complete", "exercise", "start", ""), "1b\tCompare and act\n1c\tSay it\n")
}

func TestCtrlCLeavesWithoutAWordOfBlame(t *testing.T) {
	newBook(t)
	ex(t, 0, "start", "1b")
	ctx, cancel := context.WithCancel(t.Context())
	out := &ender{at: "Waiting for a save", end: cancel}
	assert.Equal(t, 0, program.Run(ctx, newRoot(), []string{"exercise", "watch"}, out, out))
	assert.Contains(t, out.String(), "2 of 2 fail.\nplan is still to be written.\n\nWaiting for a save", "as test says it")

	ctx, cancel = context.WithCancel(t.Context())
	out = &ender{at: "Exercise 1b", end: cancel}
	assert.Equal(t, 130, program.Run(ctx, newRoot(), []string{"exercise", "test", "1b"}, out, out))
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

const twoSessions = `---
title: A day
summary: All of it.
start: "09:00"
minutes: 60
people: 2
---

## The plan

- [1b Compare and act](../chapters/01-counting/exercises/1b.md)

## Words

- [1c Say it](../chapters/01-counting/exercises/1c.md)

## Questions

- 10 min: Questions
`

func TestACheckpointBeginsASession(t *testing.T) {
	newBook(t)
	assert.Equal(t, "This book has no courses.\n", ex(t, 0, "checkpoint"))
	require.NoError(t, os.Mkdir("../../workshop", 0o755))
	require.NoError(t, os.WriteFile("../../workshop/day.md", []byte(twoSessions), 0o644))
	all := "CHECKPOINT   SESSION     STARTS\nday:1        The plan    1b\nday:2        Words       1c\nday:3        Questions\n"
	assert.Equal(t, all, ex(t, 0, "checkpoint"))
	assert.Equal(t, "lab: there is no checkpoint \"day:4\"; there are\n\n  "+strings.ReplaceAll(strings.TrimSpace(all), "\n", "\n  ")+"\n",
		ex(t, 1, "checkpoint", "day:4"))

	ex(t, 0, "start", "1b")
	replaceInPlan(t, "\treturn 0, nil\n", wrongPlan)
	assert.Contains(t, ex(t, 0, "checkpoint", "day:2"), "day:2 · Words\nThe book's version: 1b\nPut back: 1b\n"+
		"chapters/01-counting/plan.go is the book's again.\nWhat you had written is kept in .reconcile/kept/day-2/1-checkpoint\n\n"+
		"Exercise 1c · Say it · about 10 min, a guess\n")
	assert.Contains(t, ex(t, 0, "test", "1b"), "2 of 2 pass")
	assert.Contains(t, ex(t, 1, "test", "1c"), "2 of 2 fail")
	assert.Contains(t, ex(t, 0, "checkpoint", "day:1"), "day:1 · The plan\n\nExercise 1b", "what comes later stays")
	assert.Contains(t, ex(t, 0, "checkpoint", "day:3"), "Put back: 1b and 1c\n")
}

func TestWhatIsSaidNamesTheScriptOfAPackedFolder(t *testing.T) {
	newBook(t)
	callByScript(t)
	assert.Equal(t, "lab: there is no exercise \"9.9\"; `./start.sh list --all` shows those there are\n", ex(t, 1, "start", "9.9"))
	assert.NotContains(t, ex(t, 0, "start", "1b"), "git diff", "there is no git")
}

func TestTestsWithoutAMarkAreNamedIfTheyFailAndCountedIfNot(t *testing.T) {
	newBook(t)
	text, err := os.ReadFile("plan_test.go")
	require.NoError(t, err)
	unmarked := strings.Replace(string(text), "// The order of the deleted is by name.\n//\n//book:exercise 1b\n", "", 1)
	require.NoError(t, os.WriteFile("plan_test.go", []byte(unmarked), 0o644))
	require.NoError(t, os.WriteFile("exercises/reach.txt", []byte("TestPlanDeletesTheLastByName 5 1b\nTestDescribeNamesTheDeleted 5 1b\n"), 0o644))
	ex(t, 0, "start", "1b")
	replaceInPlan(t, "\treturn 0, nil\n", wrongPlan)
	assert.Contains(t, ex(t, 1, "test", "1b"), `
  ✓ Plan creates what is missing
  ✗ Plan deletes the last by name
      plan_test.go:24  out of order: 1 desired of [c a b]: deleted [a b]
          given: {"c", "a", "b"}
  ✓ and 1 more test that runs through your code

2 of 3 pass.
`)
	replaceInPlan(t, wrongPlan, rightPlan)
	replaceInPlan(t, "package counting\n", "package counting\n\nimport \"sort\"\n")
	assert.Contains(t, ex(t, 0, "test", "1b"), "\n  ✓ Plan creates what is missing\n  ✓ and 2 more tests that run through your code\n\n3 of 3 pass.\n\nWell done.")
}

// newBookOfKinds has an exercise of each other kind, too: 1d to 1g.
func newBookOfKinds(t *testing.T) {
	t.Helper()
	kinds, err := filepath.Abs("../../internal/exercise/testdata/kinds")
	require.NoError(t, err)
	newBook(t)
	require.NoError(t, os.CopyFS(".", os.DirFS(kinds)))
}

func TestWhatARunSaysIsShownOnlyToWhoAsks(t *testing.T) {
	newBookOfKinds(t)
	assert.Contains(t, ex(t, 0, "start", "1d"), "The file to write into: mine/1d.txt\n")
	require.NoError(t, os.WriteFile("../../mine/1d.txt", []byte("create a\ncreate b\nrest\n"), 0o644))
	assert.Equal(t, `Exercise 1d · What happens next
2 of 3 lines are as in the run.
Line 3 is another in the run: you say "rest".

This is "It stops too early".
  Two are not three.

What the run says: go run ./cmd/lab exercise test 1d --show
`, ex(t, 1, "test", "1d"))
	assert.Contains(t, ex(t, 1, "test", "1d", "--show"), `Line 3: you say "rest", the run says "create  c".`)
}

func TestTheAnswerToAQuestionIsAChecklist(t *testing.T) {
	newBookOfKinds(t)
	assert.Contains(t, ex(t, 0, "start", "1f"), "Think, talk, write it down in mine/1f.txt. Then: go run ./cmd/lab exercise solution 1f\n")
	assert.FileExists(t, "../../mine/1f.txt")
	assert.Equal(t, "Hold this beside mine/1f.txt, and tick what you have said as well.\n\n  - [ ] Because.\n", ex(t, 0, "solution", "1f"))
}

func TestACourseEndsWithAWord(t *testing.T) {
	newBook(t)
	require.NoError(t, os.MkdirAll("../../workshop", 0o755))
	require.NoError(t, os.WriteFile("../../workshop/course.md", []byte("---\n{title: The course, summary: One., people: 1}\n---\n"+
		"## All of it\n\n- [1b Compare and act](../chapters/01-counting/exercises/1b.md)\n"), 0o644))
	require.NoError(t, os.MkdirAll("exercises/1b.right", 0o755))
	require.NoError(t, os.WriteFile("exercises/1b.right/one.md", []byte("# It sorts first\n\nThat is shorter.\n\n```go\nimport \"sort\"\n\n"+
		"func plan(desired int, running []string) (create int, remove []string) {\n"+rightPlan+"}\n```\n"), 0o644))
	ex(t, 0, "next")
	replaceInPlan(t, "\treturn 0, nil\n", rightPlan)
	replaceInPlan(t, "package counting\n", "package counting\n\nimport \"sort\"\n")
	passed := ex(t, 0, "test", "1b")
	assert.Contains(t, passed, "Others have written it like this: go run ./cmd/lab exercise solution 1b --others\n\n"+
		"That was the last exercise of the course. Read on: chapters/after-the-course.md")
	assert.NotContains(t, passed, "Next:")
	assert.Contains(t, ex(t, 0, "solution", "1b", "--others"), "It sorts first\n\n  That is shorter.\n\n")
	assert.Contains(t, ex(t, 0, "next"), "To go on with all the others: go run ./cmd/lab exercise next --all\n")
	assert.NotContains(t, ex(t, 0, "list"), "open: 1c")
	assert.Contains(t, ex(t, 0, "next", "--all"), "1c")
}
