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

func TestBarsOfOneOrdinalLookAlikeInEveryGroup(t *testing.T) {
	for _, variant := range variants(t, "disks") {
		for look, names := range map[string][]string{
			"f-s0": {"web-0", "www-web-0", "pvc-4e58…"},
			"f-s1": {"web-1", "www-web-1", "pvc-e20b…"},
			"f-s2": {"web-2", "www-web-2", "pvc-f764…"},
		} {
			for _, name := range names {
				assert.Regexp(t, `<text class="`+look+`"[^>]*>`+name+`<`, variant)
			}
		}
		assert.Equal(t, 3, strings.Count(variant, `class="f-s0 f-r"`), "a Pod, a claim, a volume")
		for _, look := range []string{"f-s1", "f-s2"} {
			assert.Equal(t, 3+1, strings.Count(variant, `class="`+look+` f-r"`), "and another Pod of that name")
		}
		assert.Less(t, len(variant), 6<<10)
	}
}

func TestWhatLastsIsDrawnToTheEnd(t *testing.T) {
	for _, variant := range variants(t, "disks") {
		axis := regexp.MustCompile(`class="f-y" d="M\S+ \S+H(\S+)"`).FindStringSubmatch(variant)
		require.NotNil(t, axis)
		bars := regexp.MustCompile(`class="f-s[012] f-r" d="M\S+ \S+H`+regexp.QuoteMeta(axis[1])+`"`).FindAllString(variant, -1)
		assert.Len(t, bars, 9, "three of each kind")
	}
}

func TestEveryChangeOfReplicasHasItsNumberAndALine(t *testing.T) {
	for _, variant := range variants(t, "disks") {
		assert.Equal(t, 2, strings.Count(variant, `class="f-q"`), "the first begins where time does")
		assert.Regexp(t, `>3</text>.*>1</text><path class="f-q".*>3</text><path class="f-q"`, variant)
	}
}

func TestEveryInstantOfALifeSaysWhatHappens(t *testing.T) {
	svg := drawn(t, "disks")
	said := regexp.MustCompile(`data-s="\d+" data-t="([^"]*)"`).FindAllStringSubmatch(svg, -1)
	require.NotEmpty(t, said)
	assert.Contains(t, said[0][1], "0 s: three wanted, web-0 created")
	assert.Contains(t, svg, `data-t="30 s: one wanted, web-2 told to end"`)
	assert.Equal(t, 2*len(said), strings.Count(svg, "data-s="), "both drawings have all steps")
	assert.Equal(t, 2*len(said), strings.Count(svg, `class="f-z"`), "and each has its place in time")
}

func TestErrorsNameTheLane(t *testing.T) {
	lane := func(phases string) string { return `{"name":"web-0","phases":[` + phases + `]}` }
	group := func(lanes string) string { return `{"label":"Pods","lanes":[` + lanes + `]}` }
	const ready = `{"at":0,"is":"ready"}`
	one := group(lane(ready))
	for name, c := range map[string]struct{ replicas, groups, want string }{
		"no groups":         {"", "", "there are no groups"},
		"no lanes":          {"", one + "," + group(""), "groups[1]: a group needs"},
		"no label":          {"", strings.Replace(one, "Pods", "", 1), "groups[0]: a group needs"},
		"too many":          {"", group(strings.Repeat(lane(ready)+",", 16) + lane(ready)), "17 lanes"},
		"nameless":          {"", strings.Replace(one, "web-0", "", 1), "groups[0].lanes[0]: a lane needs"},
		"too long a name":   {"", strings.Replace(one, "web-0", "pvc-12345678-1234", 1), "room for 16 signs of pvc-12345678-1234"},
		"no phases":         {"", group(lane("")), "groups[0].lanes[0]: a lane needs"},
		"a fourth ordinal":  {"", strings.Replace(one, `"name"`, `"ordinal":3,"name"`, 1), "ordinal 3"},
		"unknown phase":     {"", group(lane(`{"at":0,"is":"sleepy"}`)), `phases[0]: there is no phase "sleepy"`},
		"backwards":         {"", group(lane(`{"at":2,"is":"created"},{"at":1,"is":"ready"}`)), "phases[1]: at 1 ns: time runs backwards"},
		"after its end":     {"", group(lane(`{"at":2,"is":"gone"},{"at":3,"is":"bound"}`)), "phases[1]: it was gone, and is bound"},
		"ends too early":    {"", group(lane(`{"at":9,"is":"ready"}`)), "until 9 ns is not after the last phase, at 9 ns"},
		"replicas too late": {`{"at":9,"count":1}`, one, "until 9 ns is not after"},
		"replicas back":     {`{"at":2,"count":1},{"at":2,"count":2}`, one, "replicas[1]: at 2 ns: time runs backwards"},
		"fewer than none":   {`{"at":0,"count":-1}`, one, "replicas[0]: -1 cannot be wanted"},
		"too many changes":  {strings.Repeat(`{"at":0,"count":1},`, 6) + `{"at":0,"count":1}`, one, "7 replicas"},
		"a misspelt field":  {`{"at":0,"is":1}`, one, `unknown field "is"`},
	} {
		t.Run(name, func(t *testing.T) {
			data := fmt.Sprintf(`{"until":9,"replicas":[%s],"groups":[%s]}`, c.replicas, c.groups)
			_, err := figure.Render("spans", []byte(data), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestANameThatIsGoneMayBeBorneAgain(t *testing.T) {
	data := `{"until":9,"groups":[{"label":"Pods","lanes":[{"name":"web-0","phases":[` +
		`{"at":0,"is":"ready"},{"at":1,"is":"gone"},{"at":3,"is":"created"}]}]}]}`
	_, err := figure.Render("spans", []byte(data), "id", "alt")
	assert.NoError(t, err)
}

func TestNoSpansLabelTouchesAnotherWhateverWasRecorded(t *testing.T) {
	name := rapid.StringMatching(`[a-z0-9-]{1,15}…?`)
	rapid.Check(t, func(t *rapid.T) {
		until := rapid.IntRange(10, 900).Draw(t, "until") * 1_000_000_000
		var replicas []map[string]any
		apart := rapid.SampledFrom([]int{1, until / 50, until / 7}).Draw(t, "apart")
		first := rapid.SampledFrom([]int{0, until - 1 - 5*apart}).Draw(t, "first")
		for i := range rapid.IntRange(0, 6).Draw(t, "changes") {
			replicas = append(replicas, map[string]any{
				"at": first + i*apart, "count": rapid.IntRange(0, 999).Draw(t, "count"),
			})
		}
		var groups []map[string]any
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			var lanes []map[string]any
			for i := range rapid.IntRange(1, 4).Draw(t, "lanes") {
				lanes = append(lanes, map[string]any{
					"name": name.Draw(t, "name"), "ordinal": i % 3,
					"phases": []map[string]any{{"at": 0, "is": "bound"}},
				})
			}
			groups = append(groups, map[string]any{
				"label": rapid.SampledFrom([]string{"Pods", "claims", "VolumeAttachments"}).Draw(t, "label"), "lanes": lanes,
			})
		}
		data, err := json.Marshal(map[string]any{"until": until, "replicas": replicas, "groups": groups})
		require.NoError(t, err)
		papers, err := figure.Papers("spans", data)
		require.NoError(t, err, string(data))
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}
