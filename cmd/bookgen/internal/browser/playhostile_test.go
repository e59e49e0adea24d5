package browser

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusedLinks are ends of addresses that are no runs, with a word of what is said.
func refusedLinks(t *testing.T) map[string]string {
	all := map[string]string{
		"1.":                                       "damaged",
		"1.%%%":                                    "damaged",
		"1.????":                                   "damaged",
		"1.AAAA":                                   "damaged",
		"1." + strings.Repeat("A", 70_000):         "more than 65536 aren't read",
		"2.q1YqSy0qzszPU7JSAAA":                    "of another kind",
		"999999999999999999999.a":                  "of another kind",
		"budget-and-rollout.scene":                 "no such question",
		"<img src=x onerror=harm()>":               "no such question",
		"from:":                                    "what it begins with",
		"from:../../secret":                        "what it begins with",
		"from:01-control-loop/../x.scene":          "what it begins with",
		"from:https://example.com/x.scene":         "what it begins with",
		"from:99-nowhere/x.scene":                  "not here",
		"from:01-control-loop/nosuch.scene":        "no such scene",
		"from:nosuch":                              "no such scene",
		packed(t, ""):                              "damaged",
		packed(t, "null"):                          "what it begins with",
		packed(t, "[]"):                            "what it begins with",
		packed(t, "7"):                             "what it begins with",
		packed(t, `"text"`):                        "what it begins with",
		packed(t, "{"):                             "damaged",
		packed(t, strings.Repeat("[", 300_000)):    "damaged",
		packed(t, strings.Repeat(" ", 5_000_000)):  "more than a megabyte",
		packed(t, strings.Repeat("a", 30_000_000)): "more than a megabyte",
		packed(t, `{"begins":"__proto__","lines":[]}`):                                                  "no such scene",
		packed(t, `{"__proto__":{"begins":"one-node"},"lines":[]}`):                                     "what it begins with",
		packed(t, `{"begins":["one-node"],"lines":[]}`):                                                 "what it begins with",
		packed(t, `{"begins":"one-node\u0000","lines":[]}`):                                             "what it begins with",
		packed(t, `{"begins":"javascript:harm()","lines":[]}`):                                          "what it begins with",
		packed(t, `{"begins":"one-node"}`):                                                              "no text",
		packed(t, `{"begins":"one-node","lines":"kubectl get pods"}`):                                   "no text",
		packed(t, `{"begins":"one-node","lines":{"length":3}}`):                                         "no text",
		packed(t, `{"begins":"one-node","lines":[7]}`):                                                  "no text",
		packed(t, `{"begins":"one-node","lines":[["kubectl"]]}`):                                        "no text",
		packed(t, `{"begins":"one-node","lines":[null]}`):                                               "no text",
		packed(t, `{"begins":"one-node","lines":[],"answer":{"toString":1}}`):                           "no text",
		packed(t, `{"begins":"one-node","lines":[],"engine":"<script>"}`):                               "no engine",
		packed(t, `{"begins":"one-node","lines":[],"engine":7}`):                                        "no engine",
		run{"one-node", nil, "", ""}.link(t):                                                            "no text",
		run{"one-node", []string{"rm -rf /"}, "", ""}.link(t):                                           "neither kubectl nor",
		run{"one-node", []string{"$ kubectl get pods"}, "", ""}.link(t):                                 "neither kubectl nor",
		run{"one-node", []string{"kubectl; rm"}, "", ""}.link(t):                                        "neither kubectl nor",
		run{"one-node", []string{" kubectl get pods"}, "", ""}.link(t):                                  "neither kubectl nor",
		run{"one-node", []string{"# nodes: 5000"}, "", ""}.link(t):                                      "neither kubectl nor",
		run{"one-node", []string{""}, "", ""}.link(t):                                                   "neither kubectl nor",
		run{"one-node", []string{"constructor"}, "", ""}.link(t):                                        "neither kubectl nor",
		run{"one-node", []string{"kubectl get pods\n# nodes: 5000"}, "", ""}.link(t):                    "can't be typed",
		run{"one-node", []string{"kubectl get pods\r"}, "", ""}.link(t):                                 "can't be typed",
		run{"one-node", []string{"kubectl get \x1b[2Jpods"}, "", ""}.link(t):                            "can't be typed",
		run{"one-node", []string{"kubectl get \u202epods"}, "", ""}.link(t):                             "can't be typed",
		run{"one-node", []string{"kubectl get \u2028pods"}, "", ""}.link(t):                             "can't be typed",
		run{"one-node", []string{`kubectl get pods \`}, "", ""}.link(t):                                 "ends in a backslash",
		run{"one-node", []string{"write a " + strings.Repeat("é", 20_000)}, "", ""}.link(t):             "characters",
		run{"one-node", slices.Repeat([]string{"resync"}, 201), "", ""}.link(t):                         "more than 200",
		run{"one-node", slices.Repeat([]string{"add node"}, 21), "", ""}.link(t):                        "more than 20 nodes",
		run{"one-node", []string{"advance 101h"}, "", ""}.link(t):                                       "more than 100 hours",
		run{"one-node", []string{"advance 2540400h10m10s"}, "", ""}.link(t):                             "more than 100 hours",
		run{"one-node", slices.Repeat([]string{"advance 51h"}, 2), "", ""}.link(t):                      "more than 100 hours",
		run{"one-node", []string{"advance 400000000000us"}, "", ""}.link(t):                             "more than 100 hours",
		run{"one-node", []string{"advance 999999999999999999ns"}, "", ""}.link(t):                       "more than 100 hours",
		run{"one-node", slices.Repeat([]string{"add  node"}, 21), "", ""}.link(t):                       "more than 20 nodes",
		run{"one-node", []string{"advance 1.2.3h"}, "", ""}.link(t):                                     "more than 100 hours",
		run{"one-node", slices.Repeat([]string{"advance until quiet"}, 101), "", ""}.link(t):            "more than 100 hours",
		run{"one-node", []string{"kubectl get pods"}, strings.Repeat("a\n", 300_000), ""}.link(t):       "too long",
		run{"one-node", []string{"kubectl get pods"}, "\x1b]0;harm\x07", ""}.link(t):                    "can't be printed",
		run{"one-node", []string{"kubectl get pods"}, "all is well \u202egnorw si gnihton", ""}.link(t): "can't be printed",
		run{"one-node", []string{"kubectl get pods"}, "a", "0123456789abcdef0"}.link(t):                 "no engine",
	}
	return all
}

// shownLinks are runs whose words mean harm, and are words.
var shownLinks = []run{
	{"one-node", []string{"kubectl get <img/src=x/onerror=harm()>"}, "", ""},
	{"one-node", []string{"kubectl get pods"}, "<script>harm()</script>", ""},
	{"one-node", []string{"kubectl get pods"}, "$ kubectl get pods\n</samp></pre><svg onload=harm()>", ""},
	{"one-node", []string{`write manifests/<b>.yaml <style>*{display:none}</style>\n`}, "", ""},
	{"one-node", []string{"edit manifests/web.yaml s/(a+)+$/<iframe src=javascript:harm()>/"}, "", ""},
	{"one-node", []string{`write manifests/__proto__ x\n`, `write manifests/constructor y\n`, "edit manifests/__proto__ s/a/b/"}, "", ""},
	{"one-node", []string{"kubectl get pods"}, "[play it here](javascript:harm())\nPlayed here: it prints what the link claims.", ""},
}

func TestPlayALinkThatMeansHarmDoesNone(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	unharmed := func(name string) {
		assert.False(t, ask[bool](tb, `"harmed" in window`), name)
		assert.Zero(t, ask[int](tb, `document.querySelectorAll("#play :is(img, script, svg, iframe, style, b)").length`), name)
		_, requests := tb.said()
		for _, request := range requests {
			assert.True(t, strings.HasPrefix(request, p.url) || request == "about:blank" || strings.HasPrefix(request, "data:"), "%s asks for %.80s", name, request)
			assert.NotContains(t, request, ".wasm", name)
		}
	}
	refused := refusedLinks(t)
	require.GreaterOrEqual(t, len(refused)+len(shownLinks), 50)
	for _, end := range slices.Sorted(maps.Keys(refused)) {
		name, _, _ := strings.Cut(end, "\n")
		tb.opens(p.url + "play.html#" + end)
		tb.wait(claimSays + ` !== ""`)
		assert.Contains(t, ask[string](tb, claimSays), refused[end], "%.90s", name)
		unharmed(name)
	}
	for _, r := range shownLinks {
		tb.opens(p.url + "play.html#" + r.link(t))
		ask[bool](tb, `!!(window.harm = () => { window.harmed = true; })`)
		tb.wait(claimSays + ` !== ""`)
		text, err := json.Marshal(r)
		require.NoError(t, err)
		assert.Equal(t, 1, ask[int](tb, `[...document.querySelectorAll("#play button")].filter((b) => b.textContent === "play it here").length`), string(text))
		unharmed(string(text))
	}
}
