package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLiveWhatTheBrowserLacksIsSaidBeforeTheOffer(t *testing.T) {
	s := serveLive(t)
	for lack, says := range map[string]string{
		`delete globalThis.WebAssembly`:                                        "the browser has no WebAssembly",
		`WebAssembly.Memory = function () { throw new RangeError("no"); }`:     "not enough memory for the engine: it wants about 300 MB",
		`delete globalThis.DecompressionStream`:                                "the browser can’t unpack",
		`globalThis.fetch = () => Promise.reject(new TypeError("no network"))`: "The engine couldn’t be fetched",
	} {
		tb := newTab(t, 390)
		tb.open(s.url + theKubelet)
		// What another test has kept needs no offer.
		ask[bool](tb, `caches.delete("engine").then(() => { `+lack+`; return true; })`)
		p := prompt{tb, podLife}
		p.focus()
		p.types("kubectl get pods")
		p.says(says)
		assert.Empty(t, p.text("[role=status] button"))

		tb.open(s.url + "03-rolling-update/index.html#" + crossing) // which opens it
		ask[bool](tb, lack+`; true`)
		p = prompt{tb, crossing}
		tb.wait("!!" + p.find("[name=replicas]"))
		ask[bool](tb, p.find("[name=replicas]")+".focus() ?? true")
		tb.press(kb.ArrowRight)
		tb.wait(p.find(".slider [role=status]") + `.textContent.includes(` + quote(strings.NewReplacer("300", "100").Replace(says)) + `)`)
		assert.Equal(t, "4", p.text("output"), "the values are those of the figure")
	}
}

func TestLiveAnEngineWithoutRoomSaysHowMuchItWants(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	p := begins(tb, s, theKubelet, podLife)
	tb.open(s.url + theKubelet)
	ask[bool](tb, `!!(globalThis.Worker = class { postMessage() { setTimeout(() => this.onmessage?.({ data: { ended: "RangeError: WebAssembly.instantiate(): Out of memory" } }), 500); } terminate() { } })`)
	p.focus() // what warms up the engine has ended when the line's turn comes
	p.types("kubectl get pods")
	p.says("There is not enough memory for the engine: it wants about 300 MB.")
}

func TestLiveTheSizeSaidIsTheSizeFetched(t *testing.T) {
	s := serveLive(t)
	s.packs()
	tb := newTab(t, 390)
	tb.open(s.url + theKubelet)
	p := prompt{tb, podLife}
	p.focus()
	p.types("kubectl get pods")
	tb.wait(`document.activeElement.textContent === "fetch it"`)
	assert.Contains(t, p.text("[role=status]"), megabytes(t, s.file("engine", ".br")))
}

// On a slow network a line is there before what answers it.
func TestLiveALineThatIsEarlyIsAnswered(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 390)
	tb.open(s.url + theKubelet)
	p := prompt{tb, podLife}
	ask[bool](tb, `caches.delete("engine").then(() => ((input) => {
		input.focus();
		input.value = "kubectl get pods";
		input.form.requestSubmit();
		return true;
	})(`+p.find(".live input")+`))`)
	tb.wait(`document.activeElement.textContent === "fetch it"`)
	tb.press(enter)
	p.answers("Running")
}

// megabytes returns the size of a file as an offer says it.
func megabytes(t *testing.T, file string) string {
	t.Helper()
	info, err := os.Stat(file)
	require.NoError(t, err)
	return fmt.Sprintf(" %d MB, fetched once", (info.Size()+999_999)/1_000_000)
}

func TestLiveAPromptOnASlideIsReadInTheLastRow(t *testing.T) {
	s := serveLive(t)
	tb := newTab(t, 1440)
	tb.screen(1280, 720)
	tb.open(s.url + "teach/hour/slides.html#1")
	tb.wait(shown + `?.id === "1" && !!document.querySelector(".slide .live")`)
	assert.Empty(t, ask[[]string](tb, misfits))
}
