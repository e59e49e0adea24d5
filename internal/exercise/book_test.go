package exercise_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/exercise"
)

// Bookgen check proves that the record holds the tests' words.
func TestEveryWrongAnswerOfTheBookIsKnownAgain(t *testing.T) {
	chapters, err := filepath.Glob("../../chapters/[0-9]*")
	require.NoError(t, err)
	require.NotEmpty(t, chapters)
	var unnamed []string // the tests say of them what they say of another
	for _, chapter := range chapters {
		exercises, err := exercise.Load(os.DirFS(chapter), chapter)
		require.NoError(t, err)
		for _, e := range exercises {
			if e.Kind == exercise.Debug {
				continue // the fault was given to the reader
			}
			for i := range e.Wrong {
				wrong := &e.Wrong[i]
				if like := e.LooksLike(wrong.Says); like == nil {
					unnamed = append(unnamed, e.Number+" "+wrong.Name)
				} else {
					assert.Same(t, wrong, like, "%s %s", e.Number, wrong.Name)
				}
			}
		}
	}
	assert.LessOrEqual(t, len(unnamed), 6, "%q", unnamed)
}

// A fault that is the function of an older edition has a second one.
func TestAFaultIsAStatementOrTwo(t *testing.T) {
	chapters, err := filepath.Glob("../../chapters/[0-9]*")
	require.NoError(t, err)
	for _, dir := range chapters {
		exercises, err := exercise.Load(os.DirFS(dir), dir)
		require.NoError(t, err)
		for _, e := range exercises {
			if e.Kind != exercise.Debug {
				continue
			}
			lines := make(map[string]int)
			for line := range strings.Lines(string(e.Fault().Code)) {
				lines[line]++
			}
			for _, fn := range e.Functions {
				text := fn.File.Content[fn.File.Offset(fn.Node.Pos()):fn.File.Offset(fn.Node.End())]
				if at := bytes.Index(text, []byte("\nfunc ")); at >= 0 {
					text = text[at+1:] // without the comment above it
				}
				for line := range strings.Lines(string(text) + "\n") {
					lines[line]--
				}
			}
			more, fewer := 0, 0
			for _, n := range lines {
				more, fewer = more+max(n, 0), fewer+max(-n, 0)
			}
			assert.LessOrEqual(t, max(more, fewer), 5, "%s: the function with the fault differs in more than a statement or two", e.Number)
		}
	}
}
