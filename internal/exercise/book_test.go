package exercise_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

// Bookgen check proves that the record is what the tests say.
func TestEveryWrongAnswerOfTheBookIsKnownAgain(t *testing.T) {
	chapters, err := filepath.Glob("../../chapters/[0-9]*")
	require.NoError(t, err)
	require.NotEmpty(t, chapters)
	for _, chapter := range chapters {
		exercises, err := exercise.Load(os.DirFS(chapter), chapter)
		require.NoError(t, err)
		for _, e := range exercises {
			if e.Kind == exercise.Debug {
				continue // the fault was given to the reader
			}
			for i := range e.Wrong {
				wrong := &e.Wrong[i]
				alike := e.LooksLike(wrong.Says)
				assert.True(t, slices.Contains(alike, wrong), "%s %s", e.Number, wrong.Name)
				assert.LessOrEqual(t, len(alike), 2, "%s %s cannot be told from others", e.Number, wrong.Name)
			}
		}
	}
}
