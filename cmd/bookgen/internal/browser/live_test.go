package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/scene"
	"reconcile/internal/script"
)

func TestLiveATranscriptGoesOnByTheKeyboardAlone(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + theKubelet)
	assert.Zero(t, s.requests("live.js")+s.requests("engine")+s.requests(".json"), "nothing is asked for before the reader does")
	p := prompt{tb, podLife}
	p.focus()

	p.types("ls")
	assert.Contains(t, p.text("[role=status]"), "ls: command not found. Here a line is kubectl with its arguments")
	ask[bool](tb, p.find("input")+".select() ?? true")
	p.types("kubectl get pods")
	tb.wait(`document.activeElement.textContent === "fetch it"`)
	assert.Regexp(t, `\d+ MB, fetched once`, p.text("[role=status]"))
	assert.Zero(t, s.requests("engine"), "it asks before it fetches")
	assert.Contains(t, p.text("[role=status]"), megabytes(t, s.file("engine", ".gz")))
	assertAccessible(t, tb)

	tb.press(enter)
	p.answers("Running")
	assert.Regexp(t, `(?s)\$ kubectl get pods\nNAME +READY.*nginx +1/1 +Running`, p.text(".live pre"))
	fetched := s.requests("")
	p.types("advance 30s")
	p.answers("advance 30s")
	p.types("kubectl delete pod nginx --now")
	p.answers("deleted from default namespace")
	assert.Equal(t, fetched, s.requests(""), "what is fetched once is all")
	assertAccessible(t, tb)
	tb.resize(1440)
	tb.prefer("dark")
	assertAccessible(t, tb)

	tb.press(kb.ArrowUp)
	tb.press(kb.ArrowUp)
	assert.Equal(t, "advance 30s", p.line())
	ask[bool](tb, p.find("input")+".select() ?? true")
	p.types("kubectl get events -w")
	p.answers("ctrl-C")
	assert.Contains(t, p.text(".live"), "With & at its end, kubectl -w goes on until you type stop.")
	console, _ := tb.said()
	assert.Empty(t, console)

	link := ask[string](tb, `[...`+p.find(".live")+`.querySelectorAll("button")].find((b) => b.textContent === "link to this").click() ?? location.href`)
	second := newTab(t, 1440)
	second.open(link)
	again := prompt{second, podLife}
	again.says("lines to play")
	assert.Contains(t, again.text(".live pre"), "$ kubectl delete pod nginx --now\n", "they can be read before")
	assert.NotContains(t, again.text(".live pre"), "deleted from", "nothing plays that the reader has not asked for")
	assertAccessible(t, second)
	again.button("play these lines")
	again.answers("deleted from default namespace")
	assert.Equal(t, 1, s.requests(".gz"), "another tab has it from the first")
	second.do(chromedp.Navigate("about:blank"), chromedp.NavigateBack())
	again.says("lines to play")
}

func TestLiveAFetchCanBeCancelledInItsMiddle(t *testing.T) {
	s := serveLive(t)
	release := s.hold()
	t.Cleanup(release)
	tb := newTab(t, 1440)
	tb.open(s.url + theKubelet)
	p := prompt{tb, podLife}
	p.focus()
	p.types("kubectl get pods")
	tb.wait(`document.activeElement.textContent === "fetch it"`)
	tb.press(enter)
	tb.wait(p.find(".live [role=status]") + `.querySelector("progress")?.value > 0`)
	assert.Equal(t, "cancel", p.text(".live [role=status] button"))
	tb.do(chromedp.Click(chromedp.CSS(`[id="` + podLife + `"] .live [role=status] button`)))
	tb.wait(p.find(".live [role=status]") + `.textContent.includes("stopped")`)
	release()
	p.focus()
	tb.press(enter)
	p.answers("Running")
}

func TestLiveTabCompletesFromWhatIsThere(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	p := begins(tb, s, theKubelet, podLife)
	for typed, want := range map[string]string{
		"kubectl describ":                     "kubectl describe ",
		"kubectl get pods ngi":                "kubectl get pods nginx ",
		"kubectl get node no":                 "kubectl get node node-1 ",
		"kubectl get pods --namespace=kube-s": "kubectl get pods --namespace=kube-system ",
		"kubectl create -f manifests/po":      "kubectl create -f manifests/pod.yaml ",
		"adv":                                 "advance ",
		"fail image ng":                       "fail image nginx:1.27 ",
		"cut ":                                "cut node-1 ",
	} {
		p.clear()
		tb.press(typed)
		tb.press(tabKey)
		p.comes(p.find(".live input") + ".value === " + quote(want))
	}
	p.clear()
	tb.press("kubectl get po")
	tb.press(tabKey)
	p.says("poddisruptionbudgets.policy  pods")
	assert.Equal(t, "kubectl get pod", p.line(), "what all begin with")
	assertAccessible(t, tb)
}

func TestLiveTabIsNoTrap(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	p := begins(tb, s, theKubelet, podLife)
	atPrompt := "document.activeElement === " + p.find(".live input")
	for _, keys := range []string{tabKey, "kubectl get po" + escape + tabKey, "fail image nosuch" + tabKey} {
		p.clear()
		ask[bool](tb, p.find(".live input")+".focus() ?? true")
		tb.press(keys)
		if strings.HasPrefix(keys, "fail") {
			p.says("Tab leaves")
			tb.press(tabKey)
		}
		assert.False(t, ask[bool](tb, atPrompt), "%q", keys)
	}
	assert.Contains(t, ask[string](tb, `document.getElementById(`+p.find(".live input")+`.getAttribute("aria-describedby")).textContent`), "Escape, then Tab, leaves")
}

func TestLiveAManifestIsChangedAndPutBack(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	p := begins(tb, s, theKubelet, podLife)
	p.button("files")
	p.button("pod.yaml")
	tb.wait(`document.activeElement.localName === "textarea"`)
	assertAccessible(t, tb)
	ask[bool](tb, `!!(document.activeElement.value = document.activeElement.value.replace("nginx:1.27", "nginx:1.28").replace("  containers:", "  # mine\n  containers:"))`)
	p.button("run with it")
	p.says("With manifests/pod.yaml changed, what is recorded above comes out")
	edit := "edit manifests/pod.yaml s"

	ask[bool](tb, `!!(navigator.clipboard.writeText = async (text) => { window.copied = text; })`)
	p.button("copy as a scene")
	tb.wait("!!window.copied")
	copied := ask[string](tb, "window.copied")
	assert.Contains(t, copied, "\n"+edit)
	p.says("copied")
	t.Run("the scene plays elsewhere", func(t *testing.T) {
		chapter, err := filepath.Abs(filepath.Join(root, "chapters", "01-control-loop"))
		require.NoError(t, err)
		played, err := script.Parse("copied.scene", []byte(copied))
		require.NoError(t, err)
		result, err := scene.Play(t, played, chapter, t.TempDir())
		require.NoError(t, err)
		assert.Contains(t, string(result.Text), "$ kubectl get pods\nNAME    READY   STATUS")
	})

	p.button("link to this")
	link := ask[string](tb, "location.href")
	second := newTab(t, 390)
	second.open(link)
	again := prompt{second, podLife}
	again.button("play these lines")
	again.says("With manifests/pod.yaml changed")
	assertAccessible(t, second)

	p.button("pod.yaml, changed")
	p.button("put back")
	p.answers("kubectl get pods")
	assert.Empty(t, p.text(".live mark"))
}

func TestLiveAnObjectIsEditedAsByKubectl(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	p := begins(tb, s, theKubelet, podLife)
	tb.press("kubectl edit pod nginx" + enter)
	tb.wait(`document.activeElement.localName === "textarea"`)
	assert.Contains(t, ask[string](tb, "document.activeElement.value"), "kind: Pod\nmetadata:\n")
	assert.Zero(t, ask[float64](tb, "document.activeElement.scrollTop"), "it begins at its beginning")
	looked := func() {
		// Axe counts what a header covers; wherever the page was scrolled to, it may.
		ask[bool](tb, "!void "+p.find(".live input")+`.scrollIntoView({block: "center"})`)
		assertAccessible(t, tb)
	}
	looked()
	changed := func(old, new string) {
		ask[bool](tb, `!!(document.activeElement.value = document.activeElement.value.replace(`+quote(old)+`, `+quote(new)+`))`)
	}
	changed("name: nginx", "name: nginy")
	p.button("save")
	tb.wait(p.find(".editor [role=alert]") + `.textContent.includes("At least one of apiVersion, kind and name was changed")`)
	looked()
	ask[bool](tb, p.find("textarea")+".focus() ?? true")
	changed("name: nginy", "name: nginx")
	changed("\n  labels:\n", "\n  annotations:\n    by: \"somebody's\"\n  labels:\n")
	p.button("save")
	p.answers("pod/nginx patched")
	assert.Contains(t, p.text(".live pre"), `$ kubectl patch pod nginx -p '{"metadata":{"annotations":{"by":"somebody\u0027s"}}}'`)
	tb.press("kubectl describe pod nginx" + enter)
	p.answers("by: somebody's")

	p.clear()
	tb.press("kubectl edit pod nginx" + enter)
	tb.wait(`document.activeElement.localName === "textarea"`)
	p.button("save")
	p.says("Edit cancelled, no changes made.")
	p.clear()
	tb.press("kubectl edit pod nosuch" + enter)
	p.says(`Error from server (NotFound): pods "nosuch" not found`)
	p.clear()
	tb.press("kubectl edit nodes" + enter)
	p.says("here kubectl edit opens one object: name it")
	p.clear()
	tb.press("edit manifests/pod.yaml" + enter)
	tb.wait(`document.activeElement.localName === "textarea"`)
	assert.Contains(t, ask[string](tb, "document.activeElement.value"), "nginx:1.27")
	tb.press(escape)
	p.clear()
	tb.press("edit manifests/nosuch.yaml" + enter)
	p.says("there is no such file; there are: manifests/")
	console, _ := tb.said()
	assert.Empty(t, console)
}

func TestLiveWhatComesOutOtherwiseIsMarked(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + theKubelet + "#" + podLife + "~edit%20manifests%2Fpod.yaml%20s%7Cnginx%3A1.27%7Cnginx%3A1.72%7C~~kubectl%20get%20pods")
	p := prompt{tb, podLife}
	p.button("play these lines")
	tb.wait(`["fetch it", "ctrl-C"].includes(` + p.find(".live [role=status] button") + `?.textContent)`)
	if p.text(".live [role=status] button") == "fetch it" {
		p.button("fetch it")
	}
	p.says("is marked")
	assert.Contains(t, p.text(".live mark"), "ErrImagePull")
	assert.False(t, ask[bool](tb, "document.documentElement.scrollWidth > innerWidth"))
	assertAccessible(t, tb)
}

func TestLiveAnEndlessLoopIsEndedByCtrlC(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	p := begins(tb, s, theKubelet, podLife)
	loop := "kubectl exec nginx -- sh -c 'while true; do :; done'"
	p.types(loop)
	p.says("playing")
	assert.True(t, ask[bool](tb, "true"), "the page goes on")
	ask[bool](tb, p.find(".live input")+`.dispatchEvent(new KeyboardEvent("keydown", { key: "c", ctrlKey: true }))`)
	p.says("stopped")
	p.clear()
	p.types("kubectl get nodes")
	p.answers("node-1")

	p.types(loop)
	p.says("playing")
	ask[bool](tb, `dispatchEvent(new PageTransitionEvent("pagehide"))`)
	p.says("stopped")
}

func TestLiveItGoesOnWithoutANetwork(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	p := begins(tb, s, theKubelet, podLife)
	s.close()
	p.types("kubectl get nodes")
	p.answers("node-1")
	p = begins(tb, s, theKubelet, podLife)
	p.types("kubectl get nodes")
	p.answers("node-1")
	ask[bool](tb, `caches.delete("engine").then(() => dispatchEvent(new Event("pagehide")))`)
	p.types("kubectl get nodes")
	p.says("Load this page again.")
}

func TestLiveWhatCameAsBrotliIsKeptAndTheOneBeforeIsNot(t *testing.T) {
	s := serveLive(t)
	s.packs()
	tb := newTab(t, 1440)
	tb.open(s.url + theKubelet)
	old := s.url + "assets/engine-0123456789abcdef.wasm"
	ask[bool](tb, `caches.open("engine").then((store) => store.put(`+quote(old)+`, new Response("old"))).then(() => true)`)
	begins(tb, s, theKubelet, podLife)
	tb.wait(`caches.match(` + quote(old) + `).then((found) => !found)`)
	begins(newTab(t, 1440), s, theKubelet, podLife)
	assert.Equal(t, 1, s.requests(".br"), "the second page has it from the first")
	assert.Zero(t, s.requests(".gz"))
}

func TestLiveItPlaysWhereThereIsNoRoomToKeepIt(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	tb.open(s.url + theKubelet)
	_, err := chromedp.Call(tb.ctx, storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{
		Origin: strings.TrimSuffix(s.url, "/"), QuotaSize: new(float64(1 << 20)),
	})
	require.NoError(t, err)
	begins(tb, s, theKubelet, podLife)
	assert.True(t, ask[bool](tb, `caches.open("engine").then((store) => store.keys()).then((keys) => !keys.some(({ url }) => url.includes(".wasm")))`))
}

func TestLiveAnEngineThatIsGoneIsSaid(t *testing.T) {
	s := serveLive(t)
	s.close()
	tb := newTab(t, 1440)
	tb.open(s.url + theKubelet)
	p := prompt{tb, podLife}
	p.focus()
	p.types("kubectl get pods")
	p.says("The engine couldn’t be fetched")
	assert.Empty(t, p.text("[role=status] button"), "what does not come is not offered")
	assertAccessible(t, tb)
}

func TestLiveAPromptThatIsGoneToStartsWhatIsKept(t *testing.T) {
	s := serveLive(t)
	begins(newTab(t, 1440), s, theKubelet, podLife)
	tb := newTab(t, 1440)
	tb.open(s.url + theKubelet)
	ask[bool](tb, `!!(globalThis.Worker = class extends Worker { constructor(...all) { super(...all); globalThis.started = true; } })`)
	p := prompt{tb, podLife}
	p.focus()
	tb.wait("!!globalThis.started")
	p.types("kubectl get pods")
	p.answers("Running")
	p.types("kubectl get pods")
	p.answers("Running")
	assert.Equal(t, 1, s.requests("engine"), "the first tab's")
}

func TestLiveAPredictionOpensByTheKeyboard(t *testing.T) {
	tb := newTab(t, 390)
	tb.open(serveLive(t).url + "01-control-loop/work-queue/index.html")
	ask[bool](tb, `document.querySelector("details:has(+ details + details + figure) summary, details summary").focus() ?? true`)
	tb.press(enter)
	assert.True(t, ask[bool](tb, `document.activeElement.closest("details").open`))
}

func TestLiveThePromptWeighsNextToNothing(t *testing.T) {
	serveLive(t)
	dir, err := renderLive()
	require.NoError(t, err)
	more := 0
	for _, name := range []string{"assets/book.js", "assets/book.css"} {
		more += zipped(t, filepath.Join(dir, name)) - zipped(t, filepath.Join(book, name))
	}
	assert.LessOrEqual(t, more, 1400, "bytes, for a prompt, its way to Play, a look inside and a slider")
	assertAFirstVisitIsLight(t, serveLive(t).url, dir)
	_, err = os.Stat(filepath.Join(book, "assets/live.js"))
	assert.ErrorIs(t, err, os.ErrNotExist, "the committed site is without it")
}
