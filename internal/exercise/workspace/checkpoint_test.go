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
			r.start("1.1")
			r.replace(planGo, "return 0, nil", "return desired, nil")
			mine := r.read(planGo)

			done := r.checkpoint([]string{"1.1"}, []string{"1.2"})
			assert.Equal(t, []string{"1.1"}, done.Back.Ended)
			assert.Equal(t, ".reconcile/kept/day-2/1-checkpoint", done.Back.Kept)
			assert.Equal(t, mine, r.read(done.Back.Kept+"/plan.go"))
			require.Len(t, done.Started, 1)
			assert.False(t, done.Started[0].Already)
			assert.Equal(t, "untouched", r.line("1.1").State())
			assert.Equal(t, "started", r.line("1.2").State())
			assert.Contains(t, r.read(planGo), "sort.Strings(doomed)")
			assert.Contains(t, r.read(planGo), "Exercise 1.2")

			r.replace(planGo, `return ""`, `return "mine"`)
			again := r.checkpoint([]string{"1.1"}, []string{"1.2"})
			assert.True(t, again.Started[0].Already)
			assert.Empty(t, again.Back)
			assert.Contains(t, r.read(planGo), `return "mine"`, "what is begun stays as it is")

			r.reset("1.2")
			assert.Equal(t, plan, r.read(planGo))
			assert.NoFileExists(t, r.original(planGo))
		})
	}
}

func TestACheckpointStartsSeveralInOneFile(t *testing.T) {
	r := newReader(t)
	plan, counter := r.read(planGo), r.read(counterGo)
	done := r.checkpoint(nil, []string{"1.2", "1.1"})
	require.Len(t, done.Started, 2)
	assert.Contains(t, r.read(planGo), "Exercise 1.1")
	assert.Contains(t, r.read(planGo), "Exercise 1.2")
	assert.Contains(t, r.read(counterGo), "Exercise 1.2")
	assert.Empty(t, done.Back.Kept, "nothing was written")
	r.reset("1.1")
	r.reset("1.2")
	assert.Equal(t, plan, r.read(planGo))
	assert.Equal(t, counter, r.read(counterGo))
}

func TestACheckpointOfWhatTheBookHasNotChangesNothing(t *testing.T) {
	r := newReader(t)
	r.start("1.1")
	before := r.files()
	_, err := r.Checkpoint(t.Context(), "day-2", []string{"1.1"}, []string{"9.9"})
	require.ErrorContains(t, err, `there is no exercise "9.9"`)
	assert.Equal(t, before, r.files())
}
