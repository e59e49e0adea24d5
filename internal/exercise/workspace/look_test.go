package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/trial"
)

// clusters are tests that leave records, as those in clusters do: the numbers that plan
// returns.
const clusters = `package counting

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

func leave(t *testing.T, cluster, create int) {
	if folder := os.Getenv("RECONCILE_LOOK"); folder != "" {
		name := fmt.Sprintf("%s.%d.json", url.QueryEscape(t.Name()), cluster)
		os.WriteFile(filepath.Join(folder, name), fmt.Append(nil, create), 0o644)
	}
}

//book:exercise 1b
func TestClusters(t *testing.T) {
	for name, desired := range map[string]int{"one": 1, "two": 2} {
		t.Run(name, func(t *testing.T) {
			create, _ := plan(desired, nil)
			leave(t, 1, create)
			if create == 1 {
				leave(t, 2, create)
			}
			if create != desired {
				t.Error(create)
			}
		})
	}
}

func TestAlsoACluster(t *testing.T) {
	create, _ := plan(3, nil)
	if testing.Short() {
		leave(t, 1, create)
	}
	if create != 3 {
		t.Error(create)
	}
}
`

// see tests an exercise, and returns what was seen of it.
func (r *reader) see(number string) *Seen {
	r.Helper()
	looks := 0
	done, err := r.Test(r.Context(), number, false, Telling{
		Begins: func(Tested) {}, Ended: func(trial.Test) {},
		Looks: func(done Tested) {
			looks++
			assert.NotZero(r, done.Result.Fail)
			assert.Nil(r, done.Seen)
		},
	})
	require.NoError(r, err)
	assert.Equal(r, done.Result.Fail > 0, looks == 1)
	return done.Seen
}

func (r *reader) withClusters() {
	r.Helper()
	r.write("chapters/01-counting/cluster_test.go", clusters)
	tests := r.read("chapters/01-counting/plan_test.go")
	r.write("chapters/01-counting/plan_test.go", strings.ReplaceAll(tests, "//book:exercise 1b\n", ""))
}

// says returns records as text.
func says(records []Recorded) (all []string) {
	for _, r := range records {
		all = append(all, strings.TrimSuffix(r.File(), ".json")+": "+string(r.JSON))
	}
	return all
}

func TestWhatFailsIsSeenBesideTheBooks(t *testing.T) {
	r := newReader(t)
	r.withClusters()
	r.start("1b")
	r.replace(planGo, "\treturn 0, nil\n", "\treturn 1, nil\n")
	seen := r.see("1b")
	require.NotNil(t, seen)
	assert.Equal(t, "TestClusters", seen.Test)
	assert.Equal(t, "cluster_test.go:28  1", seen.Wanted)
	assert.Equal(t, []string{"TestClusters%2Ftwo.1: 1", "TestClusters%2Ftwo.2: 1", "TestClusters%2Fone.1: 1", "TestClusters%2Fone.2: 1"},
		says(seen.Mine), "those of the subtest that fails first")
	assert.Equal(t, []string{"TestClusters%2Ftwo.1: 2", "TestClusters%2Fone.1: 1", "TestClusters%2Fone.2: 1"}, says(seen.Book))
	assert.Equal(t, 1, r.line("1b").Attempts, "it is one attempt")
	assert.Contains(t, r.read(planGo), "return 1, nil", "no file has changed")
}

func TestOtherTestsAreSeenIfNoneOfTheMarkedHasACluster(t *testing.T) {
	r := newReader(t)
	r.withClusters()
	r.replace("chapters/01-counting/cluster_test.go", "//book:exercise 1b\n", "")
	r.replace("chapters/01-counting/plan_test.go", "func TestPlanCreates", "//book:exercise 1b\nfunc TestPlanCreates")
	r.write("chapters/01-counting/exercises/reach.txt", "TestAlsoACluster 5 1b\n")
	r.start("1b")
	seen := r.see("1b")
	assert.Equal(t, "TestAlsoACluster", seen.Test)
	assert.Equal(t, []string{"TestAlsoACluster.1: 0"}, says(seen.Mine))
	assert.Equal(t, []string{"TestAlsoACluster.1: 3"}, says(seen.Book))

	r.replace(planGo, "\treturn 0, nil\n", "\tif running == nil {\n\t\treturn 0, nil\n\t}\n\treturn 2, nil\n")
	assert.Equal(t, []string{"TestAlsoACluster.1: 0"}, says(r.see("1b").Mine), "it is the only one that fails, and short as before")

	r.replace(planGo, "\treturn 0, nil\n\t}\n\treturn 2, nil\n", "\treturn 3, nil\n\t}\n\treturn 3, nil\n")
	assert.Equal(t, &Seen{Clusters: []string{"TestAlsoACluster"}}, r.see("1b"), "it passes")
}

func TestOfATestThatDiesTheBooksRunIsSeen(t *testing.T) {
	r := newReader(t)
	r.withClusters()
	r.start("1b")
	r.replace(planGo, "\treturn 0, nil\n", "\tpanic(running)\n")
	seen := r.see("1b")
	assert.Equal(t, "TestClusters", seen.Test)
	assert.Empty(t, seen.Mine)
	assert.Len(t, seen.Book, 3)
}

func TestTheBooksRunHasAllOfTheBook(t *testing.T) {
	r := newReader(t)
	r.withClusters()
	r.start("1b")
	r.start("1c")
	r.replace(planGo, "\treturn 0, nil\n", "\treturn 1, none\n")
	r.write(planGo, r.read(planGo)+"\nvar none []string\n")
	r.replace(planGo, "\treturn \"\"\n", "\treturn \"mine\"\n")
	r.replace("chapters/01-counting/cluster_test.go", "leave(t, 1, create)\n", "leave(t, len(describe(0, nil)), create)\n")
	seen := r.see("1b")
	assert.Equal(t, "TestClusters%2Ftwo.2: 1", says(seen.Mine)[0])
	assert.Contains(t, says(seen.Mine), fmt.Sprintf("TestClusters%%2Ftwo.%d: 1", len("create 0, delete []")), "as the tests of 1b see it")
	assert.Equal(t, fmt.Sprintf("TestClusters%%2Ftwo.%d: 2", len("create 0, delete []")), says(seen.Book)[0])
}

func TestNothingIsLeftOfARunThatWasSeen(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := newReader(t)
	r.withClusters()
	r.start("1b")
	require.NotNil(t, r.see("1b"))
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "reconcile-test-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Nil(t, func() *Seen { r.reset("1b"); return r.see("1b") }())
}
