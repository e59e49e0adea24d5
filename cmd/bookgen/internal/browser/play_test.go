package browser

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/engine"
	"reconcile/cmd/bookgen/internal/play"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// run is what a link to a cluster in a page holds.
type run struct {
	Begins string   `json:"begins"`
	Lines  []string `json:"lines"`
	Answer string   `json:"answer"`
	Engine string   `json:"engine"`
}

// link returns the end of an address that holds a run.
func (r run) link(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return packed(t, string(text))
}

// packed packs any text as a link is packed.
func packed(t *testing.T, text string) string {
	t.Helper()
	var small bytes.Buffer
	w, err := flate.NewWriter(&small, flate.BestCompression)
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return "1." + base64.RawURLEncoding.EncodeToString(small.Bytes())
}

// playWithoutEngine serves the sample with the page of an empty cluster, and all that this
// runs but the engine itself.
func playWithoutEngine(t *testing.T) place {
	t.Helper()
	b := sample.Book()
	b.Play = &site.Play{Beginnings: play.Beginnings(), Gallery: play.Gallery()}
	files, err := site.Render(b)
	require.NoError(t, err)
	require.NoError(t, (&engine.Module{Name: "engine-0123456789abcdef.wasm"}).AddTo(files, filepath.Join(root, "chapters")))
	dir := filepath.Join(t.TempDir(), "play")
	require.NoError(t, write(dir, files))
	return serve(t, dir)
}

const (
	claimSays  = `(document.querySelector(".claim:not([hidden])")?.textContent ?? "")`
	printedLog = `document.querySelector("#play [role=log]")`
)

// opens opens the page of an empty cluster anew, and waits for its scripts.
func (tb *tab) opens(address string) {
	tb.t.Helper()
	tb.open("about:blank") // another end of the same address opens nothing
	tb.open(address)
	tb.wait(`!!document.querySelector("#play .live [role=status]")`)
}

func TestPlayALinkShowsWhatItClaimsAndFetchesNothing(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 390)
	claimed := run{"deployment", []string{"kubectl get pods", "advance 1m"}, "$ kubectl get pods\nnothing <b>but</b> lies\n\nadvance 1m", "0123456789abcdef"}
	tb.opens(p.url + "play.html#" + claimed.link(t))
	assert.Contains(t, ask[string](tb, claimSays), "claimed by this link, not played here")
	assert.Contains(t, ask[string](tb, printedLog+".textContent"), "nothing <b>but</b> lies")
	assert.Equal(t, "dashed", ask[string](tb, `getComputedStyle(`+printedLog+`).borderStyle`), "on a paper of its own")
	assert.Equal(t, "deployment", ask[string](tb, `document.querySelector("#play select").value`))
	_, requests := tb.said()
	assert.NotContains(t, strings.Join(requests, " "), ".wasm")
	assertAccessible(t, tb)
	assert.False(t, ask[bool](tb, "document.documentElement.scrollWidth > innerWidth"))
	for _, width := range []int64{820, 1440} {
		tb.resize(width)
		tb.prefer("dark")
		assertAccessible(t, tb)
	}
}

func TestPlayAnotherBeginningIsAWayForthAndBack(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	tb.opens(p.url + "play.html#" + run{"one-node", []string{"kubectl get pods"}, "$ kubectl get pods\nmine", ""}.link(t))
	ask[bool](tb, `(() => { const choice = document.querySelector("#play select"); choice.value = "taints"; return choice.dispatchEvent(new Event("change")); })()`)
	tb.wait(`document.querySelector("#play .output > pre").textContent.includes("node/node-1 tainted")`)
	other := `linked.pack({begins: "taints", lines: [], answer: "", engine: "0123456789abcdef"}).then((end) => location.hash === "#" + end)`
	tb.wait(other)
	assert.NotContains(t, ask[string](tb, printedLog+".textContent"), "mine")
	ask[bool](tb, "history.back() ?? true")
	tb.wait(printedLog + `.textContent.includes("mine")`)
	assert.Equal(t, "one-node", ask[string](tb, `document.querySelector("#play select").value`))
}

func TestPlayNodesAreInOrder(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	tb.opens(p.url + "play.html#" + run{Begins: "three-nodes", Lines: slices.Repeat([]string{"add node"}, 7)}.link(t))
	tb.wait(`document.querySelector("#play .words").textContent.includes("cut node-10")`)
	buttons := ask[string](tb, `[...document.querySelectorAll("#play .row button")].map((b) => b.textContent).join(" ")`)
	assert.Contains(t, buttons, "cut node-1 cut node-2 cut node-3 ")
	assert.Contains(t, buttons, "stop node-8 stop node-9 stop node-10 add node")
}

func TestPlayAQuestionOfTheGalleryShowsItsRun(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	for _, s := range play.Gallery() {
		tb.opens(p.url + "play.html#" + s.Name)
		tb.wait(`document.querySelector("#play select").value === ` + quote(s.Begins) + ` && ` + printedLog + `.textContent.length > 100`)
		last := s.Text[strings.LastIndex(strings.TrimSpace(s.Text), "\n")+1:]
		assert.Contains(t, ask[string](tb, printedLog+".textContent"), strings.TrimSpace(strings.TrimPrefix(last, "[exit 1]")), s.Name)
		assert.Equal(t, "printed when the book was made play it here", ask[string](tb, claimSays), "no stranger claims it")
		assert.False(t, ask[bool](tb, `!!document.querySelector("#play .claimed")`), s.Name)
	}
	tb.opens(p.url + "play.html")
	ask[bool](tb, `document.querySelector('a[href="#budget-and-rollout"]').click() ?? true`)
	tb.wait(printedLog + `.textContent.includes("poddisruptionbudget.policy/nginx created")`)
	ask[bool](tb, `document.querySelector(".skip").click() ?? true`)
	assert.Contains(t, ask[string](tb, printedLog+".textContent"), "poddisruptionbudget", "a place on the page is no run")
	console, _ := tb.said()
	assert.Empty(t, console)
}

func TestPlayWhatTheBrowserLacksIsSaidAndNothingIsLost(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	address := p.url + "play.html#" + run{Begins: "one-node", Lines: []string{"kubectl get pods"}}.link(t)
	tb.opens(address)
	ask[bool](tb, `delete globalThis.WebAssembly`)
	ask[bool](tb, `[...document.querySelectorAll("#play button")].find((b) => b.textContent === "play it here").click() ?? true`)
	tb.wait(`document.querySelector("#play .live .wrong")?.textContent.includes("no WebAssembly")`)
	assert.Equal(t, address, ask[string](tb, "location.href"), "the link is as it was")
	assert.Contains(t, ask[string](tb, printedLog+".textContent"), "$ kubectl get pods")

	ask[bool](tb, `!!(navigator.clipboard.writeText = () => Promise.reject(new Error("no")))`)
	ask[bool](tb, `[...document.querySelectorAll("#play button")].find((b) => b.textContent === "copy the link").click() ?? true`)
	tb.wait(`document.querySelector(".share [role=status]").textContent.includes("the address above has all of it")`)
}

func TestPlayARunIsToldAsAnIssueAndAsCommands(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	r := run{"three-nodes", []string{`write manifests/a.yaml kind: Pod\nname: "\\n"\n`, "kubectl apply -f manifests/a.yaml", "advance 1m30s", "cut node-1"}, "", ""}
	r.Answer = r.Lines[0] + "\n\n$ kubectl apply -f manifests/a.yaml\n```\nerror\n\nadvance 1m30s\n\ncut node-1"
	tb.opens(p.url + "play.html#" + r.link(t))
	tb.wait(`document.querySelector("#play .output > pre").textContent.includes("node-3")`)
	ask[bool](tb, `!!(navigator.clipboard.writeText = async (text) => { window.copied = text; })`)
	copied := func(button string) string {
		ask[bool](tb, `delete window.copied && ([...document.querySelectorAll("#play button")].find((b) => b.textContent === `+quote(button)+`).click() ?? true)`)
		tb.wait("!!window.copied")
		return ask[string](tb, "window.copied")
	}
	issue := copied("as an issue")
	assert.Contains(t, issue, "It begins with *Three nodes*; then:\n\n````console\n# manifests/a.yaml:\nkind: Pod\nname: \"\\n\"\n\n$ kubectl apply -f manifests/a.yaml\n```\nerror\n")
	assert.Contains(t, issue, "in a page: this is what a link claims, and it wasn't played.", "the page's engine printed none of it")
	assert.Equal(t, copied("copy the link"), ask[string](tb, `linked.pack(`+quoted(t, r)+`).then((end) => location.href.replace(/#.*/, "") + "#" + end)`), "nor does a link say so")
	ask[bool](tb, standsIn)
	tb.button("play it here")
	tb.wait(`!document.querySelector("#play .claimed")`)
	assert.Regexp(t, `\n\[Play it\]\(http://\S+/play\.html#1\.[\w-]+\) in a page: this is what Reconcile's engine 0123456789abcdef prints`, copied("as an issue"))
	assert.Equal(t, `kubectl get nodes
mkdir -p manifests
cat > manifests/a.yaml <<'END'
kind: Pod
name: "\n"
END
kubectl apply -f manifests/a.yaml
sleep 90
# here: cut node-1
`, strings.SplitN(copied("as commands"), "\n", 3)[2])
	assert.Equal(t, copied("copy the link"), ask[string](tb, `address = linked.pack({begins: "three-nodes", lines: `+quoted(t, r)+`.lines, answer: `+quoted(t, r)+`.lines.map((line) => line.startsWith("kubectl") ? "$ " + line : line).join("\n\n"), engine: "0123456789abcdef"}).then((end) => location.href.replace(/#.*/, "") + "#" + end)`))
}

// quoted returns a run as a script has it.
func quoted(t *testing.T, r run) string {
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}

func TestPlayWhatKubectlSaysOfAManifestStandsBelowItsLine(t *testing.T) {
	p := playWithoutEngine(t)
	tb := newTab(t, 1440)
	tb.opens(p.url + "play.html")
	const manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  replicas: -1\n  template:\n    spec:\n      containers:\n      - name: b\n        imagge: c\n"
	for said, line := range map[string]int{
		`Error from server (BadRequest): strict decoding error: unknown field "spec.template.spec.containers[0].imagge"`: 11,
		`error: error parsing a.yaml: error converting YAML to JSON: yaml: line 7: did not find expected key`:            7,
		`The Deployment "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`:            6,
		`error: the server could not find the requested resource`:                                                        1,
	} {
		assert.Equal(t, line, ask[int](tb, `problems(`+quote(said)+`, `+quote(manifest)+`)[0].line`), said)
	}
	const file = `[...document.querySelectorAll(".files button")].find((b) => b.textContent === "web.yaml")`
	tb.wait("!!" + file)
	ask[bool](tb, file+".click() ?? true")
	tb.wait(`document.querySelector(".cm-content")?.textContent.includes("kind: StatefulSet")`)
	assertAccessible(t, tb)
}
