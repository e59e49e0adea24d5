package figure_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestAMapShowsWhatIsBuiltWhatIsBuiltNowAndWhatIsNot(t *testing.T) {
	for _, variant := range variants(t, "map-3") {
		assert.Equal(t, 2, strings.Count(variant, `class="f-b"`), "two are built")
		assert.Equal(t, 1, strings.Count(variant, `class="f-j"`), "the third is, just now")
		assert.Equal(t, 2, strings.Count(variant, `class="f-l"`), "two are to come")
		assert.Equal(t, 5, strings.Count(variant, `class="f-h"`), "four arrows on, and one back")
		assert.Contains(t, variant, "informer.go")
		assert.NotContains(t, variant, "queue.go", "nobody has written it yet")
		assert.Contains(t, variant, "a write")
	}
}

func TestAPlanSaysWhatEachStationAnswersAndNoFile(t *testing.T) {
	for _, variant := range variants(t, "map-0") {
		for _, word := range []string{"store", "changed", "know", "done", "act"} {
			assert.Contains(t, variant, word)
		}
		assert.NotContains(t, variant, ".go")
		assert.NotContains(t, variant, `class="f-j"`)
		assert.Equal(t, 5, strings.Count(variant, `class="f-h"`))
	}
}

func TestAMapAtTheHeadOfASectionIsSlim(t *testing.T) {
	data, err := os.ReadFile("testdata/map-3.json")
	require.NoError(t, err)
	for n := 1; n <= 5; n++ {
		papers, err := figure.Papers(fmt.Sprint("map ", n), data)
		require.NoError(t, err)
		for width, paper := range papers {
			assert.LessOrEqual(t, paper.Height(), 110.0, "map %d, %s", n, width)
			requireClear(t, paper)
		}
	}
}

func TestErrorsNameTheStation(t *testing.T) {
	station := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"label":"a","answers":"b","file":"c"}`, id)
	}
	three := station("1") + "," + station("2") + "," + station("3")
	for name, c := range map[string]struct{ kind, stations, back, want string }{
		"one alone":           {"map 0", station("1"), "b", "1 stations: a map has 2 to 6"},
		"seven":               {"map 0", three + "," + three + "," + station("7"), "b", "7 stations"},
		"nameless":            {"map 0", station("1") + `,{"id":"2"}`, "b", "stations[1]: it needs"},
		"an id twice":         {"map 0", station("1") + "," + station("1"), "b", `stations[1]: id "1" is taken`},
		"no way back":         {"map 0", three, "", "a map needs a back"},
		"more than there are": {"map 4", three, "b", `"map 0" to "map 3"`},
		"fewer than none":     {"map -1", three, "b", `"map 0" to "map 3"`},
		"no number":           {"map", three, "b", `"" of the stations are built`},
	} {
		t.Run(name, func(t *testing.T) {
			data := fmt.Sprintf(`{"stations":[%s],"back":%q}`, c.stations, c.back)
			_, err := figure.Render(c.kind, []byte(data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestOnlyAMapTakesAWordBehindItsKind(t *testing.T) {
	data, err := os.ReadFile("testdata/update.json")
	require.NoError(t, err)
	_, err = figure.Render("lanes 2", data, "id", "alt")
	assert.ErrorContains(t, err, `nothing may stand behind the kind, and there is "2"`)
}

func TestNoMapLabelTouchesAnotherWhateverIsBuilt(t *testing.T) {
	words := rapid.StringMatching(`[a-z]{1,12}( [a-z]{1,9}){0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		var stations []map[string]string
		for i := range rapid.IntRange(2, 6).Draw(t, "stations") {
			stations = append(stations, map[string]string{
				"id": fmt.Sprint(i), "label": words.Draw(t, "label"),
				"answers": words.Draw(t, "answers"),
				"file":    rapid.StringMatching(`[a-z]{1,10}(_[a-z]{1,10})?\.go`).Draw(t, "file"),
			})
		}
		data, err := json.Marshal(map[string]any{"stations": stations, "back": "a write"})
		require.NoError(t, err)
		built := rapid.IntRange(0, len(stations)).Draw(t, "built")
		papers, err := figure.Papers(fmt.Sprint("map ", built), data)
		require.NoError(t, err)
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}
