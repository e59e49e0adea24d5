package figure_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"reconcile/cmd/bookgen/internal/figure"
)

// testing.T and rapid.T both do.
type reporter interface {
	require.TestingT
	Helper()
}

// requireClear fails if two texts touch, or one leaves the paper.
func requireClear(t reporter, p figure.Paper) {
	t.Helper()
	require.NoError(t, p.Clear())
}

func TestNoLabelTouchesAnother(t *testing.T) {
	for name, kind := range samples {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		require.NoError(t, err)
		papers, err := figure.Papers(kind, data)
		require.NoError(t, err)
		for width, p := range papers {
			t.Run(name+"/"+width, func(t *testing.T) { requireClear(t, p) })
		}
	}
	t.Run("loop", func(t *testing.T) { requireClear(t, figure.LoopPaper()) })
}

func TestNoPlotLabelTouchesAnotherWhateverWasMeasured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.Bool().Draw(t, "log")
		value := rapid.Float64Range(0.01, 5_000_000)
		var all []map[string]any
		for i := range rapid.IntRange(1, 4).Draw(t, "series") {
			var points [][2]float64
			for n := range rapid.IntRange(1, 8).Draw(t, "points") {
				points = append(points, [2]float64{float64(n*n + 1), value.Draw(t, "y")})
			}
			all = append(all, map[string]any{"name": fmt.Sprintf("the series of number %d", i), "points": points})
		}
		data, err := json.Marshal(map[string]any{
			"x": map[string]any{"label": "objects", "log": log},
			"y": map[string]any{"label": "time", "unit": "µs", "log": log}, "series": all,
		})
		require.NoError(t, err)
		papers, err := figure.Papers("plot", data)
		require.NoError(t, err)
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}

func TestLongNamesBreakWhereTheyAreJoined(t *testing.T) {
	assert.Equal(t, []string{"default/", "web-7f9c-", "x7k2p"}, figure.Wrap(75, "default/web-7f9c-x7k2p"))
	assert.Equal(t, []string{"Pod", "default/web"}, figure.Wrap(90, "Pod default/web"))
}

func TestTheStyleSheetHasTheSizesThatWereMeasured(t *testing.T) {
	for _, rule := range figure.FontRules() {
		assert.Contains(t, figure.Style(), rule)
	}
	for _, rule := range []string{".fig-loop text{font-size:22px}", "font-size:15.5px}"} {
		assert.Contains(t, string(figure.OpenGraph()), rule)
	}
}
