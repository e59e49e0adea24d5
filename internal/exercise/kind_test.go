package exercise_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

// withKinds adds an exercise of each other kind: 1d to 1g.
func withKinds(t *testing.T) fixture {
	t.Helper()
	return newFixture(t).with("kinds")
}

func (f fixture) exercise(number string) *exercise.Exercise {
	f.t.Helper()
	exercises, err := f.load()
	require.NoError(f.t, err)
	for _, e := range exercises {
		if e.Number == number {
			return e
		}
	}
	require.Fail(f.t, "no exercise "+number)
	return nil
}

func TestLoadReadsEveryKind(t *testing.T) {
	f := withKinds(t)
	assert.Equal(t, exercise.Write, f.exercise("1b").Kind, "where nothing else is said")

	predict := f.exercise("1d")
	assert.Equal(t, exercise.Predict, predict.Kind)
	assert.Equal(t, []string{"create  a", "create  b", "create  c"}, predict.Run.Lines)
	assert.Equal(t, []exercise.WrongPrediction{
		{Name: "It stops too early", At: 3, Lines: []string{"rest"}, Why: "Two are\nnot three.", Line: 19},
		{Name: "It goes on", At: 4, Lines: []string{"create  d", "rest"}, Why: "Three are enough.", Line: 27},
	}, predict.Predictions)

	debug := f.exercise("1e")
	assert.Equal(t, "apply", debug.Functions[0].Name, "the fault says which")
	assert.Equal(t, "TestApplyDeletesWhatIsTooMany", debug.Tests[0].Name)
	assert.Equal(t, "As many are wanted as are running.", debug.Fault().Why)
	assert.Equal(t, "create 0, delete []\n", string(debug.Run.Text))

	extend := f.exercise("1g")
	assert.Equal(t, "chapters/01-counting/exercises/1g/twice.go", extend.Path(extend.Functions[0].File.Name))
	assert.Equal(t, "TestTwiceTwoIsFour", extend.Tests[0].Name)

	design := f.exercise("1f")
	assert.Equal(t, "Because.", string(design.Answer))
	assert.Equal(t, 10, design.AnswerLine)
}

func TestLoadNamesWhatAKindLacks(t *testing.T) {
	for name, test := range map[string]struct{ file, old, with, problem string }{
		"unknown":         {"exercises/1f.md", "kind: design", "kind: sing", "exercises/1f.md:1: kind: sing: there are write, predict, debug, extend and design"},
		"no answer":       {"exercises/1f.md", "## Answer", "## Hints", `exercises/1f.md:8: section "Hints" is not known: there are Answer`},
		"nothing given":   {"exercises/1d.md", "given: 1\n", "", "exercises/1d.md:1: given: of a prediction, and of nothing else, so many lines are given"},
		"all given":       {"exercises/1d.md", "given: 1", "given: 3", "exercises/1d.md:1: 3 lines are given of the 3 of exercises/1d.txt"},
		"no line":         {"exercises/1d.md", "Parts at line 3.", "Parts.", "exercises/1d.md:19: a wrong prediction begins with: Parts at line 3."},
		"it is the run":   {"exercises/1d.md", "rest", "create c", `exercises/1d.md:19: "It stops too early" is as the run is at line 3`},
		"rows of none":    {"exercises/1f.md", "kind: design", "kind: design\nrows: true", "exercises/1f.md:1: rows: the lines of a prediction have names"},
		"a given line":    {"exercises/1d.md", "at line 4", "at line 1", `exercises/1d.md:27: "It goes on" parts at line 1; 1 of 3 lines are given`},
		"two faults":      {"exercises/1e.md", "## Fault\n", "## Fault\n\n### Another\nOf apply.\n\n```go\nfunc apply() {}\n```\n", "exercises/1e.md:16: 2 faults; an exercise has one"},
		"no run":          {"exercises/1e.md", "run: apply.txt\n", "", "exercises/1e.md:1: run: the recording that is another with the fault; only a fault has one"},
		"nobody judges":   {"apply_test.go", "//book:exercise 1e\n", "", "exercises/1e.md:1: no test is marked //book:exercise 1e"},
		"marked function": {"plan.go", "// apply carries a plan out.\n", "// apply carries a plan out.\n//\n//book:exercise 1e\n", "plan.go:29: apply is marked //book:exercise 1e: the fault says which functions have it"},
		"fault of nobody": {"exercises/1e.md", "func apply(", "func applied(", `exercises/1e.md:22: "It compares with itself" replaces applied, which 01-counting does not declare`},
		"a carriage":      {"exercises/1d.txt", "create  b\n", "create  b\r\n", "exercises/1d.txt:3: this line has a carriage return"},
	} {
		t.Run(name, func(t *testing.T) {
			f := withKinds(t)
			f.replace(test.file, test.old, test.with)
			_, err := f.load()
			assert.Contains(t, strings.Join(f.problems(err), "\n"), test.problem)
		})
	}
}

// A fault may be in a package of the exercise's own, which is opened by itself.
func TestProveFindsAFaultInAPackageOfItsOwn(t *testing.T) {
	t.Parallel()
	f := withKinds(t)
	require.NoError(t, os.Mkdir(filepath.Join(f.chapter, "exercises", "1h"), 0o755))
	f.write("exercises/1h/half.go", "package half\n\nfunc Of(n int) int { return n / 2 }\n")
	f.write("exercises/1h/half_test.go", "package half\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\n"+
		"var _ = flag.Bool(\"update\", false, \"\")\n\n"+
		"//book:exercise 1h\nfunc TestHalfOfThree(t *testing.T) {\n"+
		"\t_ = os.WriteFile(\"testdata/half.txt\", fmt.Append(nil, Of(3), \"\\n\"), 0o644)\n"+
		"\tif Of(3) != 1 {\n\t\tt.Error(Of(3))\n\t}\n}\n")
	f.write("exercises/1h.md", strings.NewReplacer("needs: [1b, 1c]\n", "", "apply.txt", "half.txt",
		"func apply(desired int, running []string) string {\n\treturn describe(plan(len(running), running))\n}",
		"func Of(n int) int { return (n + 1) / 2 }").Replace(f.read("exercises/1e.md")))
	f.write("exercises/1h.txt", "")
	e := f.exercise("1h")
	assert.True(t, e.Apart())
	assert.Equal(t, "chapters/01-counting/exercises/1h/half.go", e.Path(e.Functions[0].File.Name))
	report, err := f.prove(exercise.Options{Update: true, Open: exercise.OpenEach})
	require.NoError(t, err)
	assert.Equal(t, 2, report.Faults)
	assert.Equal(t, "2\n", f.read("exercises/1h.txt"))
}

func TestAPredictionIsComparedLineByLine(t *testing.T) {
	e := withKinds(t).exercise("1d")
	for name, test := range map[string]struct{ prediction, says, shown, why string }{
		"as it is":      {"# mine\ncreate a\n\n create   b\ncreate\tc", "All 3 lines are as in the run.", "All 3 lines are as in the run.", ""},
		"not at an end": {"create a\ncreate b", "It goes on.", `Line 3: the run says "create  c".`, ""},
		"named": {"create a\ncreate b\nrest", `Line 3 is another in the run: you say "rest".`,
			`Line 3: you say "rest", the run says "create  c".`, "It stops too early"},
		"named at the end": {"create a\ncreate b\ncreate c\ncreate d",
			`Line 4: you say "create d", and the run is over.`, `Line 4: you say "create d", and the run is over.`, "It goes on"},
		"elsewhere": {"create a\nrest\nrest", `Line 2 is another in the run: you say "rest".`, `Line 2: you say "rest", the run says "create  b".`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := e.Compare(test.prediction)
			if c.Passed() {
				assert.Equal(t, "as it is", name)
			} else {
				counts := fmt.Sprintf("%d of 3 lines are as in the run.\n", c.Right)
				test.says, test.shown = counts+test.says, counts+test.shown
			}
			assert.Equal(t, test.says, c.Text(false))
			assert.Equal(t, test.shown, c.Text(true))
			if test.why == "" {
				assert.Nil(t, c.Why)
				return
			}
			require.NotNil(t, c.Why)
			assert.Equal(t, test.why, c.Why.Name)
		})
	}
}

// What a line says is compared, and not how it is set.
func TestNoPredictionIsWrongForASpace(t *testing.T) {
	f := withKinds(t)
	f.write("exercises/1d.txt", "v1  4 -> 3\nv2  0 -> 2, ready: 0\nv2  2 -> -1\n")
	e := f.exercise("1d")
	for prediction, right := range map[string]int{
		"v1 4 -> 3\nv2  0->2 ,ready:0\nv2\t2->-1":     3,
		"v1 4→3\nv2  0 →2,ready : 0\n v2 2 ->  -1":    3,
		"\ufeffv1  4 -> 3\r\nv2\r\nv2\r\n":            1,
		"v1 4 -> 3\nv2 0 2, ready: 0\nv2 2 -> -1":     1,
		"v1 4 -> 3\nv2 0 -> 2, ready: 0\nv22 -> -1":   2,
		"v1 4 -> 3\nv2 0 -> 2, ready: 0\nv2 2 - > -1": 2,
	} {
		assert.Equal(t, right, e.Compare(prediction).Right, "lines of %q that are right", prediction)
	}
}

// withRows has a prediction of rows, of which two are to be filled in.
func withRows(t *testing.T) *exercise.Exercise {
	t.Helper()
	f := withKinds(t)
	f.write("exercises/1d.txt", "# before\na pod    create  yes\nall two  create  no\n# after\nnone     rest    -\n")
	f.replace("exercises/1d.md", "given: 1", "given: 1\nrows: true")
	f.replace("exercises/1d.md", "rest\n", "none  create -\n")
	f.replace("exercises/1d.md", "Parts at line 4. Three are enough.\n\n```text\ncreate  d\nrest\n", "Parts at line 2. No.\n\n```text\nall two  rest no\n")
	return f.exercise("1d")
}

func TestTheRowsOfAPredictionAreComparedByTheirValues(t *testing.T) {
	e := withRows(t)
	sheet := string(e.Sheet())
	assert.Contains(t, sheet, "# A value for each line, in the place of its ?. Then:\n# go run ./cmd/lab exercise test 1d\n\n"+
		"# before\na pod    create  yes\nall two  ?\n# after\nnone     ?\n")
	for name, test := range map[string]struct{ prediction, says, why string }{
		"as it was given":        {sheet, "1 of 3 lines are as in the run.\nLine 2 (all two) is blank.\nLine 3 (none) is blank.", ""},
		"as it is":               {"a pod create yes\nall two create no\nnone rest -", "All 3 lines are as in the run.", ""},
		"names of one's own":     {"a pod create yes\nboth   create no\nthe last one\trest -", "All 3 lines are as in the run.", ""},
		"no names":               {"create yes\ncreate no\nrest -", "All 3 lines are as in the run.", ""},
		"each that differs":      {"a pod create yes\nall two ? create yes\nnone", "1 of 3 lines are as in the run.\nLine 2 (all two) is another in the run: you say \"create yes\".\nLine 3 (none) is blank.", ""},
		"named under any name":   {"a pod create yes\nboth   rest no\nnone rest -", "2 of 3 lines are as in the run.\nLine 2 (all two) is another in the run: you say \"rest no\".", "It goes on"},
		"named though not first": {"a pod create yes\nall two\nnone  create -", "1 of 3 lines are as in the run.\nLine 2 (all two) is blank.\nLine 3 (none) is another in the run: you say \"create -\".", "It stops too early"},
		"a line too many":        {"a pod create yes\nall two create no\nnone rest -\nsome rest", "3 of 3 lines are as in the run.\nLine 4: you say \"some rest\", and the run is over.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := e.Compare(test.prediction)
			assert.Equal(t, test.says, c.Text(false))
			if assert.Equal(t, test.why != "", c.Why != nil) && c.Why != nil {
				assert.Equal(t, test.why, c.Why.Name)
			}
		})
	}
	assert.Contains(t, e.Compare("a pod create yes\nx  rest").Text(true), `Line 2 (all two): you say "rest", the run says "create  no".`+"\n"+`Line 3 (none): the run says "rest    -".`)
}

func TestARowHasAName(t *testing.T) {
	f := withKinds(t)
	f.replace("exercises/1d.md", "given: 1", "given: 1\nrows: true")
	f.replace("exercises/1d.txt", "create  b", "create b")
	_, err := f.load()
	assert.Contains(t, f.problems(err), "exercises/1d.md:1: rows: line 2 of exercises/1d.txt has no name, and two spaces behind it")
}

func TestASheetBeginsWithTheQuestionAndWhatIsGiven(t *testing.T) {
	e := withKinds(t).exercise("1d")
	assert.Equal(t, "# Exercise 1d, What happens next\n#\n# Three are wanted.\n#\n# And then?\n#\n"+
		"# A line for each thing that happens, below those that are given. Then:\n"+
		"# go run ./cmd/lab exercise test 1d\n\ncreate  a\n", string(e.Sheet()))
	assert.Equal(t, 1, e.Compare(string(e.Sheet())).Right)
	assert.Contains(t, string(withKinds(t).exercise("1f").Sheet()),
		"# Write what you think below. Then:\n# go run ./cmd/lab exercise solution 1f\n\n")
}

func TestProveHasEveryFaultFail(t *testing.T) {
	t.Parallel()
	f := withKinds(t)
	report, err := f.prove(exercise.Options{Update: true}) // nothing is recorded of 1g yet
	require.NoError(t, err)
	assert.Equal(t, 6, report.Exercises)
	assert.Equal(t, 1, report.Faults)
	assert.Equal(t, 3, report.Stubs, "one of them in a package of its own")
	assert.Equal(t, 2, report.Predictions)

	f.replace("exercises/1e.md", "len(running)", "min(1, desired)")
	_, err = f.prove(exercise.Options{})
	assert.Equal(t, []string{`exercises/1e.md:18: TestApplyDeletesWhatIsTooMany passes on "It compares with itself" (1e) and should catch it`},
		f.problems(err))
}

// The run that an exercise shows of a fault is the one that the chapter's own
// recorded run becomes when the fault is in the code.
func TestProveComparesTheRunOfAFaultWithWhatTheExerciseShows(t *testing.T) {
	t.Parallel()
	f := withKinds(t)
	options := exercise.Options{Memory: t.TempDir(), Update: true}
	f.write("exercises/1e.txt", "")
	_, err := f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, "create 0, delete []\n", f.read("exercises/1e.txt"))
	assert.NoDirExists(t, filepath.Join(f.chapter, "testdata"), "it is recorded elsewhere")

	options.Update = false
	_, err = f.prove(options)
	require.NoError(t, err)
	f.write("exercises/1e.txt", "create 1, delete []\n")
	_, err = f.prove(options)
	assert.Equal(t, []string{"exercises/1e.txt:1: here the tests say something else now: " +
		"`go run ./cmd/bookgen check --update` writes it"}, f.problems(err))
	again, err := f.prove(options)
	require.Error(t, err, "what was recorded is remembered, and compared all the same")
	assert.Equal(t, 21, again.Remembered)

	f.replace("exercises/1e.md", "run: apply.txt", "run: other.txt")
	_, err = f.prove(options)
	assert.Equal(t, `exercises/1e.md:18: with "It compares with itself" (1e), no test records testdata/other.txt:`, f.problems(err)[0])
}

func TestProveSaysWhoseFaultItFinds(t *testing.T) {
	f := withKinds(t)
	f.replace("plan.go", "plan(desired, running))", "plan(len(running), running))")
	_, err := f.prove(exercise.Options{})
	assert.Contains(t, f.problems(err)[0], "plan.go:29: apply is not the book's: exercise 1e is started in this folder")
}
