package figure_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestEveryInstantOfAnUpdateSaysWhatHappensAndHowManyThereAre(t *testing.T) {
	svg := drawn(t, "update")
	said := regexp.MustCompile(`data-s="(\d+)" data-t="([^"]*)"`).FindAllStringSubmatch(svg, -1)
	var steps []string
	for _, s := range said {
		steps = append(steps, s[1]+" "+s[2])
	}
	assert.Equal(t, []string{
		"1 0 s: four v1 ready. 4 there, 4 available",
		"2 2 s: one v1 told to end, two v2 started. 5 there, 3 available",
		"3 4 s: one v1 gone. 5 there, 3 available",
		"4 7 s: two v1 told to end, two v2 started, two v2 ready. 5 there, 3 available",
		"5 9 s: two v1 gone. 5 there, 3 available",
		"6 12 s: one v1 told to end, two v2 ready. 4 there, 4 available",
		"7 14 s: one v1 gone. 4 there, 4 available",
	}, steps)
	assert.Equal(t, 2*len(steps), strings.Count(svg, "data-s="), "both drawings have all steps")
}

func TestBoundsAndVersionsAreSeenWithoutColours(t *testing.T) {
	svg := drawn(t, "update")
	assert.Equal(t, 2, strings.Count(svg, ">at most 5<"))
	assert.Equal(t, 2, strings.Count(svg, ">at least 3<"))
	assert.Regexp(t, `path\.f-r\.f-s1\{stroke-dasharray`, figure.Style(), "the old version's bars are striped")
	assert.Regexp(t, `path\.f-r\{[^}]*stroke-dasharray:none`, figure.Style(), "the new one's are not")
}

func TestWhatVersionsHaveInCommonHasTheColourOfNone(t *testing.T) {
	svg := drawn(t, "update")
	for _, of := range []string{"starting", "told to end"} {
		assert.Len(t, regexp.MustCompile(`<path class="f-s3 [^>]*>\s*<text [^>]*>`+of).FindAllString(svg, -1), 2, of)
	}
}

func TestALaneHasItsPodsNameAndAtLeastNothingIsNoBound(t *testing.T) {
	data := `{"most":2,"least":0,"until":9000000000,"pods":[
		{"name":"web-0","version":"web","phases":[{"at":0,"is":"running"},{"at":4000000000,"is":"ready"}]},
		{"name":"web-1","version":"web","phases":[{"at":4000000000,"is":"running"}]}],
		"counts":[{"at":0,"there":1,"available":0},{"at":4000000000,"there":2,"available":1}]}`
	got, err := figure.Render("lanes", []byte(data), "id", "alt")
	require.NoError(t, err)
	svg := got
	for _, once := range []string{">web-0<", ">web-1<", ">ready<", ">at most 2<"} {
		assert.Equal(t, 2, strings.Count(svg, once), "%s, in both drawings", once)
	}
	assert.NotContains(t, svg, "at least")
	assert.Contains(t, svg, `data-t="4 s: web-1 started, web-0 ready. 2 there, 1 available"`)
}

func TestTheHeightsOfTheCountsAreNumbered(t *testing.T) {
	levels := regexp.MustCompile(`text-anchor="end">(\d+)<`).FindAllStringSubmatch(drawn(t, "update"), -1)
	var numbers string
	for _, l := range levels {
		numbers += l[1]
	}
	assert.Equal(t, "012345012345", numbers, "in both drawings")
}

func TestLanesAreSmall(t *testing.T) {
	for _, variant := range strings.SplitAfter(drawn(t, "update"), "</svg>") {
		assert.Less(t, len(variant), 6<<10)
	}
}

func TestErrorsNameThePod(t *testing.T) {
	crowd := func(phases, counts string) string {
		return `{"most":4,"least":3,"pods":[{"version":"v1","phases":[` + phases + `]}],"counts":[` + counts + `]}`
	}
	const born, one = `{"at":0,"is":"ready"}`, `{"at":0,"there":1,"available":1}`
	pods := strings.Repeat(`{"version":"v1","phases":[`+born+`]},`, 25)
	cases := map[string]struct{ data, want string }{
		"no pods":            {`{"most":4,"least":3,"counts":[` + one + `]}`, "there are no pods"},
		"too many":           {`{"most":4,"least":3,"pods":[` + strings.TrimSuffix(pods, ",") + `],"counts":[` + one + `]}`, "25 pods"},
		"no counts":          {crowd(born, ""), "there are no counts"},
		"no bounds":          {strings.Replace(crowd(born, one), `"most":4`, `"most":2`, 1), "at least 3 and at most 2"},
		"no phases":          {crowd("", one), "pods[0]: a Pod needs"},
		"too long a name":    {strings.Replace(crowd(born, one), `{"version"`, `{"name":"web-of-seventeen-","version"`, 1), "pods[0]: a page has room for 16 signs"},
		"unknown phase":      {crowd(`{"at":0,"is":"sleepy"}`, one), `pods[0]: phases[0]: there is no phase "sleepy"`},
		"backwards":          {crowd(`{"at":2,"is":"ready"},{"at":1,"is":"ending"}`, one), "pods[0]: phases[1]: at 1 ns: time runs backwards"},
		"after its end":      {crowd(`{"at":2,"is":"gone"},{"at":3,"is":"ready"}`, one), "phases[1]: the Pod was gone"},
		"counts backwards":   {crowd(born, one+","+one), "counts[1]: at 0 s: time runs backwards"},
		"more than there":    {crowd(born, `{"at":0,"there":1,"available":2}`), "counts[0]: 2 of 1"},
		"counts begin late":  {crowd(born, `{"at":1,"there":1,"available":1}`), "do not begin at 0"},
		"ends too early":     {strings.Replace(crowd(`{"at":9,"is":"ready"}`, one), `"most"`, `"until":5,"most"`, 1), "until 5 ns is before the last phase"},
		"an unknown field":   {strings.Replace(crowd(born, one), "least", "last", 1), `unknown field "last"`},
		"too many to follow": {`{"most":4,"least":3,"pods":[` + fourVersions + `],"counts":[` + one + `]}`, "4 versions"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := figure.Render("lanes", []byte(c.data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

const fourVersions = `{"version":"a","phases":[{"at":0,"is":"ready"}]},{"version":"b","phases":[{"at":0,"is":"ready"}]},` +
	`{"version":"c","phases":[{"at":0,"is":"ready"}]},{"version":"d","phases":[{"at":0,"is":"ready"}]}`

func TestNoLaneLabelTouchesAnotherWhateverWasRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"v1", "1.27-alpine", "x"}[:rapid.IntRange(1, 3).Draw(t, "versions")]
		var pods []map[string]any
		for range rapid.IntRange(1, 16).Draw(t, "pods") {
			at, phases := 0, []map[string]any{}
			for _, is := range []string{"created", "running", "ready", "ending", "gone"} {
				phases = append(phases, map[string]any{"at": at, "is": is})
				at += rapid.IntRange(0, 90_000_000_000).Draw(t, "lasts")
			}
			pods = append(pods, map[string]any{
				"version": rapid.SampledFrom(names).Draw(t, "version"),
				"phases":  phases[:rapid.IntRange(1, len(phases)).Draw(t, "phases")],
			})
		}
		least := rapid.IntRange(0, 10).Draw(t, "least")
		data, err := json.Marshal(map[string]any{
			"replicas": 1, "least": least, "most": max(1, least+rapid.IntRange(0, 8).Draw(t, "room")),
			"pods": pods, "counts": []map[string]any{{"at": 0, "there": 9, "available": 4}},
		})
		require.NoError(t, err)
		papers, err := figure.Papers("lanes", data)
		require.NoError(t, err, string(data))
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}
