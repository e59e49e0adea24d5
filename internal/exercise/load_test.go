package exercise_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

func TestLoadReadsAnExerciseWhole(t *testing.T) {
	f := newFixture(t)
	exercises, err := f.load()
	require.NoError(t, err)
	require.Len(t, exercises, 2)

	e := exercises[0]
	assert.Equal(t, "1b", e.Number)
	assert.Equal(t, "Compare and act", e.Title)
	assert.Equal(t, 20, e.Minutes)
	assert.Equal(t, "01-counting", e.Chapter)
	assert.Equal(t, filepath.Join(f.chapter, "exercises", "1b.md"), e.File)
	assert.Equal(t, 5, e.StatementLine)
	assert.Equal(t, "Write [plan](plan.go#plan): compare what runs with what should.\n\n```sh\n## Hints is no heading here\n```", string(e.Statement))
	assert.Equal(t, []string{
		"Count first.",
		"Whom to delete must not depend on the order in which they are listed:\n\n```go\nsort.Strings(doomed)\n```",
		"`doomed[desired:]`",
	}, e.Hints)
	assert.Equal(t, []int{13, 14, 20}, e.HintLines)
	assert.Equal(t, "plan", e.Functions[0].Name)
	assert.Equal(t, "^(TestPlanCreatesWhatIsMissing|TestPlanDeletesTheLastByName)$", e.TestPattern())

	require.Len(t, e.Wrong, 3)
	assert.Equal(t, "It deletes whoever is listed last", e.Wrong[0].Name)
	assert.Equal(t, 24, e.Wrong[0].Line)
	assert.Equal(t, []string{"TestPlanDeletesTheLastByName/out of order"}, e.Wrong[0].CaughtBy)
	assert.Equal(t, "Lists come in any order.", e.Wrong[0].Why)
	assert.Contains(t, string(e.Wrong[0].Code), "return 0, running[desired:]\n}\n")
	assert.Equal(t, []string{"TestPlanCreatesWhatIsMissing", "TestPlanDeletesTheLastByName"}, e.Wrong[2].CaughtBy)
	assert.Len(t, exercises[1].Wrong[2].CaughtBy, 2)
}

func TestLoadFindsNothingInAChapterWithoutExercises(t *testing.T) {
	dir := t.TempDir()
	exercises, err := exercise.Load(os.DirFS(dir), dir)
	require.NoError(t, err)
	assert.Empty(t, exercises)
}

func TestLoadNamesTheLineOfWhatIsWrong(t *testing.T) {
	const file = "exercises/1b.md"
	cases := map[string]struct{ in, old, with, says string }{
		"no front matter":            {file, "---\n", "", "exercises/1b.md:1: the first line must be ---, and front matter follow"},
		"front matter unknown":       {file, "minutes", "minuets", "exercises/1b.md:3: front matter has no key minuets"},
		"minutes in words":           {file, "minutes: 20", "minutes: soon", "exercises/1b.md:3: this needs a whole number, not `soon`"},
		"no title":                   {file, "title: Compare and act", "title: ''", "exercises/1b.md:1: front matter needs a title, and minutes above zero"},
		"no time":                    {file, "minutes: 20", "minutes: 0", "exercises/1b.md:1: front matter needs a title, and minutes above zero"},
		"no statement":               {"exercises/1c.md", "Write `describe` and `Counter.Add`.", "", "exercises/1c.md:5: the exercise has no statement"},
		"two hints":                  {file, "3. `doomed[desired:]`\n", "", "exercises/1b.md:11: there are 2 hints; an exercise has three"},
		"a difficulty of its own":    {file, "minutes: 20", "minutes: 20\ndifficulty: steep", "exercises/1b.md:1: difficulty: steep: there are easy, medium and hard"},
		"hints misnumbered":          {file, "3. `doomed", "2. `doomed", "exercises/1b.md:20: hint 3 is numbered 2"},
		"hints are no list":          {"exercises/1c.md", "1. There", "There", "exercises/1c.md:9: hints are a numbered list: 1. …"},
		"no hints":                   {file, "\n## Hints\n", "\n## Help\n", `exercises/1b.md:11: section "Help" is not known: there are Hints and Wrong answers`},
		"hints twice":                {file, "## Wrong answers", "## Hints\n\n## Wrong answers", `exercises/1b.md:22: a second section "Hints"`},
		"two wrong answers":          {file, "### It counts from", "It counts from", `exercises/1b.md:36: 2 blocks of code; an answer has one`},
		"no wrong answers":           {file, "## Wrong answers", "### Wrong answers", `exercises/1b.md:1: there is no section "Wrong answers"`},
		"prose before an answer":     {file, "## Wrong answers\n", "## Wrong answers\n\nSome.\n", "exercises/1b.md:24: text before the first wrong answer; each has a heading ###"},
		"nobody catches it":          {file, "Caught by `TestPlanC", "Seen by `TestPlanC", "exercises/1b.md:36: a wrong answer begins with: Caught by `TestName`."},
		"unknown test":               {file, "`TestPlanCreatesWhatIsMissing`.", "`TestPlane`.", `exercises/1b.md:36: "It creates one at a time" is caught by TestPlane, which is no test of 01-counting`},
		"a function is no test":      {file, "`TestPlanCreatesWhatIsMissing`.", "`plan`.", `exercises/1b.md:36: "It creates one at a time" is caught by plan, which is no test of 01-counting`},
		"no reason":                  {file, " Lists come in any order.", "", "exercises/1b.md:24: say why one writes this answer, and what would happen"},
		"no name":                    {file, "### It deletes whoever is listed last", "### ", "exercises/1b.md:24: a wrong answer has a name in its heading"},
		"code of another language":   {file, "```go\nimport", "```sh\nimport", "exercises/1b.md:39: the code of an answer stands between ```go and ```"},
		"code does not parse":        {file, "return 0, running[desired:]\n", "return 0, running[desired:\n", `exercises/1b.md:33: "It deletes whoever is listed last": expected operand, found '}'`},
		"replaces nothing there":     {file, "func plan(desired int, running []string) (int, []string) {\n\treturn len", "func plane(desired int, running []string) (int, []string) {\n\treturn len", `exercises/1b.md:55: "It counts from the other side" replaces plane, which 01-counting does not declare`},
		"replaces a test":            {file, "func plan(desired int, running []string) (int, []string) {\n\treturn len", "func TestDescribeNamesTheDeleted(desired int, running []string) (int, []string) {\n\treturn len", `exercises/1b.md:55: "It counts from the other side" replaces TestDescribeNamesTheDeleted, which 01-counting does not declare`},
		"replaces nothing":           {"exercises/1c.md", "func (c *Counter) Add(n int) error {\n\tc.n += n\n\treturn nil\n}\n", "// Nothing.\n", `exercises/1c.md:28: "It adds anything" replaces nothing`},
		"mark without exercise":      {"counter.go", "//book:exercise 1c", "//book:exercise 1d", "counter.go:8: Counter.Add is marked //book:exercise 1d: there is no exercises/1d.md"},
		"no function":                {"plan.go", "//book:exercise 1b\n", "//\n", "exercises/1b.md:1: no function is marked //book:exercise 1b"},
		"judged by no test function": {"plan_test.go", "func TestDescribeNamesTheDeleted(", "func describes(", "plan_test.go:33: describes is marked //book:exercise 1c and is no test"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.replace(c.in, c.old, c.with)
			_, err := f.load()
			assert.Contains(t, f.problems(err), c.says)
		})
	}
}

func TestLoadReportsEverythingAtOnceInOrder(t *testing.T) {
	f := newFixture(t)
	f.replace("exercises/1b.md", "3. `doomed[desired:]`", "")
	f.replace("exercises/1c.md", "3. `errors.New`", "")
	f.replace("plan_test.go", "//book:exercise 1c", "//book:exercise 1h")
	_, err := f.load()
	assert.Equal(t, []string{
		"exercises/1b.md:11: there are 2 hints; an exercise has three",
		"exercises/1c.md:7: there are 2 hints; an exercise has three",
		"plan_test.go:33: TestDescribeNamesTheDeleted is marked //book:exercise 1h: there is no exercises/1h.md",
	}, f.problems(err))
}

func TestLoadRefusesAFileThatIsNotNamedByItsNumber(t *testing.T) {
	cases := map[string]string{
		"queue.md": "exercises/queue.md:1: an exercise's file is named by its number, such as 1c.md",
		"2a.md":    "exercises/2a.md:1: exercise 2a is in chapter 1",
	}
	for name, says := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write("exercises/"+name, f.read("exercises/1b.md"))
			_, err := f.load()
			assert.Contains(t, f.problems(err), says)
		})
	}
}

func TestLoadReportsAnUnreadableFolder(t *testing.T) {
	f := newFixture(t)
	require.NoError(t, os.RemoveAll(filepath.Join(f.chapter, "exercises")))
	f.write("exercises", "a file")
	_, err := f.load()
	require.ErrorContains(t, err, "exercises")
}
