package workspace

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (r *reader) checkpoint(before, begins []string) Begun {
	r.Helper()
	done, err := r.Checkpoint(r.Context(), "day-2", before, begins)
	require.NoError(r, err)
	return done
}

func TestACheckpointPutsTheBookBackBeforeAndStartsWhatFollows(t *testing.T) {
	for name, newReader := range map[string]func(*testing.T) *reader{"with git": newReaderWithGit, "without": newReader} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t)
			plan := r.read(planGo)
			r.start("1b")
			r.replace(planGo, "return 0, nil", "return desired, nil")
			mine := r.read(planGo)

			done := r.checkpoint([]string{"1b"}, []string{"1c"})
			assert.Equal(t, []string{"1b"}, done.Back.Ended)
			assert.Equal(t, ".reconcile/kept/day-2/1-checkpoint", done.Back.Kept)
			assert.Equal(t, mine, r.read(done.Back.Kept+"/plan.go"))
			require.Len(t, done.Started, 1)
			assert.False(t, done.Started[0].Already)
			assert.Equal(t, "untouched", r.line("1b").State())
			assert.Equal(t, "started", r.line("1c").State())
			assert.Contains(t, r.read(planGo), "sort.Strings(doomed)")
			assert.Contains(t, r.read(planGo), "Exercise 1c")

			r.replace(planGo, `return ""`, `return "mine"`)
			again := r.checkpoint([]string{"1b"}, []string{"1c"})
			assert.True(t, again.Started[0].Already)
			assert.Empty(t, again.Back)
			assert.Contains(t, r.read(planGo), `return "mine"`, "what is begun stays as it is")

			r.reset("1c")
			assert.Equal(t, plan, r.read(planGo))
			assert.NoFileExists(t, r.original(planGo))
		})
	}
}

func TestACheckpointStartsSeveralInOneFile(t *testing.T) {
	r := newReader(t)
	plan, counter := r.read(planGo), r.read(counterGo)
	done := r.checkpoint(nil, []string{"1c", "1b"})
	require.Len(t, done.Started, 2)
	assert.Contains(t, r.read(planGo), "Exercise 1b")
	assert.Contains(t, r.read(planGo), "Exercise 1c")
	assert.Contains(t, r.read(counterGo), "Exercise 1c")
	assert.Empty(t, done.Back.Kept, "nothing was written")
	r.reset("1b")
	r.reset("1c")
	assert.Equal(t, plan, r.read(planGo))
	assert.Equal(t, counter, r.read(counterGo))
}

func TestACheckpointOfWhatTheBookHasNotChangesNothing(t *testing.T) {
	r := newReader(t)
	r.start("1b")
	before := r.files()
	_, err := r.Checkpoint(t.Context(), "day-2", []string{"1b"}, []string{"9.9"})
	require.ErrorContains(t, err, `there is no exercise "9.9"`)
	assert.Equal(t, before, r.files())
}
