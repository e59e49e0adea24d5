package exercise_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
	"reconcile/internal/source"
)

const (
	reachTxt = "exercises/reach.txt"
	apply    = "TestApplyDeletesWhatIsTooMany"
	lastOne  = "TestPlanDeletesTheLastByName"
)

func namesOf(decls []*source.Decl) (names []string) {
	for _, decl := range decls {
		names = append(names, decl.Name)
	}
	return names
}

func TestATestThatReachesAFunctionJudgesItWhereThereIsTime(t *testing.T) {
	for reach, also := range map[string][]string{
		"":                             nil,
		apply + " 5 1.1 1.2 1.4\n":     {apply},
		apply + " 5 1.2\n":             nil,
		lastOne + " 5 1.1\n":           nil, // it is marked
		"TestThatWasDeleted 5 1.1\n":   nil,
		"node/" + apply + " 5 1.1\n":   nil,
		apply + " 2001 1.1\n":          nil,
		apply + " 2000 1.1\n# 1 1.1\n": {apply},
		apply + " 1990 1.1\n" + "TestCounterRefusesLess 5 1.1\nTestDescribeNamesTheDeleted 6 1.1\n": {"TestCounterRefusesLess", "TestDescribeNamesTheDeleted"},
	} {
		f := withKinds(t)
		f.write(reachTxt, reach)
		assert.Equal(t, also, namesOf(f.exercise("1.1").Also), reach)
	}
}

func TestProveMeasuresWhatTheTestsReach(t *testing.T) {
	t.Parallel()
	f := withKinds(t)
	options := exercise.Options{Memory: t.TempDir(), Update: true}
	require.NoError(t, os.Remove(filepath.Join(f.chapter, reachTxt)))
	_, err := f.prove(options)
	require.NoError(t, err)
	assert.Regexp(t, `\n`+apply+` \d+ 1.1 1.2 1.4\n$`, f.read(reachTxt))

	options.Update = false
	report, err := f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, 2, report.Also)
	f.replace(reachTxt, " 1.4\n", " 1.4 1.6\n")
	_, err = f.prove(options)
	require.NoError(t, err, "it may have come further once")
	f.replace(reachTxt, " 1.1 1.2", " 1.2")
	_, err = f.prove(options)
	assert.Contains(t, f.problems(err)[0], reachTxt+":4: here the tests say something else now")
	f.write(reachTxt, apply+" 1500 1.1 1.2 1.4\n")
	_, err = f.prove(options)
	assert.Contains(t, f.problems(err)[0], reachTxt+":1: ")
	options.Update = true
	_, err = f.prove(options)
	require.NoError(t, err)
	assert.NotContains(t, f.read(reachTxt), "1500")

	f.write("says_test.go", "package counting\n\nimport \"testing\"\n\nfunc TestSays(t *testing.T) {\n\tprintln(\"\\x16recorded\", apply(0, nil))\n}\n")
	_, err = f.prove(options)
	require.NoError(t, err)
	assert.NotContains(t, f.read(reachTxt), "TestSays", "it compares a recording")

	f.write("slow_test.go", "package counting\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestSlow(t *testing.T) {\n\tapply(0, nil)\n\ttime.Sleep(time.Hour)\n}\n")
	options.Timeout, options.Update = 2*time.Second, false
	_, err = f.prove(options)
	require.NoError(t, err, "a busy machine makes many a test slow")
	options.Update = true
	_, err = f.prove(options)
	require.NoError(t, err)
	assert.Contains(t, f.read(reachTxt), "\nTestSlow 4000 1.1 1.2 1.4\n")
	report, err = f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, 3, report.TooSlow)

	options.Timeout = 0
	f.write("alone_test.go", "package counting\n\nimport \"testing\"\n\nfunc TestAlone(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Error(apply(0, nil))\n\t}\n}\n")
	_, err = f.prove(options)
	assert.Equal(t, "alone_test.go:5: TestAlone does not pass alone:", f.problems(err)[0])
}

// A test that holds on the stub, too, can have no mark, and judges all the same.
func TestProveHearsAWrongAnswerThatPassesTheMarkedTests(t *testing.T) {
	t.Parallel()
	f := withRight(t, sliding)
	f.replace("plan_test.go", "// The order of the deleted is by name.\n//\n//book:exercise 1.1\n", "")
	_, err := f.prove(exercise.Options{})
	assert.Contains(t, f.problems(err), `exercises/1.1.md:24: "It deletes whoever is listed last" (1.1) fails none of the tests that judge 1.1`)

	f.write(reachTxt, lastOne+" 5 1.1\n")
	_, err = f.prove(exercise.Options{Update: true})
	require.NoError(t, err)
	assert.Contains(t, f.read("exercises/wrong-answers.txt"), "\n1.1 It deletes whoever is listed last\n  "+lastOne+"/out_of_order\n")
	for _, wrong := range f.exercise("1.1").Wrong[:1] {
		assert.Equal(t, &wrong, f.exercise("1.1").LooksLike(wrong.Says))
	}

	f.replace("exercises/1.1.right/sliding.md", "[desired:]", "[desired-1:]")
	_, err = f.prove(exercise.Options{})
	assert.Contains(t, f.problems(err)[0], lastOne+` fails on "It slides over what is left", which is right (1.1):`)
}
