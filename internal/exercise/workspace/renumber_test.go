package workspace

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toDots makes of a reader's state what an edition left that had dotted numbers: 1b is
// 1.1, 1d is 1.3, and 1g is 1.6.
func (r *reader) toDots() {
	r.Helper()
	text := r.read(".reconcile/progress.json")
	text = strings.NewReplacer(`"version": 2`, `"version": 1`, `"1b"`, `"1.1"`, `"1d"`, `"1.3"`, `"1g"`, `"1.6"`, "/1g/", "/1.6/").Replace(text)
	r.write(".reconcile/progress.json", text)
	marked := r.read(".reconcile/originals/" + planGo)
	r.write(".reconcile/originals/"+planGo, strings.ReplaceAll(marked, "//book:exercise 1b", "//book:exercise 1.1"))
	old := ".reconcile/originals/" + strings.Replace(ownGo, "1g", "1.6", 1)
	require.NoError(r, os.Mkdir(r.path(path.Dir(old)), 0o755))
	require.NoError(r, os.Rename(r.original(ownGo), r.path(old)))
	require.NoError(r, os.Rename(r.path(sheetOf1d), r.path("mine/1.3.txt")))
}

func TestWhatWasBegunByADottedNumberGoesOn(t *testing.T) {
	r := newReaderOfKinds(t)
	plan, own := r.read(planGo), r.read(ownGo)
	r.start("1b")
	r.start("1g")
	r.start("1d")
	r.write(sheetOf1d, "create a\n")
	r.test("1b")
	r.toDots()

	assert.Equal(t, "started", r.line("1b").State())
	assert.Equal(t, 1, r.line("1b").Attempts)
	assert.Equal(t, []string{ownGo}, r.line("1g").Files)
	tested, _ := r.test("1d")
	assert.Equal(t, 1, tested.Compared.Right, "the sheet has its number")
	assert.NoFileExists(t, r.path("mine/1.3.txt"))
	tested, _ = r.test("1g")
	assert.Equal(t, []string{"Of"}, tested.Empty)
	r.reset("1g")
	assert.Equal(t, own, r.read(ownGo), "the book's version has moved with it")
	r.reset("1b")
	assert.Equal(t, plan, r.read(planGo), "and its marks are read")
	assert.Contains(t, r.read(".reconcile/progress.json"), `"version": 2`)
	assert.Empty(t, r.warnings)
}

func TestAFileThatIsThereIsNotOverwrittenByOneOfADottedNumber(t *testing.T) {
	r := newReaderOfKinds(t)
	r.start("1b")
	r.start("1g")
	r.start("1d")
	r.toDots()
	r.write(sheetOf1d, "mine\n")
	assert.Equal(t, "started", r.line("1d").State())
	assert.Equal(t, "mine\n", r.read(sheetOf1d))
	assert.FileExists(t, r.path("mine/1.3.txt"))
}

func TestAWayOfWritingMeansAnExerciseIfThereIsOne(t *testing.T) {
	r := newReaderOfKinds(t)
	for said, want := range map[string]string{"1b": "1b", "1B": "1b", "1.1": "1b", "1.25": "1.25", "2.1": "2.1", "[": "["} {
		assert.Equal(t, want, r.Number(said))
	}
}
