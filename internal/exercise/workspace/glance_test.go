package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise/trial"
)

// glance tests an exercise, and returns what was seen of it unasked.
func (r *reader) glance(number string) *Seen {
	r.Helper()
	done, err := r.Test(r.Context(), number, false, Telling{
		Begins: func(Tested) {}, Ended: func(trial.Test) {}, Looks: func(Tested) {}, Glances: true,
	})
	require.NoError(r, err)
	return done.Seen
}

// kept returns what is kept of the book's runs.
func (r *reader) keptRuns() []string {
	all, err := filepath.Glob(r.path(filepath.Join(stateDir, "look", "*", "*", "*")))
	require.NoError(r, err)
	return all
}

func TestWhatFailsIsGlancedAtUnasked(t *testing.T) {
	r := newReader(t)
	r.Workspace.glance = time.Hour // the machine may be busy
	r.withClusters()
	r.start("1b")
	assert.Nil(t, r.glance("1b"), "nothing is written yet")
	r.replace(planGo, "\treturn 0, nil\n", "\treturn 1, nil\n")
	seen := r.glance("1b")
	require.NotNil(t, seen)
	assert.Equal(t, "TestClusters", seen.Test)
	book := says(seen.Book)
	assert.Len(t, book, 3)

	kept := r.keptRuns()
	assert.Len(t, kept, 1)
	r.replace(planGo, "\treturn 1, nil\n", "\treturn 5, nil\n")
	assert.ElementsMatch(t, book, says(r.glance("1b").Book))
	records, err := filepath.Glob(filepath.Join(kept[0], "*"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(records[0], []byte("kept"), 0o644))
	assert.Contains(t, strings.Join(says(r.glance("1b").Book), "\n"), ": kept", "the book's run is that of before")
	assert.Equal(t, kept, r.keptRuns())

	r.write("chapters/01-counting/more_test.go", "package counting\n")
	r.glance("1b")
	assert.Len(t, r.keptRuns(), 1)
	assert.NotEqual(t, kept, r.keptRuns(), "the book is another")
}
