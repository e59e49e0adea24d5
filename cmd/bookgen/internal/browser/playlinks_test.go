package browser

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/play"
	"reconcile/internal/scene"
	"reconcile/internal/script"
)

// The reader's lines follow this one.
const readers = "\n# part: what the reader typed\n"

// endings are lines that any cluster goes on with.
var endings = [][]string{
	{"cut node-1", "advance 10m", "kubectl get nodes,pods -A"},
	{"kubectl create deployment more --image=nginx:1.27 --replicas=3", "advance 10s", "crash", "kubectl scale deployment more --replicas=1", "restart", "advance 10s", "kubectl get pods -o wide"},
	{"add node", `write manifests/mine.yaml apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\nspec:\n  containers:\n  - {name: a, image: "busybox:1.37", command: [sleep, "5"]}\n`, "kubectl apply -f manifests/mine.yaml", "advance until quiet", "kubectl describe pod mine"},
	{"pause", "kubectl get events -w &", "kubectl create deployment more --image=nosuch:1", "go-on", "advance 3m", "stop", "kubectl get pods -o yaml"},
	{"drop deployment", "conflict replicaset", "lose replicaset", "late pods 10s", "kubectl create deployment more --image=nginx:1.27", "advance 20s", "resync", "kubectl rollout status deployment/more --timeout=5s", "kubectl get all"},
	{"kubectl apply -f manifests/nosuch.yaml", "kubectl get", `kubectl run x --image=busybox:1.37 -- sh -c 'echo "é\\n"; exit 3'`, "advance 40s", "kubectl logs x --previous", "stop node-1", "advance 1m", "start node-1", "advance 1m", "kubectl get pods,nodes"},
}

// playsHere plays a run without a page, and returns what its lines print.
func playsHere(t *testing.T, text string, added []string, cache string) string {
	t.Helper()
	files, err := play.Manifests(filepath.Join(root, "chapters"))
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "manifests"), 0o755))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "manifests", name), []byte(text), 0o644))
	}
	for _, line := range added {
		if strings.HasPrefix(line, "kubectl ") {
			line = "$ " + line
		}
		text += "\n" + line
	}
	s, err := script.Parse("play", []byte(text))
	require.NoError(t, err)
	var printed string
	t.Run("here", func(t *testing.T) { // it leaves its folder at its end
		played, err := scene.Play(t, s, folder, cache)
		require.NoError(t, err)
		_, printed, _ = strings.Cut(string(played.Text), readers)
	})
	return strings.TrimSpace(printed)
}

// playsIt presses the button, and waits for what is said of the claim.
func (tb *tab) playsIt() string {
	tb.t.Helper()
	ask[bool](tb, `[...document.querySelectorAll("#play button")].find((b) => b.textContent === "play it here").click() ?? true`)
	tb.wait(`document.activeElement.textContent === "fetch it" || !` + claimSays + `.includes("play it here") || !!document.querySelector("#play .live .wrong:not([hidden])")`)
	if ask[string](tb, "document.activeElement.textContent") == "fetch it" {
		tb.press(enter)
	}
	tb.wait(`!` + claimSays + `.includes("play it here") || document.querySelector("#play .live .wrong:not([hidden])")?.textContent !== undefined`)
	require.Empty(tb.t, ask[string](tb, `document.querySelector("#play .live .wrong:not([hidden])")?.textContent ?? ""`))
	return ask[string](tb, claimSays)
}

const (
	holds   = "Played here: it prints what the link claims."
	version = `engine.name.replace(/^engine-|\.wasm$/g, "")`
)

func TestPlayLinksPrintTheSameBytesInAPage(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	links, cache := map[string]string{}, t.TempDir()
	for _, q := range play.Gallery() {
		links[q.Name] = q.Name
	}
	for _, b := range play.Beginnings() {
		for i, added := range endings {
			name := b.Name + " " + added[0]
			t.Run(name, func(t *testing.T) {
				answer := playsHere(t, b.Text+readers, added, cache)
				links[name] = run{b.Name, endings[i], answer, ""}.link(t)
			})
		}
	}
	require.GreaterOrEqual(t, len(links), 50)
	tb.opens(s.url + "play.html")
	for _, name := range slices.Sorted(maps.Keys(links)) { // on one page, in one engine
		ask[bool](tb, `!!(location.hash = `+quote(links[name])+`)`)
		tb.wait(claimSays + `.includes("play it here")`)
		assert.Equal(t, holds, tb.playsIt(), name)
	}
	console, _ := tb.said()
	assert.Empty(t, console)
}

func TestPlayWhatALinkClaimsWronglyIsMarkedBesideIt(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	forged := run{"one-node", []string{"kubectl get nodes"}, "$ kubectl get nodes\nNAME     STATUS   ROLES    AGE   VERSION\nnode-1   Broken   <none>   0s    v1.37.2", ""}
	tb.opens(s.url + "play.html#" + forged.link(t))
	assert.Contains(t, tb.playsIt(), "The link claims another output than this engine has")
	assert.Equal(t, "node-1   Ready    <none>   0s    v1.37.2\n", ask[string](tb, `document.querySelector("#play [role=log] mark").textContent`))
	assert.Contains(t, ask[string](tb, `document.querySelector(".claim details pre").textContent`), "node-1   Broken")
	assertAccessible(t, tb)

	forged.Engine = "0123456789abcdef"
	tb.opens(s.url + "play.html#" + forged.link(t))
	assert.Regexp(t, `^The link is from engine 0123456789abcdef, and this page has [0-9a-f]{16}: `, tb.playsIt())
}

// Of an engine of before there are links, and they print what they did then.
func TestPlayTheLinksOfAnOlderEnginePrintWhatTheyDid(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	text, err := os.ReadFile("testdata/links.txt")
	require.NoError(t, err)
	for _, end := range strings.Fields(string(text)) {
		tb.opens(s.url + "play.html#" + end)
		assert.Equal(t, holds, tb.playsIt())
	}
}

func TestPlayAClusterIsPlayedWithAndPassedOn(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	tb.opens(s.url + "play.html")
	p := prompt{tb, "play:"}
	press := func(text string) {
		t.Helper()
		found := `[...document.querySelectorAll("#play button")].find((b) => b.textContent === ` + quote(text) + `)`
		tb.wait("!!" + found)
		ask[bool](tb, found+".click() ?? true")
	}
	tb.wait(`!!document.querySelector("#play input[size]")`)
	ask[bool](tb, `document.querySelector("#play input[size]").focus() ?? true`)
	tb.press("mine.yaml" + enter)
	tb.wait(`document.activeElement.className.includes("cm-content")`)
	edit := func(text string) {
		ask[bool](tb, `document.execCommand("selectAll"), document.execCommand("insertText", false, `+quote(text)+`)`)
	}
	edit("apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\nspec:\n  containers:\n  - name: a\n    imagge: nginx:1.27\n")
	press("apply")
	tb.wait(`document.activeElement.textContent === "fetch it" || !!document.querySelector(".code-wrong")`)
	if ask[string](tb, "document.activeElement.textContent") == "fetch it" {
		tb.press(enter)
	}
	tb.wait(`!!document.querySelector(".code-wrong")`)
	assert.Contains(t, ask[string](tb, `document.querySelector(".code-wrong").previousElementSibling.textContent`), "imagge")
	assert.Contains(t, ask[string](tb, `document.querySelector(".code-wrong").textContent`), `unknown field "spec.containers[0].imagge"`)
	assertAccessible(t, tb)

	ask[bool](tb, `document.querySelector(".cm-content").focus() ?? true`)
	edit("apiVersion: v1\nkind: Pod\nmetadata: {name: mine}\nspec:\n  containers:\n  - name: a\n    image: nginx:1.27\n")
	press("apply")
	p.answers("pod/mine created")
	assert.Zero(t, ask[int](tb, `document.querySelectorAll(".code-wrong").length`))
	press("a minute")
	p.answers("advance 1m")
	press("cut node-3")
	p.answers("cut node-3")
	tb.pastes("$ kubectl get pods\nkubectl get pod mine -o name\n")
	p.answers("\npod/mine\n")
	press("look inside")
	tb.wait(`!!document.querySelector("dialog.inside")`)
	tb.press(escape)
	press("lose its next answer")
	p.answers("deployment: the answer to its next write will be lost")
	tb.pastes("kubectl create deployment lost --image=nginx:1.27\nkubectl get pods\ncrash after a write\nkubectl scale deployment lost --replicas=2\n")
	p.answers("deployment.apps/lost created\ndeployment: written, and the answer is lost: ReplicaSet default/lost-")
	p.answers("deployment.apps/lost scaled\nall controllers have crashed, after a write in deployment's Reconcile(default/lost)")

	address := ask[string](tb, "location.href")
	second := newTab(t, 390)
	second.opens(address)
	assert.Contains(t, ask[string](second, printedLog+".textContent"), "mine   1/1     Running")
	assert.Equal(t, holds, second.playsIt())
	assert.Contains(t, ask[string](second, printedLog+".textContent"), "the answer is lost")
	console, _ := tb.said()
	assert.Empty(t, console)
}

func TestPlayWhatIsPlayedReachesNothingOutside(t *testing.T) {
	s := serveLive(t)
	var asked atomic.Int32
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-outside}\n"))
	}))
	t.Cleanup(outside.Close)
	for _, line := range []string{"kubectl apply -f " + outside.URL + "/a.yaml", "kubectl --server=" + outside.URL + " get pods", "kubectl apply -k " + outside.URL} {
		tb := newTab(t, 1440)
		tb.opens(s.url + "play.html#" + run{"one-node", []string{line}, "nothing", ""}.link(t))
		assert.Contains(t, tb.playsIt(), "The link claims another output", line)
		assert.NotContains(t, ask[string](tb, printedLog+".textContent"), "from-outside created")
	}
	assert.Zero(t, asked.Load())
}
