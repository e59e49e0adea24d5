package figure_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/figure"
)

// variants returns the wide and the narrow drawing of a sample.
func variants(t *testing.T, name string) []string {
	t.Helper()
	parts := strings.SplitAfter(drawn(t, name), "</svg>")
	require.Len(t, parts, 3)
	return []string{strings.TrimPrefix(parts[0], `<div class="fig fig-path">`), parts[1]}
}

func TestEveryStepIsDrawnInBothWidths(t *testing.T) {
	for _, svg := range variants(t, "event-path") {
		var steps []string
		for _, e := range elements(t, svg) {
			if n := e.attr["data-s"]; n != "" {
				steps = append(steps, n)
			}
		}
		assert.Equal(t, strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13"), steps)
	}
}

func TestArrowsFollowCauses(t *testing.T) {
	want := map[string]string{
		"event-path": "1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 8-10 9-11 11-12 12-13",
		"retry-path": "1-2 2-3 3-4 4-5 5-7 7-8 8-9 9-10",
	}
	for name, arrows := range want {
		for _, svg := range variants(t, name) {
			var got []string
			for _, e := range elements(t, svg) {
				if arrow := e.attr["data-e"]; arrow != "" {
					got = append(got, arrow)
				}
			}
			assert.Equal(t, arrows, strings.Join(got, " "), name)
		}
	}
}

func TestArrowsBeginAndEndAtTheirMarks(t *testing.T) {
	ends := regexp.MustCompile(`^M(\S+) .*L(\S+) \S+$`)
	for _, svg := range variants(t, "event-path") {
		marks := map[string]string{}
		var step string
		for _, e := range elements(t, svg) {
			if n := e.attr["data-s"]; n != "" {
				step = n
			}
			if at, ok := strings.CutPrefix(e.attr["transform"], "translate("); ok {
				marks[step], _, _ = strings.Cut(at, " ")
			}
		}
		for _, e := range elements(t, svg) {
			from, to, ok := strings.Cut(e.attr["data-e"], "-")
			if !ok {
				continue
			}
			x := ends.FindStringSubmatch(e.attr["d"])
			require.NotNil(t, x, e.attr["d"])
			assert.Equal(t, marks[from], x[1], "arrow %s-%s begins", from, to)
			assert.Equal(t, marks[to], x[2], "arrow %s-%s ends", from, to)
		}
	}
}

func TestOnlyWritesToTheStoreAreFilled(t *testing.T) {
	for _, svg := range variants(t, "retry-path") {
		var filled []string
		var step string
		for _, e := range elements(t, svg) {
			if n := e.attr["data-s"]; n != "" {
				step = n
			}
			if e.attr["class"] == "f-o f-x" {
				filled = append(filled, step)
			}
		}
		assert.Equal(t, []string{"9"}, filled)
	}
}

func TestStepsOfOneInstantShareABand(t *testing.T) {
	for _, svg := range variants(t, "event-path") {
		assert.Equal(t, 2, strings.Count(svg, `class="f-b"`))
		assert.Contains(t, svg, "2 s pass")
	}
}

func TestLanesStandInTheOrderTheyAppear(t *testing.T) {
	svg := variants(t, "retry-path")[0]
	var heads []string
	for _, found := range regexp.MustCompile(`class="f-e"[^>]*>(\w+)`).FindAllStringSubmatch(svg, -1) {
		heads = append(heads, found[1])
	}
	assert.Equal(t, []string{"worker", "indexer", "store", "queue"}, heads)
}

func TestErrorsNameTheStep(t *testing.T) {
	const ok = `{"at":0,"lane":"store","action":"write","id":"a"}`
	cases := map[string]struct{ data, want string }{
		"nothing":         {``, "the file is empty"},
		"no JSON":         {"{\n\"steps\": [1,,2]}", "line 2: malformed JSON near"},
		"cut off":         {`{"steps":[` + ok, "it ends in the middle"},
		"more":            {`{"steps":[` + ok + `]} {}`, "more follows"},
		"no steps":        {`{"title":"x"}`, "the run has no steps"},
		"steps no list":   {`{"steps":{}}`, "steps must be a list"},
		"misspelt field":  {`{"steps":[` + ok + `,{"at":0,"lane":"store","action":"x","form":"a"}]}`, `steps[1]: unknown field "form"`},
		"wrong type":      {`{"steps":[{"at":"now"}]}`, "steps[0]: line 1: at cannot be a string"},
		"time backwards":  {`{"steps":[{"at":5,"lane":"a","action":"x"},` + ok + `]}`, "steps[1]: at 0 s is before steps[0] at 5 ns: time runs backwards"},
		"before the run":  {`{"steps":[{"at":-1,"lane":"a","action":"x"}]}`, "steps[0]: at -1 is before the run began"},
		"no lane":         {`{"steps":[{"at":0,"action":"x"}]}`, "steps[0]: has no lane"},
		"no action":       {`{"steps":[{"at":0,"lane":"a"}]}`, "steps[0]: has no action"},
		"unknown lane":    {`{"lanes":[{"id":"queue"}],"steps":[` + ok + `]}`, `steps[0]: lane "store" is not one of lanes`},
		"lane twice":      {`{"lanes":[{"id":"store"},{"id":"store"}],"steps":[` + ok + `]}`, `lanes[1]: id "store" is empty or taken`},
		"unknown cause":   {`{"steps":[` + ok + `,{"at":0,"lane":"store","action":"x","from":"b"}]}`, `steps[1]: from "b" names no earlier step`},
		"its own cause":   {`{"steps":[{"at":0,"lane":"store","action":"x","id":"c","from":"c"}]}`, `steps[0]: from "c" names no earlier step`},
		"id twice":        {`{"steps":[` + ok + `,` + ok + `]}`, `steps[1]: id "a" is that of steps[0] too`},
		"version of what": {`{"steps":[{"at":0,"lane":"a","action":"x","version":{}}]}`, "steps[0]: version must be a number or a string"},
		"too many lanes":  {`{"lanes":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5"},{"id":"6"},{"id":"7"},{"id":"8"},{"id":"store"}],"steps":[` + ok + `]}`, "9 lanes: a page has room for 8"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := figure.Render("path", []byte(c.data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestAFigureNeedsAKindAnIDAndAnAlternative(t *testing.T) {
	data, err := os.ReadFile("testdata/event-path.json")
	require.NoError(t, err)
	_, err = figure.Render("paht", data, "id", "alt")
	assert.ErrorContains(t, err, `no figure of kind "paht": there are decision, lanes, map, nodes, owners, path, plot`)
	_, err = figure.Render("path", data, "", "alt")
	assert.ErrorContains(t, err, "a figure needs an id")
	_, err = figure.Render("path", data, "id", " ")
	assert.ErrorContains(t, err, "a figure needs a text alternative")
}

func TestTimesAreWrittenAsPeopleSayThem(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 s", 7: "7 ns", 1500: "1.5 µs", 5e6: "5 ms", 2e9: "2 s", 2.5e9: "2.5 s", 65e9: "1 min 5 s", 600e9: "10 min",
		61_000_001_500: "1 min 1 s", 3600e9: "1 h", 7500e9: "2 h 5 min",
	} {
		assert.Equal(t, want, figure.Clock(ns))
	}
}
