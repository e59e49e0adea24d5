package paper_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/paper"
	"reconcile/cmd/bookgen/internal/site"
)

func TestAPreviewHasTheWordsOfItsCardBesideTheLoop(t *testing.T) {
	needsAPrinter(t)
	pictures, err := paper.Previews(t.Context(), []site.Card{
		{File: "a.png", Title: "Reconcile", Below: "A book"},
		{File: "b.png", Above: "Reconcile · 1.4", Title: "The work queue, and who takes <keys> out of it", Below: "The control loop"},
	})
	require.NoError(t, err)
	require.Len(t, pictures, 2)
	ink := map[string]int{}
	for name, content := range pictures {
		assert.Less(t, len(content), 60<<10, name)
		picture, err := png.Decode(bytes.NewReader(content))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, 1200, 630), picture.Bounds())
		ground := picture.At(2, 2)
		for y := range 630 {
			for x := range 1200 {
				if picture.At(x, y) == ground {
					continue
				}
				assert.False(t, x < 80 || y < 40 || y >= 590, "%s: ink at %d, %d", name, x, y)
				if x < 664 {
					ink[name]++
				}
			}
		}
	}
	assert.Greater(t, ink["b.png"], ink["a.png"], "it has more words")
	assert.NotEqual(t, pictures["a.png"], pictures["b.png"])
}
