package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/scene"
	"reconcile/internal/script"
	"reconcile/internal/trace/view"
	"reconcile/internal/trace/why"
)

// A rollout over two machines, a Deployment that is held meanwhile, and a Pod that no
// machine has room for.
const lookedInto = `# A rollout that is looked into.
# nodes: 2

# part: rollout
$ kubectl create deployment web --image=nginx --replicas=3

advance 5s

$ kubectl expose deployment web --port=80

pause deployment

$ kubectl scale deployment web --replicas=5

advance 5s

go-on deployment

advance 5s

conflict deployment

$ kubectl set image deployment web nginx=nginx:1.27

advance 10s

$ kubectl run large --image=nginx --overrides='{"spec":{"containers":[{"name":"large","image":"nginx","resources":{"requests":{"cpu":"99"}}}]}}'

advance 5s
`

//go:embed testdata/look.html
var lookPage []byte

// lookedIntoOnce is the record of that scene, as chapter 6 plays it.
var lookedIntoOnce struct {
	sync.Mutex
	record []byte
	waits  why.Notes
}

// playLookedInto plays the scene, and keeps its record.
func playLookedInto(t *testing.T) {
	chapter, err := filepath.Abs(filepath.Join(root, "chapters", "06-daemonset"))
	require.NoError(t, err)
	played, err := script.Parse("rollout.scene", []byte(lookedInto))
	require.NoError(t, err)
	err = scene.GoOn(t, played, chapter, t.TempDir(), true, func(played scene.Played) *script.Script {
		record := played.Look.Record("a rollout")
		record.Waits, lookedIntoOnce.waits = played.Waits, played.Waits
		lookedIntoOnce.record, err = json.Marshal(record)
		require.NoError(t, err)
		return nil
	})
	require.NoError(t, err)
}

// serveLook serves the views with that record.
func serveLook(t *testing.T) string {
	t.Helper()
	lookedIntoOnce.Lock()
	defer lookedIntoOnce.Unlock()
	if lookedIntoOnce.record == nil {
		t.Run("played", playLookedInto) // it sets variables of the process
	}
	files := map[string][]byte{
		"/": lookPage, "/look.js": view.Script(), "/look.css": view.Style(), "/record.json": lookedIntoOnce.record,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", map[string]string{".js": "text/javascript", ".css": "text/css"}[filepath.Ext(r.URL.Path)])
		_, _ = w.Write(files[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// views is a page with the views of a record, and what a test asks of it.
type views struct{ *tab }

func openLook(t *testing.T, width int64, place string) views {
	t.Helper()
	v := views{newTab(t, width)}
	v.open(serveLook(t) + place)
	v.wait(`window.drawn?.()`)
	return v
}

// text returns what can be read of the first element that fits.
func (v views) text(selector string) string {
	v.t.Helper()
	return ask[string](v.tab, `document.querySelector(`+quote(selector)+`)?.innerText ?? ""`)
}

// click clicks the first element that fits and has these words.
func (v views) click(selector, words string) {
	v.t.Helper()
	it := `[...document.querySelectorAll(` + quote(selector) + `)].find((one) => one.innerText.includes(` + quote(words) + `))`
	v.wait(`!!` + it)
	ask[bool](v.tab, it+`.click() ?? true`)
}

// says waits until an element has these words.
func (v views) says(selector, words string) {
	v.t.Helper()
	v.wait(`(document.querySelector(` + quote(selector) + `)?.innerText ?? "").includes(` + quote(words) + `)`)
}

func (v views) count(selector string) int {
	v.t.Helper()
	return ask[int](v.tab, `document.querySelectorAll(`+quote(selector)+`).length`)
}

func TestLookTheClusterShowsPodsAndWhomAServiceChooses(t *testing.T) {
	v := openLook(t, 1440, "")
	assert.Equal(t, 5, v.count(".pod.ready"))
	assert.Equal(t, 1, v.count(".pod.waits"), "large waits")
	assert.Contains(t, v.text(".services"), "web → 5 Pods")
	assert.Equal(t, 1, ask[int](v.tab, `new Set([...document.querySelectorAll(".pod.ready")].map((pod) => pod.style.getPropertyValue("--c"))).size`),
		"Pods of one Deployment have one colour")
	v.click(".services button", "web")
	v.wait(`document.querySelectorAll(".pod.chosen").length === 5`)
	v.click(".pod.ready b", "web-")
	v.says(".owners", "ReplicaSet web-")
	assertAccessible(t, v.tab)
	v.prefer("dark")
	assertAccessible(t, v.tab)
	console, requests := v.said()
	assert.Empty(t, console)
	for _, address := range requests {
		assert.Contains(t, address, "127.0.0.1", "nothing is loaded from elsewhere")
	}
}

func TestLookAWriteLeadsBackToTheCommand(t *testing.T) {
	v := openLook(t, 1440, "")
	v.click(".changes li button", "deployment created ReplicaSet")
	v.says(".reasons", "It began with kubectl set image")
	for _, step := range []string{"kubectl set image changed Deployment default/web", "the Deployment cache heard of default/web",
		"deployment’s queue got default/web", "deployment began to reconcile default/web", "deployment created ReplicaSet default/web-"} {
		assert.Contains(t, v.text(".reasons ol"), step)
	}
	v.wait(`document.querySelector(".reasons [aria-current=step]").innerText.includes("deployment created ReplicaSet")`)
	v.click(".reasons button", "go to this moment")
	v.wait(`document.querySelector(".chain").getAttribute("d").length > 20`)
	v.click(".reasons ul button", "the ReplicaSet cache heard of default/web-")
	v.click(".reasons ul button", "replicaset’s queue got default/web-")
	v.says(".reasons [aria-current=step]", "replicaset’s queue got default/web-")
	v.click(".look nav button", "Object")
	v.says(".about", "ReplicaSet default/web-")
	assertAccessible(t, v.tab)
}

func TestLookWhatFoundAKeyInItsQueueIsToldBesideWhatPutItThere(t *testing.T) {
	v := openLook(t, 1440, "")
	v.click(".changes li button", "replicaset created Pod")
	v.says(".reasons", "The key was there already when these came; the run saw them, too")
	assert.Regexp(t, `replicaset’s queue got default/web-\w+\s+\S+\s+replicaset began`, v.text(".reasons ol"))
	assert.NotContains(t, v.text(".reasons ol"), "already")
	assert.Regexp(t, `replicaset’s queue has default/web-\w+ already`, v.text(".reasons ul"))
	assertAccessible(t, v.tab)
}

func TestLookAPodThatWaitsHasTheSchedulersTable(t *testing.T) {
	v := openLook(t, 1440, "#view=object&kind=Pod&key=default/large")
	v.says(".about", "Why no node?")
	assert.Regexp(t, `node-1\s+NodeResourcesFit: Insufficient cpu`, v.text(".about table"))
	assert.Contains(t, v.text(".about"), "0/2 nodes are available: 2 Insufficient cpu")
	v.click(".pod.ready b", "web-")
	v.says(".about", "Why node-")
	assert.Regexp(t, `100 × \d`, v.text(".about tr.chosen"))
	assertAccessible(t, v.tab)
}

func TestLookEachLineHasItsWriter(t *testing.T) {
	v := openLook(t, 1440, "#view=object&kind=Deployment&key=default/web")
	v.says("pre", "replicas: 5")
	assert.Regexp(t, `replicas: 5\s*kubectl scale, `, v.text("pre"))
	assert.Regexp(t, `image: nginx:1.27\s*kubectl set image, `, v.text("pre"))
	assert.NotContains(t, v.text("pre"), "managedFields")
	ask[bool](v.tab, `(() => {
		const pick = document.querySelector(".text select");
		pick.value = [...pick.options].find((one) => one.textContent.includes("kubectl scale")).value;
		pick.dispatchEvent(new Event("change"));
		return true;
	})()`)
	v.says("pre", "+   replicas: 5")
	assert.Contains(t, v.text("pre"), "-   replicas: 3")
	assert.NotContains(t, v.text("pre"), "image:", "what is far from a change is left out")
	assertAccessible(t, v.tab)
	v.prefer("dark")
	assertAccessible(t, v.tab)
}

func TestLookGoesBackInTime(t *testing.T) {
	v := openLook(t, 1440, "#view=changes&kind=Deployment&key=default/web")
	v.click(".changes li button", "kubectl scale changed")
	v.says(".reasons", "It began with kubectl scale")
	v.click(".reasons button", "go to this moment")
	v.wait(`document.querySelectorAll(".pod.ready").length === 3`)
	assert.Equal(t, 0, v.count(".pod.waits"))
	assert.Contains(t, v.text(".lanes"), "paused")
	ask[bool](v.tab, `document.querySelector(".strip").focus() ?? true`)
	before := v.text(".time output")
	v.press(kb.ArrowRight)
	v.wait(`document.querySelector(".time output").innerText !== ` + quote(before))
	v.press(kb.ArrowLeft)
	v.wait(`document.querySelector(".time output").innerText === ` + quote(before))
	v.press(kb.Home)
	v.wait(`document.querySelectorAll(".pod:not(.free)").length === 0`)
	v.press(kb.End)
	v.wait(`document.querySelectorAll(".pod.ready").length === 5`)
	assert.Equal(t, "true", ask[string](v.tab, `[...document.querySelectorAll(".time button")].at(-1).ariaPressed`), "the slider is at its end again")
}

func TestLookOnAPhoneIsAListByTheKeyboardAlone(t *testing.T) {
	v := openLook(t, 390, "")
	assert.Equal(t, "Changes", v.text(".look nav button:first-child"))
	assert.Equal(t, "Object", v.text(".look nav button:nth-child(2)"))
	assert.LessOrEqual(t, ask[int](v.tab, "document.documentElement.scrollWidth"), 390)
	assert.True(t, ask[bool](v.tab, `document.querySelector(".panel.cluster").checkVisibility()`), "it opens with the cluster")
	v.click(".look nav button", "Changes")
	v.wait(`!document.querySelector(".panel.cluster").checkVisibility()`)
	ask[bool](v.tab, `document.querySelector(".look nav button").focus() ?? true`)
	for range 20 {
		if ask[bool](v.tab, `document.activeElement.matches(".changes li button")`) {
			break
		}
		v.press(tabKey)
	}
	v.press(arrowDown)
	assert.True(t, ask[bool](v.tab, `document.activeElement === document.querySelector(".changes li:nth-child(2) button")`), "arrows go from change to change")
	v.press(enter)
	v.wait(`document.querySelector(".panel.why").checkVisibility()`)
	assert.Contains(t, v.text(".reasons"), "It began with")
	for _, name := range []string{"Changes", "Object", "Why?", "Cluster", "Loops", "Traffic"} {
		v.click(".look nav button", name)
		v.wait(`document.querySelector(".look nav [aria-pressed=true]").innerText === ` + quote(name))
		assert.LessOrEqual(t, ask[int](v.tab, "document.documentElement.scrollWidth"), 390, name)
		assertAccessible(t, v.tab)
	}
}

func TestLookLanesAreGoneThroughByTheKeyboard(t *testing.T) {
	v := openLook(t, 1440, "")
	assert.Regexp(t, `and \d+ more that did nothing`, v.text(".loops"))
	v.click(".lanes button", "deployment")
	v.says(".changes", "of deployment")
	ask[bool](v.tab, `document.querySelector(".lanes [aria-pressed=true]").focus() ?? true`)
	v.press(kb.ArrowLeft)
	v.wait(`location.hash.includes("view=why&") && location.hash.includes("n=")`)
	first := ask[string](v.tab, "location.hash")
	v.press(kb.ArrowLeft)
	v.wait(`location.hash !== ` + quote(first))
	v.press(arrowDown)
	assert.Equal(t, "replicaset", ask[string](v.tab, `document.activeElement.querySelector("b").innerText`))
	link := ask[string](v.tab, "location.href")
	v.open("about:blank")
	v.open(link)
	v.wait(`window.drawn?.() && !!document.querySelector(".reasons [aria-current=step]")`)
}

func TestLookWhatAnObjectWaitsForIsAChainAtEachTime(t *testing.T) {
	v := openLook(t, 1440, "#view=waits&kind=Pod&key=default/large")
	v.says(".waits", "Insufficient cpu")
	v.says(".waits", "It is refused.")
	at := slices.IndexFunc(lookedIntoOnce.waits["Deployment default/web"], func(n why.Note) bool { return n.Reason == why.Paused })
	require.GreaterOrEqual(t, at, 0)
	v = openLook(t, 390, "")
	ask[bool](v.tab, fmt.Sprintf(`!!(location.hash = "#view=waits&kind=Deployment&key=default/web&at=%d")`, lookedIntoOnce.waits["Deployment default/web"][at].N))
	v.says(".waits", "It waits because a loop is paused.")
	assertAccessible(t, v.tab)
	v.click(".waits button", "the loop deployment")
	v.says(".waits", "Choose an object")
	v = openLook(t, 820, "#view=waits&kind=Deployment&key=default/web")
	v.says(".waits", "Nothing is waited for.")
}
