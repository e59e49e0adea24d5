package figure_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestAFigureNeedsAKindAnIDAndAnAlternative(t *testing.T) {
	data, err := os.ReadFile("testdata/update.json")
	require.NoError(t, err)
	_, err = figure.Render("lane", data, "id", "alt")
	assert.ErrorContains(t, err, `no figure of kind "lane": there are lanes, map, plot, spans, writers`)
	_, err = figure.Render("lanes", data, "", "alt")
	assert.ErrorContains(t, err, "a figure needs an id")
	_, err = figure.Render("lanes", data, "id", " ")
	assert.ErrorContains(t, err, "a figure needs a text alternative")
}

func TestErrorsNameTheLineOfTheData(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"nothing":    {``, "the file is empty"},
		"no JSON":    {"{\n\"pods\": [1,,2]}", "line 2: malformed JSON near"},
		"cut off":    {`{"pods":[{}`, "it ends in the middle"},
		"more":       {`{"pods":[]} {}`, "more follows"},
		"wrong type": {`{"most":"many"}`, "line 1: most cannot be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := figure.Render("lanes", []byte(c.data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestTimesAreWrittenAsPeopleSayThem(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 s", 7: "7 ns", 1500: "1.5 µs", 5e6: "5 ms", 2e9: "2 s", 2.5e9: "2.5 s", 65e9: "1 min 5 s", 600e9: "10 min",
		61_000_001_500: "1 min 1 s", 3600e9: "1 h", 7500e9: "2 h 5 min",
	} {
		assert.Equal(t, want, figure.Clock(ns))
	}
}
