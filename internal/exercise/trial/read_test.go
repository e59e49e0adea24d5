package trial_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/trial"
)

// run is the output of a test binary; ^ stands for the mark.
const run = `a line before all tests
^=== RUN   TestPlan
^=== RUN   TestPlan/in_order
a line that the answer prints
^=== NAME  TestPlan/in_order
    plan_test.go:30: 
        	Error Trace:	/book/chapters/01-counting/helper_test.go:7
        	            				/book/chapters/01-counting/plan_test.go:30
        	Error:      	Not equal: 
        	            	expected: []string{"a"}
        	            	actual  : []string{}
        	            	
        	            	Diff:
        	            	--- Expected
        	Test:       	TestPlan/in_order
        	Messages:   	whom to delete
^--- FAIL: TestPlan/in_order (0.00s)
^=== RUN   TestPlan/out_of_order
^--- PASS: TestPlan/out_of_order (0.00s)
^=== NAME  TestPlan
^--- FAIL: TestPlan (0.00s)
^=== RUN   TestCount
    count_test.go:9: a note on the way
    count_test.go:13: 3 desired,
        1 running: created 0
^--- FAIL: TestCount (0.00s)
^=== RUN   TestTrue
    true_test.go:4: a note
    true_test.go:5: 
        	Error Trace:	/book/chapters/01-counting/true_test.go:5
        	Error:      	Should be true
        	Test:       	TestTrue
^--- FAIL: TestTrue (0.00s)
^=== RUN   TestQuiet
^--- PASS: TestQuiet (0.00s)
^=== RUN   TestDies
^--- FAIL: TestDies (0.00s)
    died of: index out of range
        in plan.go:7, called by plan_test.go:40
^FAIL
`

func read(t *testing.T, text string) map[string]trial.Test {
	t.Helper()
	tests := make(map[string]trial.Test)
	rest, err := trial.Read(strings.NewReader(strings.ReplaceAll(text, "^", "\x16")), func(told trial.Test) {
		require.NotContains(t, tests, told.Name, "told twice")
		tests[told.Name] = told
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"a line before all tests"}, rest)
	return tests
}

func TestAFailureIsASentence(t *testing.T) {
	tests := read(t, run)
	require.Len(t, tests, 5)
	assert.Equal(t, []trial.Failure{{
		Test: "TestPlan/in_order", At: "plan_test.go:30",
		Says:  `whom to delete: wanted []string{"a"}, got []string{}`,
		Calls: []string{"helper_test.go:7", "plan_test.go:30"},
	}}, tests["TestPlan"].Failures)
	assert.Equal(t, "in order", tests["TestPlan"].Failures[0].Case())
	assert.Equal(t, []string{"a line that the answer prints"}, tests["TestPlan"].Printed)
	assert.Equal(t, []trial.Failure{
		{Test: "TestCount", At: "count_test.go:9", Says: "a note on the way"},
		{Test: "TestCount", At: "count_test.go:13", Says: "3 desired, 1 running: created 0"},
	}, tests["TestCount"].Failures, "who asserts without a library says so in notes")
	assert.Equal(t, []trial.Failure{{Test: "TestTrue", At: "true_test.go:5", Says: "Should be true", Bare: true, Calls: []string{"true_test.go:5"}}},
		tests["TestTrue"].Failures, "a note is no failure")
	assert.True(t, tests["TestQuiet"].Passed)
}

// As Go 1.27 prints it: the words of a failure stand between two signs, and what a test
// printed of these itself comes with another before it.
func TestAFailureIsReadWithoutItsSigns(t *testing.T) {
	framed := strings.NewReplacer(
		"    plan_test.go:30: ", "\x0f    plan_test.go:30: ", "whom to delete\n", "whom to delete\x0e\n",
		"    count_test.go:13: 3 desired,", "\x0f    count_test.go:13: 3 desired,", "created 0\n", "created 0\x0e\n",
	).Replace(run)
	require.NotEqual(t, run, framed)
	assert.Equal(t, read(t, run), read(t, framed))
	printed := read(t, strings.Replace(run, "a line that the answer prints", "a \x1b\x0fsign", 1))
	assert.Equal(t, []string{"a \x0fsign"}, printed["TestPlan"].Printed)
}

func TestAFailureIsWhereTheTestAsksForIt(t *testing.T) {
	for name, test := range map[string]struct {
		calls []string
		at    string
	}{
		"its own line":             {[]string{"a_test.go:12"}, "a_test.go:12"},
		"a bubble around it":       {[]string{"a_test.go:12", "cluster_test.go:37"}, "a_test.go:12"},
		"run by a line of it":      {[]string{"a_test.go:12", "a_test.go:11", "cluster_test.go:37"}, "a_test.go:12"},
		"a helper below it":        {[]string{"a_test.go:3", "a_test.go:15"}, "a_test.go:15"},
		"one of another file":      {[]string{"helper_test.go:7", "a_test.go:15"}, "a_test.go:15"},
		"in a table above it":      {[]string{"a_test.go:3", "cluster_test.go:37"}, "a_test.go:3"},
		"elsewhere alone":          {[]string{"cluster_test.go:55", "cluster_test.go:37"}, "cluster_test.go:55"},
		"as the testing tool says": {nil, "b_test.go:1"},
	} {
		f := trial.Failure{At: "b_test.go:1", Calls: test.calls}
		assert.Equal(t, test.at, f.Within("a_test.go", 10, 20), name)
	}
}

func TestWhatAPanicSaysBelongsToItsTest(t *testing.T) {
	dies := read(t, run)["TestDies"]
	assert.Equal(t, []string{"died of: index out of range", "in plan.go:7, called by plan_test.go:40"}, dies.Printed)
	assert.Equal(t, []trial.Failure{{Test: "TestDies"}}, dies.Failures, "it fails, and by no assertion")
}

// Of two long values only the difference is told.
func TestALongValueIsToldByItsDifference(t *testing.T) {
	long := strings.Repeat("x", 150)
	for diff, says := range map[string]string{
		`- (string) "3"|+ (string) "4"`: `wanted "3", got "4"`,
		`+ "one more"|+ "and one"`:      `wanted nothing, got "one more" "and one"`,
		`- "one"|- "and one more"`:      `wanted "one" "and one more", got nothing`,
	} {
		tests := read(t, `a line before all tests
^=== RUN   TestLong
    long_test.go:5: 
        	Error Trace:	/book/long_test.go:5
        	Error:      	Not equal: 
        	            	expected: `+long+`
        	            	actual  : y`+long+`
        	            	
        	            	Diff:
        	            	--- Expected
        	            	+++ Actual
        	            	@@ -2,3 +2,3 @@
        	            	  (string) "same",
        	            	`+strings.ReplaceAll(diff, "|", "\n        \t            \t")+`
        	Test:       	TestLong
^--- FAIL: TestLong (0.00s)
`)
		assert.Equal(t, says, tests["TestLong"].Failures[0].Says)
	}
}

// The several lines of an assertion become one sentence, and not without end.
func TestALongSentenceIsCutShort(t *testing.T) {
	tests := read(t, `a line before all tests
^=== RUN   TestLong
    long_test.go:5: 
        	Error Trace:	/book/long_test.go:5
        	Error:      	An error is expected
        	            	but got nil: `+strings.Repeat("ü", 100)+`
        	Test:       	TestLong
^--- FAIL: TestLong (0.00s)
`)
	begins := "An error is expected but got nil: "
	assert.Equal(t, begins+strings.Repeat("ü", 100-len(begins))+"…", tests["TestLong"].Failures[0].Says)
}

// A test that runs beside others is silent for a while, and not over.
func TestATestThatPausesHasNotEnded(t *testing.T) {
	tests := read(t, `a line before all tests
^=== RUN   TestBeside
^=== PAUSE TestBeside
^=== RUN   TestOther
^--- PASS: TestOther (0.00s)
^=== CONT  TestBeside
    beside_test.go:5: this differs
^--- FAIL: TestBeside (0.00s)
`)
	assert.True(t, tests["TestOther"].Passed)
	assert.Equal(t, []trial.Failure{{Test: "TestBeside", At: "beside_test.go:5", Says: "this differs"}},
		tests["TestBeside"].Failures)
}
