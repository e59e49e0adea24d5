package browser

import (
	"bytes"
	"context"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decks returns the paths of the slides of a sample of the site's courses.
func (p place) decks(t *testing.T) []string {
	t.Helper()
	decks := p.glob(t, "teach/*/slides.html")
	require.NotEmpty(t, decks, "no slides in %s", p.dir)
	return p.sample(t, decks)
}

// screen gives the window another width and height.
func (tb *tab) screen(width, height int64) {
	tb.t.Helper()
	tb.do(chromedp.EmulateViewport(width, height))
	tb.frame()
}

const shown = `document.querySelector(".slide.now")`

// misfits goes through all slides by the key that goes on, and lists what a room
// could not read: what is larger than its slide, letters that are smaller than
// twenty in 720, commands that are not in sight. At the end it says how far it came.
const misfits = `(() => {
	const found = [];
	const unit = Math.min(innerWidth / 1280, innerHeight / 720);
	const slides = [...document.querySelectorAll(".slide")];
	let times = 0;
	for (let before; before !== location.hash + document.querySelectorAll(".slide.now .later").length; times++) {
		before = location.hash + document.querySelectorAll(".slide.now .later").length;
		const slide = document.querySelector(".slide.now");
		const say = (what) => found.push(location.hash + ": " + what);
		const parts = [...slide.querySelectorAll("*")].filter((e) => e.checkVisibility() && !e.closest("svg"));
		for (const e of [slide, ...parts.filter((e) => e.matches("pre, .show, .table, figure"))]) {
			const plays = e.matches("pre") && e.querySelector(".command");
			if (e.scrollWidth > e.clientWidth + 1 || !plays && e.scrollHeight > e.clientHeight + 1) say("no room in " + e.tagName + " " + e.className);
		}
		if (slide.querySelector(".foot").getBoundingClientRect().bottom > slide.getBoundingClientRect().bottom + 1) say("its foot is below it");
		for (const e of parts) {
			const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
			if (text && parseFloat(getComputedStyle(e).fontSize) < 20 * unit - .01) say("small: " + e.textContent.slice(0, 20));
		}
		const command = [...slide.querySelectorAll(".command:not(.later)")].at(-1);
		if (command) {
			const [strip, box] = [command.closest("pre").getBoundingClientRect(), command.getBoundingClientRect()];
			if (box.top < strip.top - 1 || box.bottom > strip.bottom + 1) say("out of sight: " + command.textContent.slice(0, 40));
		}
		document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
	}
	if (location.hash !== "#" + slides.length) found.push("it ended at " + location.hash + " of " + slides.length);
	return found;
})()`

func TestSlidesHaveRoomForWhatTheyShow(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, deck := range p.decks(t) {
			t.Run(deck, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, 1440)
				for _, size := range [][2]int64{{1280, 720}, {1920, 1080}, {1024, 768}} {
					tb.screen(size[0], size[1])
					tb.open(p.url + deck + "#1")
					tb.wait(shown + `?.id === "1"`)
					ask[bool](tb, `Promise.allSettled([...document.fonts].map((font) => font.load())).then(() => true)`) // some are wanted late, and some this machine may not have
					assert.Empty(t, ask[[]string](tb, misfits), "at %d×%d", size[0], size[1])
				}
				tb.open(p.url + path.Dir(deck) + "/presenter.html")
				for _, width := range []int64{1440, 820, 390} {
					tb.resize(width)
					assert.Empty(t, ask[[]string](tb, noWiderThanTheWindow.against), "the presenter's window at %d", width)
				}
			})
		}
	})
}

func TestSlidesAreAPageOnAPhone(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, deck := range p.decks(t) {
			tb := newTab(t, 390)
			tb.open(p.url + deck)
			assert.Empty(t, ask[[]string](tb, noWiderThanTheWindow.against))
			assert.Empty(t, ask[[]string](tb, nothingIsTooSmallToRead.against))
			assert.Empty(t, ask[[]string](tb, unseen))
			assert.Empty(t, ask[[]string](tb, smallLetters))
		}
	})
}

// smallLetters lists the texts in drawings whose letters have less than ten pixels, or nearly.
const smallLetters = `[...document.querySelectorAll(".fig text, .fig tspan")].filter((text) => text.checkVisibility())
	.map((text) => [text, parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a])
	.filter(([, size]) => size < 9.9)
	.map(([text, size]) => text.closest(".slide").id + ": " + size.toFixed(1) + " pixels: " + text.textContent.slice(0, 30))`

// unseen lists the slides, and what comes in steps, that cannot be seen.
const unseen = `[...document.querySelectorAll(".slide, .told, .command, .typed")]
	.filter((e) => !e.checkVisibility({ visibilityProperty: true })).map((e) => e.className + " " + e.textContent.slice(0, 40))`

func TestSlidesAreAPageWithoutScripts(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := withoutScripts(t, 1280)
	tb.do(chromedp.Navigate(p.file() + "teach/hour/slides.html"))
	assert.Empty(t, ask[[]string](tb, unseen))
	assert.Equal(t, 8, ask[int](tb, `document.querySelectorAll(".typed").length`))
	assert.Contains(t, ask[string](tb, `document.querySelector("[data-kind=break]").innerText`), "09:42")
	tops := ask[[]float64](tb, `[...document.querySelectorAll(".slide")].map((slide) => slide.getBoundingClientRect().top)`)
	assert.Len(t, tops, 13)
	assert.IsIncreasing(t, tops)

	tb.do(chromedp.Navigate(p.file() + "teach/hour/presenter.html"))
	assert.Contains(t, ask[string](tb, `document.querySelector("main").innerText`), "They take the loop for a timer.")
}

func TestKeysLeadThroughSlides(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 1280)
	tb.open(p.url + "teach/hour/slides.html#2") // all files share what is switched off
	at := func(number string) {
		t.Helper()
		assert.Equal(t, number, ask[string](tb, shown+`.id`))
		assert.Equal(t, "#"+number, ask[string](tb, `location.hash`))
	}
	at("2")
	for _, step := range []struct{ key, to string }{
		{kb.ArrowDown, "3"}, {kb.ArrowUp, "2"}, {kb.Home, "1"}, {kb.ArrowLeft, "1"}, {kb.PageDown, "2"}, {" ", "3"},
		{kb.End, "13"}, {kb.ArrowRight, "13"}, {kb.ArrowRight, "13"}, {kb.ArrowUp, "12"}, {kb.PageUp, "11"}, {kb.PageUp, "10"},
	} {
		tb.press(step.key)
		at(step.to)
	}
	assert.Equal(t, 1, ask[int](tb, `[...document.querySelectorAll(".slide")].filter((slide) => slide.checkVisibility()).length`))
	assert.Equal(t, "10", ask[string](tb, `document.activeElement.id`), "who cannot see it hears of it")

	ask[bool](tb, `location.hash = "#5", true`)
	tb.wait(shown + `.id === "5"`)
	tb.press("b")
	assert.False(t, ask[bool](tb, shown+`.checkVisibility({ visibilityProperty: true })`))
	tb.press("b")
	assert.True(t, ask[bool](tb, shown+`.checkVisibility({ visibilityProperty: true })`))
	tb.press("f")
	tb.wait(`!!document.fullscreenElement`)
	tb.press("f")
	tb.wait(`!document.fullscreenElement`)

	tb.press("?")
	tb.wait(`!!document.querySelector("#keys[open]")`)
	assert.Contains(t, ask[string](tb, `document.querySelector("#keys").innerText`), "full screen")
	tb.do(chromedp.Click(chromedp.CSS("#keys input")))
	tb.press(escape)
	tb.wait(`!document.querySelector("#keys")`)
	tb.press("b")
	assert.True(t, ask[bool](tb, shown+`.checkVisibility({ visibilityProperty: true })`), "single keys are switched off")
	tb.press(kb.ArrowDown)
	at("6")
}

func TestAnAnswerComesOnAKey(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1280)
	tb.open(p.url + "teach/hour/slides.html#3")
	answer := shown + `.querySelector(".told").checkVisibility({ visibilityProperty: true })`
	assert.False(t, ask[bool](tb, answer))
	tb.press(kb.ArrowRight)
	assert.True(t, ask[bool](tb, answer))
	assert.NotContains(t, ask[string](tb, shown+`.textContent`), "People say", "that is for the one who asks")
	tb.press(kb.ArrowRight)
	tb.press(kb.ArrowLeft)
	assert.True(t, ask[bool](tb, answer), "one goes back to where one came from")
	tb.press(kb.ArrowLeft)
	assert.False(t, ask[bool](tb, answer))
}

func TestATranscriptIsPlayedCommandByCommand(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1280)
	tb.open(p.url + "teach/hour/slides.html#4")
	played := shown + `.querySelectorAll(".command:not(.later)").length`
	assert.Equal(t, 1, ask[int](tb, played))
	tb.press(kb.ArrowRight)
	assert.Equal(t, 2, ask[int](tb, played))
	assert.Contains(t, ask[string](tb, shown+`.querySelectorAll(".command")[1].textContent`), "19 seconds later\n$ kubectl", "what happened stands before what was typed then")
	for range 6 {
		tb.press(kb.ArrowRight)
	}
	assert.Equal(t, 8, ask[int](tb, played))
	assert.Greater(t, ask[float64](tb, shown+`.querySelector("pre").scrollTop`), 100.0, "what came before has gone up")
	tb.press(kb.ArrowRight)
	assert.Equal(t, "5", ask[string](tb, shown+`.id`))
}

func TestAFigureOnASlideHasItsSteps(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1280)
	tb.open(p.url + "teach/hour/slides.html#9")
	assert.Equal(t, []int{1, 3}, []int{tb.steps("now"), tb.steps("later")})
	for range 3 {
		tb.press(kb.ArrowRight)
	}
	assert.Equal(t, []int{1, 0}, []int{tb.steps("now"), tb.steps("later")})
	assert.Equal(t, "9", ask[string](tb, shown+`.id`))
	tb.press(kb.ArrowRight)
	assert.Equal(t, "10", ask[string](tb, shown+`.id`))
}

func TestABreakSaysWhenItIsOver(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1280)
	tb.open(p.url + "teach/hour/slides.html#6")
	clock := func(minutes string) string {
		return `new Date(Date.now() + ` + minutes + ` * 60000).toTimeString().slice(0, 5)`
	}
	for slide, minutes := range map[string]string{"7": "10", "11": "18"} {
		before := ask[string](tb, clock(minutes))
		ask[bool](tb, `location.hash = "#`+slide+`", true`)
		tb.wait(shown + `.id === "` + slide + `"`)
		said := ask[string](tb, shown+`.querySelector("time").textContent`)
		assert.Contains(t, []string{before, ask[string](tb, clock(minutes))}, said)
	}
}

func TestSlidesPrintOneAPage(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "teach/hour/slides.html#3")
	pdf, err := chromedp.Run(tb.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
	require.NoError(t, err)
	// Of thirteen slides one is a transcript of 64 lines.
	assert.Equal(t, 14, bytes.Count(pdf, []byte("/Type /Page\n")), "pages")
	assert.Contains(t, string(pdf), "/MediaBox [0 0 960 540]")
}

// presenting opens slides, and from them the window of who presents.
func presenting(t *testing.T, slides string) (deck, presenter *tab) {
	t.Helper()
	deck = newTab(t, 1280)
	deck.open(slides)
	return deck, deck.opened(func() { deck.press("p") })
}

// opened returns the window that the page opens when it is asked to.
func (tb *tab) opened(do func()) *tab {
	tb.t.Helper()
	windows := chromedp.WaitNewTarget(tb.ctx, func(*target.Info) bool { return true })
	do()
	ctx, cancel := context.WithTimeout(tb.ctx, time.Minute)
	defer cancel()
	var id target.ID
	select {
	case id = <-windows:
	case <-ctx.Done():
	}
	require.NotEmpty(tb.t, id, "no window was opened")
	life, closeWindow := chromedp.NewContext(tb.ctx, chromedp.WithTargetID(id))
	tb.t.Cleanup(func() { // and wait until it has gone: the next of its name would be the same
		_ = chromedp.Cancel(life) // it may be gone already
		closeWindow()
	})
	require.NoError(tb.t, chromedp.Do(life)) // a session lives as long as the first that was done in it
	return &tab{t: tb.t, ctx: life}
}

func TestWhoPresentsFollowsAndLeads(t *testing.T) {
	p := sampleSite(t)
	for name, root := range map[string]string{"served": p.url, "from a folder": p.file()} {
		t.Run(name, func(t *testing.T) {
			deck, presenter := presenting(t, root+"teach/hour/slides.html#3")
			title := func(title string) string {
				return `document.querySelector("article.now h2")?.textContent === ` + quote(title)
			}
			presenter.wait(title("The naive loop, and what it costs"))
			assert.True(t, ask[bool](presenter, `document.querySelector(".asked").innerText === "Who has restarted the Pod?"`))
			assert.Contains(t, ask[string](presenter, `document.querySelector("article.now").innerText`), "People say")

			deck.press(kb.ArrowDown)
			deck.press(kb.ArrowDown)
			deck.press(kb.ArrowDown)
			presenter.wait(title("1b Compare and act"))
			assert.Equal(t, "1b Compare and act", strings.TrimSpace(ask[string](presenter, `document.querySelector("[aria-current]").textContent.slice(5)`)))

			presenter.press(kb.ArrowLeft)
			deck.wait(shown + `.id === "5"`)
			presenter.do(chromedp.Click(chromedp.CSS(".schedule li:nth-child(4) a")))
			deck.wait(shown + `.id === "8"`)
			presenter.wait(title("A queue of keys, not of events"))
			presenter.press("b")
			deck.wait(`document.documentElement.matches(".black")`)

			deck.do(chromedp.Reload())
			deck.wait(shown + `?.id === "8"`)
			deck.press(kb.End)
			presenter.wait(title("Questions in pairs"))
			presenter.do(chromedp.Reload())
			presenter.wait(title("Questions in pairs"))
			presenter.press(kb.Home)
			deck.wait(shown + `.id === "1"`)
			console, _ := deck.said()
			assert.Empty(t, console)
		})
	}
}

func TestWhoPresentsSeesWhatIsShownAndWhatComesNext(t *testing.T) {
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "teach/hour/presenter.html") // one site may look into its pictures
	picture := func(i, number string) string {
		return `frames[` + i + `].document.querySelector(".slide.now")?.id === "` + number + `"`
	}
	tb.wait(picture("0", "1") + ` && ` + picture("1", "2"))
	tb.press(kb.ArrowDown)
	tb.press(kb.ArrowDown)
	tb.press(kb.ArrowRight)
	tb.wait(picture("0", "3") + ` && ` + picture("1", "4"))
	tb.wait(`frames[0].document.querySelector(".now .told").checkVisibility({ visibilityProperty: true })`)
	assert.Equal(t, ask[float64](tb, `document.querySelector(".pictures div").clientWidth`),
		ask[float64](tb, `document.querySelector("iframe").getBoundingClientRect().width`), "a whole slide, made small")

	deck := tb.opened(func() { tb.do(chromedp.Click(chromedp.CSS("button[value=open]"))) })
	deck.wait(shown + `?.id === "1"`)
	tb.wait(`document.querySelector("button[value=open]").hidden`)
	tb.press(kb.ArrowDown)
	deck.wait(shown + `.id === "2"`)
	tb.wait(picture("0", "2") + ` && ` + picture("1", "3"))
}

func TestThePlansClockBeginsWhenTheRoomDoes(t *testing.T) {
	t.Parallel()
	p := sampleSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "teach/hour/presenter.html")
	tb.wait(`!!document.querySelector("article.now")`)
	tb.press(kb.End)
	tb.wait(`document.querySelector("article.now h2").textContent === "Questions in pairs"`)
	tb.do(chromedp.Click(chromedp.CSS("button[value=begin]")))
	said := func(text string) string {
		return `document.querySelector(".clock output").textContent === ` + quote(text)
	}
	tb.wait(said("on time, 18 minutes left"))
	tb.press(kb.Home)
	tb.wait(`document.querySelector("article.now h2").textContent === "The naive loop, and what it costs"`)
	tb.wait(said("45 minutes late"))
	tb.do(chromedp.Reload())
	tb.wait(said("45 minutes late"))
	tb.do(chromedp.Click(chromedp.CSS("button[value=begin]")))
	tb.wait(said("on time, 12 minutes left"))
	tb.do(chromedp.Click(chromedp.CSS("button[value=plan]")))
	tb.wait(`document.querySelector("button[value=plan]").disabled`)
}

func TestSlidesKeepToWCAG22(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for i, deck := range p.decks(t) {
			t.Run(deck, func(t *testing.T) {
				t.Parallel()
				tb := newTab(t, 390)
				tb.prefer([]string{"light", "dark"}[i%2])
				tb.open(p.url + deck) // on a phone all of them are there
				tb.sampleCode()
				assertAccessible(t, tb)
				tb.resize(1440)
				tb.wait(`!!` + shown)
				assertAccessible(t, tb)
				tb.open(p.url + path.Dir(deck) + "/presenter.html")
				tb.wait(`!!document.querySelector("article.now")`)
				assertAccessible(t, tb)
			})
		}
	})
}

func TestSlidesSayNothingAndAskNobodyElse(t *testing.T) {
	t.Parallel()
	onEachSite(t, func(t *testing.T, p place) {
		for _, root := range []string{p.url, p.file()} {
			tb := newTab(t, 1440)
			for _, page := range []string{"slides.html", "presenter.html"} {
				tb.open(root + "teach/hour/" + page)
				tb.wait(`!!document.querySelector(".now")`)
				tb.press(kb.End)
			}
			console, requests := tb.said()
			assert.Empty(t, console)
			for _, url := range requests {
				assert.True(t, strings.HasPrefix(url, root) || strings.HasPrefix(url, "data:"), "it asked for %s", url)
			}
		}
	})
}
