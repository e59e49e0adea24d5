package figure_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"reconcile/cmd/bookgen/internal/figure"
)

func TestHeartbeatsAreTicksAndSilenceHasNone(t *testing.T) {
	for _, variant := range variants(t, "nodes") {
		beats := regexp.MustCompile(`class="f-v" d="([^"]*v-10)"`).FindAllStringSubmatch(variant, -1)
		var ticks []int
		for _, node := range beats[1:] { // the first is the legend's
			ticks = append(ticks, strings.Count(node[1], "M"))
		}
		// Ten seconds apart, of seven minutes without the 3 min 50 s left out;
		// node-2 is silent from 1:00 to 6:30.
		assert.Equal(t, []int{20, 9, 19}, ticks)
	}
}

func TestHowANodeIsIsSaidInWordsAndByTheLooksOfItsLine(t *testing.T) {
	for _, variant := range variants(t, "nodes") {
		assert.Equal(t, 4, strings.Count(variant, ">Ready<"), "three nodes, and one again")
		assert.Contains(t, variant, ">Unknown<")
		assert.Contains(t, variant, `class="f-s3 f-d"`)
	}
}

func TestWhatChangesNothingIsLeftOutOfTheTime(t *testing.T) {
	for _, variant := range variants(t, "nodes") {
		assert.Contains(t, variant, ">3 min 50 s<")
		axis := regexp.MustCompile(`v5M(\S+) [\d.]+H([\d.]+)M([\d.]+) [\d.]+H([\d.]+)"`).FindStringSubmatch(variant)
		require.NotNil(t, axis, "an axis of two pieces")
		from, to := number(t, axis[2]), number(t, axis[3])
		assert.InDelta(t, 26, to-from, 0.2, "and a gap between them")
		_, variant, _ = strings.Cut(variant, ">node-1<") // and with it the legend
		for _, bar := range regexp.MustCompile(`class="f-s[01] f-[rdg]" d="M([\d.]+) [\d.]+H([\d.]+)`).FindAllStringSubmatch(variant, -1) {
			clear := number(t, bar[2]) <= from || number(t, bar[1]) >= to
			assert.True(t, clear, "a bar in what is left out: %s", bar[0])
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}

func TestAMomentHasALineThroughAllNodesAndItsTime(t *testing.T) {
	for _, variant := range variants(t, "nodes") {
		for _, says := range []string{"cable out", "noticed", "tolerance over", "cable in"} {
			assert.Contains(t, variant, ">"+says+"<")
		}
		for _, at := range []string{"1:00", "1:43", "6:13", "6:30"} {
			assert.Contains(t, variant, "> "+at+"<")
		}
		assert.Regexp(t, `class="f-y" d="(M[\d.]+ [\d.]+V[\d.]+){4}"`, variant)
	}
}

func TestATaintThatWasThereForAnInstantIsNotExplained(t *testing.T) {
	for _, variant := range variants(t, "nodes") {
		assert.Contains(t, variant, ">taint, NoExecute<")
		assert.NotContains(t, variant, "NoSchedule", "the first of two writes at 1:43")
		assert.Equal(t, 1, strings.Count(variant, ">unreachable<"))
		assert.Less(t, len(variant), 7<<10)
	}
}

func TestOfTwoEffectsOfAKeyTheStrongerIsDrawn(t *testing.T) {
	svg, err := nodes(strings.Replace(one, `}`, `,"taints":["a/b:NoExecute","a/b:NoSchedule"]}`, 1))
	require.NoError(t, err)
	assert.Contains(t, svg, ">taint, NoExecute<")
	assert.NotContains(t, svg, ">taint, NoSchedule<")
}

func TestOnlyWhatIsThereIsExplained(t *testing.T) {
	svg, err := nodes(one, `{"at":0,"pod":"web","on":"node-1","is":"created"}`, `{"at":0,"pod":"web","on":"node-1","is":"ready"}`)
	require.NoError(t, err)
	assert.Contains(t, svg, ">Pod ready<")
	for _, means := range []string{"heartbeats", "taint", "Pod not ready", "told to end", "gone"} {
		assert.NotContains(t, svg, ">"+means)
	}
}

// nodes renders writes, of a minute.
func nodes(writes ...string) (string, error) {
	data := `{"until":60000000000,"writes":[` + strings.Join(writes, ",") + `]}`
	svg, err := figure.Render("nodes", []byte(data), "id", "alt")
	return string(svg), err
}

const (
	one = `{"at":0,"node":"node-1","ready":"True"}`
	two = `{"at":0,"node":"node-2","ready":"True"}`
)

func TestAPodOfTheSameNameOnAnotherNodeIsAnotherLane(t *testing.T) {
	born, died := `{"at":1,"pod":"db-0","on":"node-1","is":"ready"}`, `{"at":9,"pod":"db-0","on":"node-1","is":"gone"}`
	svg, err := nodes(one, two, born, died, `{"at":10,"pod":"db-0","is":"created"}`, `{"at":11,"pod":"db-0","on":"node-2","is":"ready"}`)
	require.NoError(t, err)
	assert.Equal(t, 4, strings.Count(svg, ">db-0<"), "two in each drawing")
	svg, err = nodes(one, two, born, died, `{"at":11,"pod":"db-0","on":"node-1","is":"ready"}`)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(svg, ">db-0<"), "on the same node, it has the same")
}

func TestPodsThatNoNodeTakesStandBelowAllNodes(t *testing.T) {
	svg, err := nodes(one, `{"at":1,"pod":"web","is":"created"}`, `{"at":2,"pod":"sql","on":"node-1","is":"ready"}`, `{"at":3,"node":"node-2"}`)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)node-1.*sql.*node-2.*on no node.*web`, svg)
}

func TestANodeOfWhichNothingIsKnownButItsHeartbeatsIsDrawn(t *testing.T) {
	svg, err := nodes(`{"at":1,"lease":"node-1"}`)
	require.NoError(t, err)
	assert.Contains(t, svg, ">node-1<")
}

func TestErrorsNameTheWrite(t *testing.T) {
	pod := func(at int, on, is string) string {
		return fmt.Sprintf(`{"at":%d,"pod":"web","on":"%s","is":"%s"}`, at, on, is)
	}
	tainted := func(taint string) []string { return []string{strings.Replace(one, `}`, `,"taints":["`+taint+`"]}`, 1)} }
	var hosts, pods []string
	for i := range 7 {
		hosts = append(hosts, fmt.Sprintf(`{"at":0,"node":"node-%d","ready":"True"}`, i))
	}
	for i := range 20 {
		pods = append(pods, fmt.Sprintf(`{"at":0,"pod":"web-%d","on":"node-1","is":"ready"}`, i))
	}
	flaps := []string{one}
	for i, ready := range []string{"False", "True", "False", "True"} {
		flaps = append(flaps, fmt.Sprintf(`{"at":%d,"node":"node-1","ready":"%s"}`, i+1, ready))
	}
	seldom := []string{one}
	for i := range 6 {
		seldom = append(seldom, pod(1+i*100_000_000_000, "node-1", []string{"created", "ready"}[i%2]))
	}
	for name, c := range map[string]struct {
		writes []string
		want   string
	}{
		"nothing":         {nil, "there are no nodes"},
		"seven nodes":     {hosts, "7 nodes: a page has room for 6"},
		"too many":        {append(pods, one), "21 lanes: a page has room for 20"},
		"of nobody":       {[]string{`{"at":0}`}, "writes[0]: a write is that of"},
		"of two":          {[]string{`{"at":0,"node":"a","lease":"a"}`}, "writes[0]: a write is that of"},
		"a long name":     {[]string{`{"at":0,"lease":"ip-10-0-0-1.local"}`}, "room for 16 signs of ip-10-0-0-1.local"},
		"unknown ready":   {[]string{strings.Replace(one, "True", "true", 1)}, `writes[0]: there is no ready "true"`},
		"unknown phase":   {[]string{pod(1, "node-1", "sleepy")}, `there is no phase "sleepy"`},
		"no effect":       {tainted("unreachable"), `"unreachable" is no taint`},
		"another effect":  {tainted("unreachable:Never"), `"unreachable:Never" is no taint`},
		"moves":           {[]string{pod(1, "node-1", "ready"), pod(2, "node-2", "ready")}, "writes[1]: web is on node-2, and was on node-1"},
		"gone before":     {[]string{pod(1, "node-1", "gone")}, "web is gone, and was not there"},
		"backwards":       {[]string{pod(2, "node-1", "created"), pod(1, "node-1", "ready")}, "writes[1]: at 1 ns: time runs backwards"},
		"before all":      {[]string{pod(-1, "node-1", "created")}, "writes[0]: at"},
		"after the end":   {[]string{pod(60_000_000_000, "node-1", "ready")}, "until 1 min is not after the last change, at 1 min"},
		"rarely the same": {seldom, "5 times nothing changes for long: a page has room for 4"},
		"never the same":  {flaps, "writes[4]: a page has room for 4 words on how node-1 is"},
		"a misspelt name": {[]string{`{"at":0,"nood":"a"}`}, `unknown field "nood"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := nodes(c.writes...)
			assert.ErrorContains(t, err, c.want)
		})
	}
	for name, c := range map[string]struct{ marks, want string }{
		"says nothing":   {`{"at":1}`, "marks[0]: it says"},
		"says too much":  {`{"at":1,"says":"somebody falls over the cable"}`, "room for 1 to 24 signs"},
		"backwards":      {`{"at":2,"says":"a"},{"at":1,"says":"b"}`, "marks[1]: at 1 ns: time runs backwards"},
		"too many":       {strings.Repeat(`{"at":1,"says":"a"},`, 6) + `{"at":1,"says":"a"}`, "7 marks"},
		"after the end":  {`{"at":9,"says":"a"}`, "until 9 ns is not after the last change"},
		"misspelt field": {`{"at":9,"label":"a"}`, `unknown field "label"`},
	} {
		t.Run("a mark "+name, func(t *testing.T) {
			_, err := figure.Render("nodes", []byte(`{"until":9,"marks":[`+c.marks+`],"writes":[`+one+`]}`), "id", "alt")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestNoNodesLabelTouchesAnotherWhateverWasRecorded(t *testing.T) {
	name := rapid.StringMatching(`[a-z0-9-]{1,16}`)
	says := rapid.StringMatching(`[a-z]{1,7}( [a-z]{1,7}){0,2}`)
	rapid.Check(t, func(t *rapid.T) {
		at, long := 0, 3
		later := func(label string) int {
			wait := rapid.SampledFrom([]int{0, 1, 900_000_000, 30_000_000_000, 400_000_000_000}).Draw(t, label)
			if wait > 300_000_000_000 {
				wait, long = wait*min(long, 1), max(long-1, 0)
			}
			at += wait
			return at
		}
		var marks, writes []map[string]any
		for range rapid.IntRange(0, 6).Draw(t, "marks") {
			marks = append(marks, map[string]any{"at": later("mark"), "says": says.Draw(t, "says")})
		}
		at = 0
		hosts := rapid.SliceOfNDistinct(name, 1, 3, rapid.ID).Draw(t, "nodes")
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			for _, node := range hosts {
				ready := rapid.SampledFrom([]string{"", "True", "False", "Unknown", "gone"}).Draw(t, "ready")
				taints := rapid.SliceOfN(rapid.SampledFrom([]string{"unreachable:NoExecute", "not-ready:NoSchedule"}), 0, 2).Draw(t, "taints")
				writes = append(writes, map[string]any{"at": later("write"), "node": node, "ready": ready, "taints": taints})
			}
		}
		for _, pod := range rapid.SliceOfNDistinct(name, 1, 8, rapid.ID).Draw(t, "pods") {
			on := rapid.SampledFrom(append(hosts, "")).Draw(t, "on")
			writes = append(writes, map[string]any{"at": later("pod"), "pod": pod, "on": on, "is": "created"})
		}
		end := at
		for _, m := range marks {
			end = max(end, m["at"].(int))
		}
		end += rapid.SampledFrom([]int{1_000_000_000, 25_000_000_000, 500_000_000_000}).Draw(t, "end")
		data, err := json.Marshal(map[string]any{"until": end, "marks": marks, "writes": writes})
		require.NoError(t, err)
		papers, err := figure.Papers("nodes", data)
		require.NoError(t, err, string(data))
		requireClear(t, papers["wide"])
		requireClear(t, papers["narrow"])
	})
}
