package figure_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// requireClear fails where two texts touch, or one leaves the paper.
func requireClear(t reporter, p figure.Paper) {
	t.Helper()
	for i, a := range p.Texts {
		require.True(t, a.Left >= -0.5 && a.Top >= -0.5 && a.Right <= p.Width+0.5 && a.Bottom <= p.Height+0.5,
			"%q leaves the paper of %v×%v: %+v", a.Text, p.Width, p.Height, a)
		for _, b := range p.Texts[:i] {
			apart := a.Right <= b.Left || b.Right <= a.Left || a.Bottom <= b.Top || b.Bottom <= a.Top
			require.True(t, apart, "%q lies on %q:\n%+v\n%+v", a.Text, b.Text, a, b)
		}
	}
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

func TestNoLabelTouchesAnotherWhateverWasRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(map[string]any{"steps": anySteps(t)})
		require.NoError(t, err)
		papers, err := figure.Papers("path", data)
		require.NoError(t, err)
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}

// anySteps draws steps of up to eight lanes, with causes anywhere before them.
func anySteps(t *rapid.T) []map[string]any {
	lanes := rapid.IntRange(1, 8).Draw(t, "lanes")
	word := rapid.StringMatching(`[a-zA-Z][a-z]{0,14}(-[a-z0-9]{1,8}){0,2}`)
	words := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 8).Draw(t, "words"), " ")
	})
	var steps []map[string]any
	at := 0
	for i := range rapid.IntRange(1, 24).Draw(t, "steps") {
		at += rapid.SampledFrom([]int{0, 0, 0, 1500, 61_000_000_000}).Draw(t, "wait")
		s := map[string]any{
			"at": at, "id": fmt.Sprint("s", i), "action": words.Draw(t, "action"),
			"lane":    fmt.Sprint("lane ", rapid.IntRange(1, lanes).Draw(t, "lane")),
			"object":  rapid.OneOf(rapid.Just(""), words).Draw(t, "object"),
			"version": rapid.IntRange(0, 99).Draw(t, "version"),
			"note":    rapid.OneOf(rapid.Just(""), words).Draw(t, "note"),
		}
		if cause := rapid.IntRange(-1, i-1).Draw(t, "cause"); cause >= 0 {
			s["from"] = fmt.Sprint("s", cause)
		}
		steps = append(steps, s)
	}
	return steps
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
