package exercise_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
	"reconcile/internal/slow"
)

// prove runs a proof that remembers nothing from elsewhere.
func (f fixture) prove(options exercise.Options) (exercise.Report, error) {
	f.t.Helper()
	slow.Test(f.t, "it proves exercises")
	if options.Memory == "" {
		options.Memory = f.t.TempDir()
	}
	return exercise.Prove(f.t.Context(), f.chapter, options)
}

func TestProveCountsWhatHoldsAndTouchesNothing(t *testing.T) {
	t.Parallel()
	slow.Glance(t)
	f := newFixture(t)
	before := f.snapshot()
	var steps []exercise.Progress
	report, err := f.prove(exercise.Options{Progress: func(p exercise.Progress) { steps = append(steps, p) }})
	require.NoError(t, err)
	assert.Positive(t, report.Took)
	report.Took = 0
	assert.Equal(t, exercise.Report{Exercises: 2, Tests: 4, Stubs: 2, WrongAnswers: 6, Built: 1, Started: 15}, report)
	require.Len(t, steps, 11)
	assert.Equal(t, exercise.Progress{Done: 1, Total: 11, Claim: "the reference"}, steps[0])
	assert.Equal(t, 11, steps[10].Done)
	assert.Equal(t, before, f.snapshot())
}

func TestProveRemembersWhatItProved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	options := exercise.Options{Memory: t.TempDir()}
	_, err := f.prove(options)
	require.NoError(t, err)

	again, err := f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, 11, again.Remembered)
	assert.Zero(t, again.Built)

	f.replace("chapter.md", "Counting", "Counting, again")
	f.replace("exercises/1c.md", "{ return nil }", "{ c.n++; return nil }")
	prose, err := f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, 10, prose.Remembered, "one wrong answer changed, and prose")

	f.replace("counter.go", "c.n += n", "c.n = c.n + n")
	code, err := f.prove(options)
	require.NoError(t, err)
	assert.Zero(t, code.Remembered, "the chapter's code changed")
}

// All is proven anew where the chapter has changed: what an author has just written
// is found in it by its text.
func TestOnlyExercisesThatSaySomethingElseHaveChanged(t *testing.T) {
	t.Parallel()
	options := exercise.Options{Memory: t.TempDir(), Changed: true}
	_, err := withKinds(t).prove(options)
	require.NoError(t, err)
	for name, c := range map[string]struct{ in, old, with, changed string }{
		"nothing":                {"plan.go", "", "", ""},
		"prose":                  {"exercises/1c.md", "Two files at once", "Two at once", ""},
		"what all stand on":      {"counter.go", "return c.n }", "return c.n + 0 }", ""},
		"a function":             {"counter.go", "c.n += n", "c.n = c.n + n", "1c"},
		"a test":                 {"plan_test.go", "3 desired, ", "three desired, ", "1b"},
		"a wrong answer":         {"exercises/1c.md", "{ return nil }", "{ c.n++; return nil }", "1c"},
		"a need":                 {"exercises/1e.md", "needs: [1b, 1c]", "needs: [1c, 1b]", "1e"},
		"a package of one's own": {"exercises/1g/twice.go", "return 2 * n }", "return 2 * n }\n\nvar _ = 1", "1g|what the tests reach"},
	} {
		t.Run(name, func(t *testing.T) {
			f := withKinds(t)
			f.replace(c.in, c.old, c.with)
			var claims []string
			options := options
			options.Progress = func(p exercise.Progress) {
				if !p.Remembered {
					claims = append(claims, p.Claim)
				}
			}
			_, err := f.prove(options)
			require.NoError(t, err)
			assert.Equal(t, c.changed != "", len(claims) > 0, "%q", claims)
			for _, claim := range claims {
				assert.Regexp(t, "^the reference$|"+c.changed, claim)
			}
		})
	}
}

// A function of another signature, and a declaration that is no function,
// cannot stand beside the chapter's own: such an answer has a binary to itself.
func TestProveTakesWrongAnswersThatChangeAnyDeclaration(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const answer = "func (c *Counter) Add(n int) error { return nil }"
	f.replace("exercises/1c.md", answer, "type Counter struct{ n uint }\n\n"+
		"func (c *Counter) Add(n int) error { c.n += uint(n); return nil }\n\n"+
		"func (c *Counter) Total() int { return int(c.n) }")
	report, err := f.prove(exercise.Options{Update: true})
	require.NoError(t, err)
	assert.Equal(t, 2, report.Built)
}

func TestProveTakesWrongAnswersWithImportsOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.replace("exercises/1c.md", "func (c *Counter) Add(n int) error { return nil }",
		"import other \"math/rand\"\n\nfunc (c *Counter) Add(n int) error {\n\tc.n = other.Int()\n\treturn nil\n}")
	report, err := f.prove(exercise.Options{Update: true})
	require.NoError(t, err)
	assert.Equal(t, 1, report.Built)
}

func TestAWrongAnswerThatDoesNotBuildSpoilsNoOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.replace("exercises/1b.md", "return 0, running[desired:]", "return desired")
	f.replace("exercises/1c.md", "func (c *Counter) Add(n int) error { return nil }",
		"import \"no/such/package\"\n\nfunc (c *Counter) Add(n int) error { return other.Error }")
	report, err := f.prove(exercise.Options{})
	problems := strings.Join(f.problems(err), "\n")
	assert.Contains(t, problems, `"It deletes whoever is listed last" (1b) does not build`)
	assert.Equal(t, 2, strings.Count(problems, "does not build"))
	assert.LessOrEqual(t, report.Built, 5, "all, without one, without both, and each of these alone")
}

// One of the tests that judge may panic, if those that claim to catch it do not.
func TestProveHearsAWrongAnswerThatEndsTheRunAsAReaderDoes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.replace("exercises/1b.md", "return desired - len(running), nil", "return 0, running[desired:]")
	report, err := f.prove(exercise.Options{Update: true})
	require.NoError(t, err)
	assert.Equal(t, 15+1+3, report.Started, "the test that catches it alone, and three hearings")
	assert.Contains(t, f.read("exercises/wrong-answers.txt"), "\n1b It deletes whoever is listed last\n  TestPlanCreatesWhatIsMissing\n")
}

// By the tests' words a reader who gives a wrong answer is told its name.
func TestProveComparesWhatTheTestsSayOfWrongAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	options := exercise.Options{Memory: t.TempDir()}
	recorded := f.read("exercises/wrong-answers.txt")
	require.NoError(t, os.Remove(filepath.Join(f.chapter, "exercises", "wrong-answers.txt")))
	const says = "here the tests say something else now: `go run ./cmd/bookgen check --update` writes it"
	_, err := f.prove(options)
	assert.Equal(t, []string{"exercises/wrong-answers.txt:1: " + says}, f.problems(err))

	options.Update = true
	again, err := f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, 11, again.Remembered, "what they say is remembered with the proof")
	assert.Equal(t, recorded, f.read("exercises/wrong-answers.txt"))

	options.Update = false
	f.replace("exercises/wrong-answers.txt", "    create 0, delete b\n", "")
	_, err = f.prove(options)
	assert.NoError(t, err, "they may say more than is recorded")
	f.write("exercises/wrong-answers.txt", recorded)
	f.replace("plan_test.go", "1 running: created", "one running: created")
	_, err = f.prove(options)
	assert.Equal(t, []string{"exercises/wrong-answers.txt:10: " + says}, f.problems(err))
}

func TestAWrongAnswerIsKnownAgainByWhatTheTestsSay(t *testing.T) {
	t.Parallel()
	exercises, err := newFixture(t).load()
	require.NoError(t, err)
	for _, e := range exercises {
		for i := range e.Wrong {
			assert.Same(t, &e.Wrong[i], e.LooksLike(e.Wrong[i].Says))
		}
	}
	e := exercises[0]
	assert.Nil(t, e.LooksLike(nil), "nothing fails")
	assert.Nil(t, e.LooksLike(exercise.Saying{"TestPlanDeletesTheLastByName/out_of_order": {"something else"}}),
		"the test that fails is the same, and what it says is not")
}

func TestProveForgetsWhatNobodyAskedForInAMonth(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	options := exercise.Options{Memory: t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(options.Memory, "proofs"), 0o755))
	old, foreign := filepath.Join(options.Memory, "proofs", "old"), filepath.Join(options.Memory, "types")
	for _, file := range []string{old, foreign} {
		require.NoError(t, os.WriteFile(file, nil, 0o644))
		require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(-31*24*time.Hour)))
	}
	_, err := f.prove(options)
	require.NoError(t, err)
	assert.NoFileExists(t, old)
	assert.FileExists(t, foreign, "the rest of the cache is not ours")
}

func TestProveSaysWhichClaimIsFalseAndHow(t *testing.T) {
	t.Parallel()
	const answer = "\t\treturn desired - len(running), nil\n\t}\n\treturn 0, running[desired:]"
	cases := map[string]struct{ in, old, with, says string }{
		"a test that fails on the reference": {
			"plan.go", "doomed[desired:]\n", "doomed[:desired]\n",
			"plan_test.go:17: TestPlanDeletesTheLastByName fails on the reference:",
		},
		"a reference that does not build": {
			"plan.go", "doomed[desired:]\n", "doomed[undesired:]\n",
			"exercises/1b.md:1: the reference does not build:",
		},
		"a test that passes on the stub": {
			"counter_test.go", "err == nil", "err == nil && c.Total() < 0",
			"exercises/1c.md:1: TestCounterRefusesLess passes on the stub of 1c and should catch it",
		},
		"a test that panics on the stub": {
			"plan_test.go", "got != \"create", "got[0] == 0 || got != \"create",
			"exercises/1c.md:1: TestDescribeNamesTheDeleted panics on the stub of 1c and should fail by its own assertion:",
		},
		"a test that never ends on the stub": {
			"plan_test.go", "if got := describe(0, []string{\"b\"});", "for describe(0, nil) == \"\" {\n}\nif got := describe(0, []string{\"b\"});",
			"exercises/1c.md:1: TestDescribeNamesTheDeleted does not come to an end on the stub of 1c and should fail by its own assertion:",
		},
		"a test that changes its mind": {
			"counter_test.go", "c := new", "if calls++; calls%2 == 0 {\n\t\tt.Error(calls)\n\t}\n\tc := new",
			"counter_test.go:9: TestCounterRefusesLess sometimes passes and sometimes fails on the reference:",
		},
		"a test that is skipped": {
			"counter_test.go", "c := new", "t.Skip()\n\tc := new",
			"counter_test.go:9: TestCounterRefusesLess did not run on the reference: is there such a test?",
		},
		"a wrong answer that no test catches": {
			"exercises/1b.md", "out of order`", "in order`",
			"exercises/1b.md:24: TestPlanDeletesTheLastByName/in order passes on \"It deletes whoever is listed last\" (1b) and should catch it",
		},
		"a subtest that is not there": {
			"exercises/1b.md", "out of order`", "out of sight`",
			"exercises/1b.md:24: TestPlanDeletesTheLastByName/out of sight did not run on \"It deletes whoever is listed last\" (1b): is there such a test?",
		},
		"a wrong answer that panics": {
			"exercises/1b.md", "return 0, running[desired:]", "return 0, running[len(running)+1:]",
			"exercises/1b.md:24: TestPlanDeletesTheLastByName/out of order panics on \"It deletes whoever is listed last\" (1b) and should fail by its own assertion:",
		},
		"a wrong answer on which another test never ends": {
			"exercises/1b.md", answer, "\t\tfor {\n\t\t}\n\t}\n\treturn 0, running[desired:]",
			"exercises/1b.md:24: with \"It deletes whoever is listed last\" (1b), the tests that judge do not come to an end:",
		},
		"a wrong answer that does not build": {
			"exercises/1b.md", "return 0, running[desired:]", "return desired",
			"exercises/1b.md:24: \"It deletes whoever is listed last\" (1b) does not build:",
		},
		"a wrong answer that is right": {
			"exercises/1b.md", answer,
			"\t\treturn desired - len(running), nil // as ever\n\t}\n\tdoomed := append([]string{}, running...)\n\tsort.Strings(doomed)\n\treturn 0, doomed[desired:]",
			"exercises/1b.md:24: \"It deletes whoever is listed last\" (1b) is the book's answer",
		},
	}
	memory := t.TempDir()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.replace(c.in, c.old, c.with)
			f.write("calls_test.go", "package counting_test\n\nvar calls int\n")
			_, err := f.prove(exercise.Options{Memory: memory, Timeout: 2 * time.Second})
			assert.Contains(t, f.problems(err), c.says)
		})
	}
}

// A test that kills the run of a chapter with an open exercise hides
// the words of the others.
func TestProveRunsTheWholeChapterWithEachExerciseOpen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	options := exercise.Options{Memory: t.TempDir(), Open: exercise.OpenAll}
	_, err := f.prove(options)
	require.NoError(t, err)

	options.Update = true // it reaches 1c
	f.write("first_test.go", "package counting\n\nimport \"testing\"\n\n"+
		"func TestThatJudgesNothing(t *testing.T) { t.Log(describe(0, []string{\"b\"})[0]) }\n")
	_, err = f.prove(options)
	problems := f.problems(err)
	require.NotEmpty(t, problems)
	assert.Equal(t, "exercises/1c.md:1: with the stub of 1c, the whole chapter panics:", problems[0])
	options.Open = exercise.OpenNone
	_, err = f.prove(options)
	require.NoError(t, err, "it was not asked for")
}

func TestProveRunsAgainWhatFailed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.replace("exercises/1b.md", "out of order`", "in order`")
	options := exercise.Options{Memory: t.TempDir()}
	_, first := f.prove(options)
	last := 0
	options.Progress = func(p exercise.Progress) { last = p.Done }
	again, second := f.prove(options)
	require.Error(t, first)
	assert.Equal(t, first, second)
	assert.Equal(t, 10, again.Remembered)
	assert.Equal(t, 11, last, "a step is a step, whatever it finds")
}

func TestProveEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := exercise.Prove(ctx, f.chapter, exercise.Options{
		Memory: t.TempDir(), Progress: func(exercise.Progress) { cancel() },
	})
	require.ErrorIs(t, err, context.Canceled)
}

func TestProveReportsWhatLoadReports(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.replace("exercises/1b.md", "3. `doomed[desired:]`", "")
	_, err := f.prove(exercise.Options{})
	assert.Equal(t, []string{"exercises/1b.md:11: there are 2 hints; an exercise has three"}, f.problems(err))
}

func TestProveSaysWhoseStubItFinds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.replace("counter.go", "\tc.n += n\n", "\t// Exercise 1c, Say it: yours to write.\n")
	_, err := f.prove(exercise.Options{})
	assert.Equal(t, []string{"counter.go:8: Counter.Add is not the book's: exercise 1c is started in this folder, and " +
		"`go run ./cmd/lab exercise reset 1c` puts the book's version back"}, f.problems(err))
}

func TestProveNeedsAModule(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	require.NoError(t, os.Remove(filepath.Join(f.chapter, "..", "..", "go.mod")))
	_, err := f.prove(exercise.Options{})
	require.ErrorContains(t, err, "is in no module")
}
