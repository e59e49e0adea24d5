package figure_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestANodeFallsAsFarAsTheFilterThatStopsIt(t *testing.T) {
	for _, variant := range variants(t, "decision") {
		sieves := regexp.MustCompile(`M\S+ (\S+)H`).FindAllStringSubmatch(
			regexp.MustCompile(`class="f-l" d="([^"]*)"`).FindString(variant), -1)
		require.Len(t, sieves, 8, "a line a filter")
		falls := regexp.MustCompile(`class="f-y" d="M([\d.]+) [\d.]+V([\d.]+)"/>\s*<path class="f-f" d="M[\d.]+ ([\d.]+)h`).FindAllStringSubmatch(variant, -1)
		require.Len(t, falls, 3, "three nodes are stopped")
		for i, filter := range []int{2, 5, 5} {
			assert.Equal(t, sieves[filter][1], falls[i][2], "where its line ends")
			assert.Equal(t, sieves[filter][1], falls[i][3], "and what stops it")
		}
		assert.Equal(t, 1, strings.Count(variant, `class="f-a"`), "the winner's line is one")
		assert.Less(t, len(variant), 6<<10)
	}
}

func TestAFilterSaysWhomItMeansWhereItSaysSeveralThings(t *testing.T) {
	svg := strings.Join(variants(t, "decision"), "")
	assert.Contains(t, svg, ">node(s) had untolerated taint(s)<")
	assert.Contains(t, svg, ">node-2: Insufficient cpu<")
	assert.Contains(t, svg, ">node-5: Insufficient memory<")
	assert.Equal(t, 1, strings.Count(variants(t, "decision-8")[0], "untolerated"), "the same of two is said once")
}

func TestTheWinnerIsSeenWithoutColours(t *testing.T) {
	for name, head := range map[string]string{"decision": ">node-4<", "decision-8": ">node-8<"} {
		wide := variants(t, name)[0]
		column := regexp.MustCompile(`<text x="([\d.]+)"[^>]*>\s*<tspan[^>]*` + head).FindStringSubmatch(wide)
		line := regexp.MustCompile(`class="f-a" d="M([\d.]+) `).FindStringSubmatch(wide)
		box := regexp.MustCompile(`class="f-s0" d="M([\d.]+) [\d.]+h([\d.]+)v[\d.]+h\S+z"`).FindStringSubmatch(wide)
		require.True(t, column != nil && line != nil && box != nil)
		assert.Equal(t, column[1], line[1], "the full arrow falls from its name")
		assert.InDelta(t, number(t, line[1]), number(t, box[1])+number(t, box[2])/2, 0.11, "into a box")
		assert.Equal(t, 2, strings.Count(drawn(t, name), ">chosen<"), "in both drawings")
	}
}

func TestWhatNamesHaveInCommonIsSaidOnceWhereThereIsNoRoom(t *testing.T) {
	variant := variants(t, "decision-8")
	assert.Equal(t, 8, strings.Count(variant[0], ">node-"))
	assert.Equal(t, 1, strings.Count(variant[1], ">node-<"))
	assert.Contains(t, variant[1], ">8<")
}

func TestEightLargeSumsStandClearOfEachOther(t *testing.T) {
	var nodes []string
	for i := range 8 {
		nodes = append(nodes, fmt.Sprintf(`{"name":"n-%d","scores":[100],"sum":1200}`, i))
	}
	papers, err := figure.Papers("decision", fmt.Appendf(nil,
		`{"pod":"web","filters":["Fit"],"scores":[{"name":"Least","weight":12}],"nodes":[%s],"chosen":"n-0"}`, strings.Join(nodes, ",")))
	require.NoError(t, err)
	requireClear(t, papers["wide"])
	requireClear(t, papers["narrow"])
}

func TestAPodThatNoNodeTakesHasNoScores(t *testing.T) {
	data := `{"pod":"web","filters":["NodeName"],"scores":[{"name":"A","weight":1}],"nodes":[` +
		`{"name":"node-1","refused":{"filter":"NodeName","why":"no"}}],"chosen":""}`
	svg, err := figure.Render("decision", []byte(data), "id", "alt")
	require.NoError(t, err)
	assert.Contains(t, svg, ">no node is left<")
	assert.NotContains(t, svg, "sum")
}

func TestTheOnlyOneLeftNeedsNoPoints(t *testing.T) {
	data := `{"pod":"web","filters":["NodeName"],"nodes":[{"name":"node-1"}],"chosen":"node-1"}`
	svg, err := figure.Render("decision", []byte(data), "id", "alt")
	require.NoError(t, err)
	assert.Contains(t, svg, ">the only one left<")
	assert.Contains(t, svg, ">chosen<")
}

func TestErrorsNameTheNode(t *testing.T) {
	const (
		good    = `{"name":"node-1","scores":[50],"sum":100}`
		refused = `{"name":"node-2","refused":{"filter":"Fit","why":"no room"}}`
	)
	replaced := func(old, by string) string { return strings.Replace(good, old, by, 1) }
	for name, c := range map[string]struct{ nodes, chosen, want string }{
		"no nodes":         {"", "", "0 nodes: a page has room for 1 to 8"},
		"nine":             {strings.Repeat(good+",", 8) + good, "node-1", "9 nodes"},
		"twice":            {good + "," + good, "node-1", `nodes[1]: name "node-1" is empty or taken`},
		"a long name":      {replaced("node-1", "ip-10-0-0-1.local"), "", "room for 16 signs"},
		"unknown filter":   {strings.Replace(refused, "Fit", "Fitt", 1), "", `nodes[0] node-2: it was refused by "Fitt"`},
		"no words":         {strings.Replace(refused, "no room", "", 1), "", "does not say why"},
		"refused, scored":  {strings.Replace(refused, `"refused"`, `"sum":1,"refused"`, 1), "", "it was refused, and has scores"},
		"a score missing":  {replaced("[50]", "[]"), "node-1", "it has 0 scores, of 1"},
		"too many points":  {replaced("[50]", "[101]"), "node-1", "101 points for Least"},
		"a wrong sum":      {replaced("100", "50"), "node-1", "its scores add up to 100, and sum is 50"},
		"nobody chosen":    {good, "", `chosen is "", of 1 nodes`},
		"the refused won":  {good + "," + refused, "node-2", `chosen is "node-2"`},
		"the lesser won":   {good + `,{"name":"node-3","scores":[60],"sum":120}`, "node-1", "chosen is node-1 with 100, and node-3 has 120"},
		"a misspelt field": {replaced("sum", "total"), "node-1", `unknown field "total"`},
	} {
		t.Run(name, func(t *testing.T) {
			data := fmt.Sprintf(`{"pod":"web","filters":["Fit"],"scores":[{"name":"Least","weight":2}],"nodes":[%s],"chosen":"%s"}`,
				c.nodes, c.chosen)
			_, err := figure.Render("decision", []byte(data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
	for name, c := range map[string]struct{ data, want string }{
		"no Pod":              {`{"filters":["Fit"],"nodes":[` + refused + `]}`, "the Pod needs a name"},
		"no filters":          {`{"pod":"web","nodes":[` + refused + `]}`, "0 filters"},
		"two and no scores":   {`{"pod":"web","filters":["Fit"],"nodes":[{"name":"a"},{"name":"b"}],"chosen":"a"}`, "no scores, and 2 nodes"},
		"more than have room": {`{"pod":"web","filters":["Fit"],"scores":[` + strings.Repeat("{},", 8) + `{}],"nodes":[{"name":"a"}]}`, "9 scores"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := figure.Render("decision", []byte(c.data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestNoDecisionsLabelTouchesAnotherWhateverWasDecided(t *testing.T) {
	prefix := rapid.SampledFrom([]string{"node-", "", "worker-a-", "gke-pool-big-"})
	filter := rapid.StringMatching(`([A-Z][a-z]{2,12}){1,4}`)
	why := rapid.StringMatching(`[a-z()']{1,12}( [a-zA-Z()']{1,12}){0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		before := prefix.Draw(t, "prefix")
		filters := rapid.SliceOfN(filter, 1, 12).Draw(t, "filters")
		scores, weights := rapid.SliceOfN(filter, 1, 8).Draw(t, "scores"), 12
		var measures, nodes []map[string]any
		for i, name := range scores {
			weight := max(1, weights/2)
			if weights -= weight; weights < 0 {
				weight = 1
			}
			measures = append(measures, map[string]any{"name": fmt.Sprint(name, i), "weight": weight})
		}
		chosen, most := "", -1
		for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
			name := fmt.Sprint(before, rapid.IntRange(1, 9).Draw(t, "number")*10+i)
			node := map[string]any{"name": name}
			nodes = append(nodes, node)
			if rapid.Bool().Draw(t, "refused") {
				node["refused"] = map[string]string{"filter": rapid.SampledFrom(filters).Draw(t, "by"), "why": why.Draw(t, "why")}
				continue
			}
			var points []int
			sum := 0
			for _, m := range measures {
				points = append(points, rapid.IntRange(0, 100).Draw(t, "points"))
				sum += points[len(points)-1] * m["weight"].(int)
			}
			node["scores"], node["sum"] = points, sum
			if sum > most {
				chosen, most = name, sum
			}
		}
		data, err := json.Marshal(map[string]any{"pod": "web", "filters": filters, "scores": measures, "nodes": nodes, "chosen": chosen})
		require.NoError(t, err)
		papers, err := figure.Papers("decision", data)
		require.NoError(t, err, string(data))
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}
