package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/cmd/bookgen/internal/node"
	"reconcile/cmd/bookgen/internal/site"
	"reconcile/cmd/bookgen/internal/site/sample"
)

// lookSite serves the sample with a page that has a picture of a recorded run, as package
// weave writes it.
func lookSite(t *testing.T) place {
	t.Helper()
	browserContext(t)
	book := sample.Book()
	record, err := os.ReadFile(lookRecord)
	require.NoError(t, err)
	picture, err := os.ReadFile(lookFigures + "look-cluster.png")
	require.NoError(t, err)
	dark, err := os.ReadFile(lookFigures + "look-cluster.dark.png")
	require.NoError(t, err)
	book.Texts["assets/look-looking.js"] = append([]byte(`(globalThis.lookRecords ??= {})["looking"] = `), record...)
	book.Texts["assets/a.png"], book.Texts["assets/a.dark.png"] = picture, dark
	book.Beside = append(book.Beside, &site.Beside{File: "looking.html", Title: "Looking", Summary: "A run.", Body: node.Parse(`
<p>Here it is.</p><figure class="drawing shot" id=look data-look=looking data-at=215><img class=by-light loading=lazy width=1040 height=600 alt="The view." src=assets/a.png><img class=by-dark loading=lazy width=1040 height=600 alt="The view." src=assets/a.dark.png></figure>`)})
	files, err := site.Render(book)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "site")
	require.NoError(t, write(dir, files))
	return serve(t, dir)
}

const shotsShown = `[...document.querySelectorAll(".shot img")].filter((img) => img.checkVisibility()).map((img) => img.className).join()`

func TestLookAPictureIsThatOfThePaper(t *testing.T) {
	t.Parallel()
	tb := newTab(t, 1440)
	tb.open(lookSite(t).url + "looking.html")
	assert.Equal(t, "by-light", ask[string](tb, shotsShown))
	tb.prefer("dark")
	assert.Equal(t, "by-dark", ask[string](tb, shotsShown))
	ask[bool](tb, `!!(document.documentElement.dataset.theme = "light")`)
	assert.Equal(t, "by-light", ask[string](tb, shotsShown), "the reader's choice counts more than the system's")
	ask[bool](tb, `!!(document.documentElement.dataset.theme = "dark")`)
	tb.print()
	assert.Equal(t, "by-light", ask[string](tb, shotsShown), "paper is light")
}

func TestLookARecordedRunIsLookedIntoByTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	p := lookSite(t)
	for _, at := range []string{p.url, p.file()} {
		for _, width := range []int64{390, 1440} {
			tb := newTab(t, width)
			tb.open(at + "looking.html")
			_, asked := tb.said()
			assert.NotContains(t, asked, at+"assets/look.js", "nothing is fetched before the reader asks")
			ask[bool](tb, `document.querySelector("figure.shot .scrub button").focus() ?? true`)
			tb.press(enter)
			tb.wait(`document.querySelector("dialog.inside[open] .time output")?.textContent.includes("kubectl delete")`)
			assert.LessOrEqual(t, ask[int64](tb, "document.documentElement.scrollWidth"), width)
			assertAccessible(t, tb)
			tb.press(escape)
			tb.wait(`!document.querySelector("dialog") && document.activeElement.matches("figure.shot .scrub button")`)
			console, _ := tb.said()
			assert.Empty(t, console)
		}
	}
}

func TestLookALinkOpensTheRecordedRun(t *testing.T) {
	t.Parallel()
	p := lookSite(t)
	tb := newTab(t, 1440)
	tb.open(p.url + "looking.html#look")
	tb.wait(`!!document.querySelector("dialog.inside[open] .look")`)
	tb = withoutScripts(t, 1440)
	tb.open(p.url + "looking.html#look")
	assert.Equal(t, "by-light", ask[string](tb, shotsShown), "without scripts the pictures are the page")
}
