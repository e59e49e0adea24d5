package browser

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/toolchain"
	"reconcile/internal/exercise"
	"reconcile/internal/exercise/cut"
)

// The first exercise of each chapter that is one function to write shows where that is;
// a wrong answer gets its name, and the book's passes.
func TestExerciseInThePageOfEachChapter(t *testing.T) {
	url := serveWritableAt(t, "127.0.0.1")
	for _, chapter := range toolchain.Chapters {
		e := firstToWrite(t, chapter)
		wrong, file := e.Wrong[0], e.Functions[0].File
		declared, err := cut.Declared(wrong.Code)
		require.NoError(t, err)
		text, err := cut.Replace(file.Content, wrong.Code, declared)
		require.NoError(t, err)
		t.Run(e.Number, func(t *testing.T) {
			tb := newTab(t, 820)
			tb.writes(url + chapter + "/exercises/" + e.Number + ".md.html")
			tb.wait(`[...document.querySelectorAll(".write .cm-line")].some((line) => line.textContent.includes("yours to write") &&
				line.getBoundingClientRect().bottom < ` + inWrite + ` .cm-scroller").getBoundingClientRect().bottom)`)
			tb.edits(string(text))
			tb.pressButton("Test")
			tb.written("This looks like \"" + wrong.Name + "\".")
			tb.edits(string(file.Content))
			tb.pressButton("Test")
			tb.written("the book's own: that is no pass")
			said := ask[string](tb, inWrite+` pre").textContent`)
			assert.True(t, ask[bool](tb, `/\n(\d+) of \1 pass\.\n/.test(`+inWrite+` pre").textContent)`), said)
		})
	}
}

func firstToWrite(t *testing.T, chapter string) *exercise.Exercise {
	t.Helper()
	dir := filepath.Join(root, "chapters", chapter)
	all, err := exercise.Load(os.DirFS(dir), dir)
	require.NoError(t, err)
	first := slices.IndexFunc(all, func(e *exercise.Exercise) bool {
		return toolchain.Offers(e) && len(e.Functions) == 1 && len(e.Wrong) > 0 && e.Kind != exercise.Debug
	})
	require.GreaterOrEqual(t, first, 0)
	return all[first]
}
