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
		"":                           nil,
		apply + " 5 1b 1c 1e\n":      {apply},
		apply + " 5 1c\n":            nil,
		lastOne + " 5 1b\n":          nil, // it is marked
		"TestThatWasDeleted 5 1b\n":  nil,
		"node/" + apply + " 5 1b\n":  nil,
		apply + " 2001 1b\n":         nil,
		apply + " 2000 1b\n# 1 1b\n": {apply},
		apply + " 1990 1b\n" + "TestCounterRefusesLess 5 1b\nTestDescribeNamesTheDeleted 6 1b\n": {"TestCounterRefusesLess", "TestDescribeNamesTheDeleted"},
	} {
		f := withKinds(t)
		f.write(reachTxt, reach)
		assert.Equal(t, also, namesOf(f.exercise("1b").Also), reach)
	}
}

func TestProveMeasuresWhatTheTestsReach(t *testing.T) {
	t.Parallel()
	f := withKinds(t)
	options := exercise.Options{Memory: t.TempDir(), Update: true}
	require.NoError(t, os.Remove(filepath.Join(f.chapter, reachTxt)))
	_, err := f.prove(options)
	require.NoError(t, err)
	assert.Regexp(t, `\n`+apply+` \d+ 1b 1c 1e\n$`, f.read(reachTxt))

	options.Update = false
	report, err := f.prove(options)
	require.NoError(t, err)
	assert.Equal(t, 2, report.Also)
	f.replace(reachTxt, " 1e\n", " 1e 1g\n")
	_, err = f.prove(options)
	require.NoError(t, err, "it may have come further once")
	f.replace(reachTxt, " 1b 1c", " 1c")
	_, err = f.prove(options)
	assert.Contains(t, f.problems(err)[0], reachTxt+":4: here the tests say something else now")
	f.write(reachTxt, apply+" 1500 1b 1c 1e\n")
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
	assert.Contains(t, f.read(reachTxt), "\nTestSlow 4000 1b 1c 1e\n")
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
	f.replace("plan_test.go", "// The order of the deleted is by name.\n//\n//book:exercise 1b\n", "")
	_, err := f.prove(exercise.Options{})
	assert.Contains(t, f.problems(err), `exercises/1b.md:24: "It deletes whoever is listed last" (1b) fails none of the tests that judge 1b`)

	f.write(reachTxt, lastOne+" 5 1b\n")
	_, err = f.prove(exercise.Options{Update: true})
	require.NoError(t, err)
	assert.Contains(t, f.read("exercises/wrong-answers.txt"), "\n1b It deletes whoever is listed last\n  "+lastOne+"/out_of_order\n")
	for _, wrong := range f.exercise("1b").Wrong[:1] {
		assert.Equal(t, &wrong, f.exercise("1b").LooksLike(wrong.Says))
	}

	f.replace("exercises/1b.right/sliding.md", "[desired:]", "[desired-1:]")
	_, err = f.prove(exercise.Options{})
	assert.Contains(t, f.problems(err)[0], lastOne+` fails on "It slides over what is left", which is right (1b):`)
}
